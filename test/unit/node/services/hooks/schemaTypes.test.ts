/** The exported types are written out. The compiler checks that they equal those of the schemas. */
import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type {
  HookOutput,
  hookOutputSchema,
} from "@/node/services/hooks/contract/inputOutputSchemas";
import type { Definitions, RecordedContent } from "@/node/services/hooks/settings/hookDefinitions";
import type { contentSchema, definitionsSchema } from "@/node/services/hooks/trust/trustRecord";

test("the types of the output and the definitions are those of the schemas", () => {
  expectTypeOf<HookOutput>().toEqualTypeOf<z.infer<typeof hookOutputSchema>>();
  expectTypeOf<RecordedContent>().toEqualTypeOf<z.infer<typeof contentSchema>>();
  expectTypeOf<Definitions>().toEqualTypeOf<z.infer<typeof definitionsSchema>>();
});
