/** The JSON Schemas of the package, generated from the zod definitions that parse the data (H6). */
import * as z from "zod/mini";
import { hookInputSchema } from "@/node/services/hooks/contract/inputSchema";
import { hookOutputSchema } from "@/node/services/hooks/contract/outputSchema";
import { settingsSchema } from "@/node/services/hooks/contract/settingsSchema";

/** Returns the text of each schema by file name. */
export function publishedSchemas(): Record<string, string> {
  return {
    "settings.schema.json": toText("Settings of Stop and SubagentStop hooks", settingsSchema),
    "hook-input.schema.json": toText("Input of a hook on standard input", hookInputSchema),
    "hook-output.schema.json": toText("Output of a hook on standard output", hookOutputSchema),
  };
}

function toText(title: string, definition: z.ZodMiniType): string {
  const { $schema, ...schema } = z.toJSONSchema(definition);
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}
