/** The exported types are written out. The compiler checks that they equal those of the schemas. */
import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type * as handlers from "@/node/services/hooks/contract/handlerTypes";
import type { HookOutput, hookOutputSchema } from "@/node/services/hooks/contract/outputSchema";
import type * as schemas from "@/node/services/hooks/contract/settingsSchema";
import type { Definitions, RecordedContent } from "@/node/services/hooks/settings/definitions";
import type { contentSchema, definitionsSchema } from "@/node/services/hooks/trust/file";

test("the types of the settings, the output and the definitions are those of the schemas", () => {
  expectTypeOf<handlers.CommandHandler>().toEqualTypeOf<
    z.infer<typeof schemas.commandHandlerSchema>
  >();
  expectTypeOf<handlers.HttpHandler>().toEqualTypeOf<z.infer<typeof schemas.httpHandlerSchema>>();
  expectTypeOf<handlers.PromptHandler>().toEqualTypeOf<
    z.infer<typeof schemas.promptHandlerSchema>
  >();
  expectTypeOf<handlers.BuiltinHandler>().toEqualTypeOf<
    z.infer<typeof schemas.builtinHandlerSchema>
  >();
  expectTypeOf<Exclude<handlers.HookHandler, handlers.UnsupportedHandler>>().toEqualTypeOf<
    z.infer<typeof schemas.handlerSchema>
  >();
  expectTypeOf<z.infer<typeof schemas.hookGroupSchema>>().toExtend<handlers.HookConfig>();
  expectTypeOf<HookOutput>().toEqualTypeOf<z.infer<typeof hookOutputSchema>>();
  expectTypeOf<RecordedContent>().toEqualTypeOf<z.infer<typeof contentSchema>>();
  expectTypeOf<Definitions>().toEqualTypeOf<z.infer<typeof definitionsSchema>>();
});
