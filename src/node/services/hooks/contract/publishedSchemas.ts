/** The JSON Schemas of the package, generated from the zod definitions that parse the data (H6). */
import { hookOutputSchema } from "@/node/services/hooks/contract/outputSchema";
import { settingsSchema } from "@/node/services/hooks/contract/settingsKeys";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";
import * as z from "zod/mini";

/** Returns the text of each schema by file name. */
export function publishedSchemas(): Record<string, string> {
  return {
    "settings.schema.json": toText("Settings of Stop and SubagentStop hooks", settingsSchema()),
    "hook-input.schema.json": toText("Input of a hook on standard input", hookInputSchema),
    "hook-output.schema.json": toText("Output of a hook on standard output", hookOutputSchema),
  };
}

function toText(title: string, definition: z.ZodMiniType): string {
  const { $schema, ...schema } = z.toJSONSchema(definition);
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}

const text = (description: string) => z.string().check(z.describe(description));
const optionalText = (description: string) => z.optional(z.string()).check(z.describe(description));
const list = (description: string) => z.array(z.unknown()).check(z.describe(description));

export const hookInputSchema = z.looseObject({
  session_id: text(
    "Workspace ID; on SubagentStop the child's task ID (in the claude dialect the parent's)."
  ),
  transcript_path: text(
    "The transcript as JSON lines, with the final message, on the machine that the hook runs on."
  ),
  cwd: text("Absolute path of the project's working directory."),
  permission_mode: text("default, plan, …; on SubagentStop the child's own."),
  hook_event_name: z.enum(HOOK_EVENTS),
  stop_hook_active: z
    .boolean()
    .check(z.describe("true if the turn already continues because a hook requested it.")),
  last_assistant_message: text("Complete text of the final response; empty if there is none."),
  background_tasks: list("Empty if the host has none."),
  session_crons: list("Empty if the host has none."),
  agent_id: optionalText("SubagentStop: the ID of the child."),
  agent_type: optionalText("SubagentStop: the child's type."),
  agent_transcript_path: optionalText("SubagentStop: the child's transcript."),
  parent_session_id: optionalText("SubagentStop: the parent's workspace ID."),
  parent_transcript_path: optionalText("SubagentStop: the parent's transcript."),
  prompt_id: optionalText("An ID of the turn, the same at all of its stops."),
  model: optionalText("The model that wrote the final message, as the host names it."),
  effort: z
    .optional(z.looseObject({ level: z.string() }))
    .check(z.describe("The thinking level; absent if thinking is off.")),
  context_usage: z
    .optional(z.number().check(z.minimum(0), z.maximum(1)))
    .check(z.describe("The used part of the model's context window.")),
});
