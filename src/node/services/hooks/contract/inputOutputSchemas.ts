/** The zod definitions of a hook's input and output, and the JSON Schemas that the package publishes (H6). */
import { settingsSchema } from "@/node/services/hooks/contract/settingsSchema";
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

const text = (description: string) => z.optional(z.string()).check(z.describe(description));
const flag = (description: string) => z.optional(z.boolean()).check(z.describe(description));
/** Any string, because an unknown value is reported instead of rejected. The JSON Schema lists the known values. */
const oneOf = (values: readonly string[], description: string) =>
  z.optional(z.string().check(z.meta({ enum: values }))).check(z.describe(description));
const required = (description: string) => z.string().check(z.describe(description));
const list = (description: string) => z.array(z.unknown()).check(z.describe(description));

export const hookInputSchema = z.looseObject({
  session_id: required(
    "Workspace ID; on SubagentStop the child's task ID (in the claude dialect the parent's)."
  ),
  transcript_path: required(
    "The transcript as JSON lines, with the final message, on the machine that the hook runs on."
  ),
  cwd: required("Absolute path of the project's working directory."),
  permission_mode: required("default, plan, …; on SubagentStop the child's own."),
  hook_event_name: z.enum(HOOK_EVENTS),
  stop_hook_active: z
    .boolean()
    .check(z.describe("true if the turn already continues because a hook requested it.")),
  last_assistant_message: required("Complete text of the final response; empty if there is none."),
  background_tasks: list("Empty if the host has none."),
  session_crons: list("Empty if the host has none."),
  agent_id: text("SubagentStop: the ID of the child."),
  agent_type: text("SubagentStop: the child's type."),
  agent_transcript_path: text("SubagentStop: the child's transcript."),
  parent_session_id: text("SubagentStop: the parent's workspace ID."),
  parent_transcript_path: text("SubagentStop: the parent's transcript."),
  prompt_id: text("An ID of the turn, the same at all of its stops."),
  model: text("The model that wrote the final message, as the host names it."),
  effort: z
    .optional(z.looseObject({ level: z.string() }))
    .check(z.describe("The thinking level; absent if thinking is off.")),
  context_usage: z
    .optional(z.number().check(z.minimum(0), z.maximum(1)))
    .check(z.describe("The used part of the model's context window.")),
});

export const hookOutputSchema = z.looseObject({
  decision: oneOf(
    ["block", "approve"],
    "block: the agent continues with the reason. approve or absent: the hook does not block."
  ),
  reason: text("Sent to the agent; required for a block."),
  continue: flag("false ends the turn, regardless of other hooks."),
  stopReason: text("Shown to the user, not to the agent, if continue is false."),
  suppressOutput: flag("true keeps the hook's standard output out of the record and the chat."),
  systemMessage: text("Shown to the user."),
  hookSpecificOutput: z.optional(
    z.looseObject({
      hookEventName: oneOf(
        ["Stop", "SubagentStop"],
        "The event of the stop; with another event the object is ignored."
      ),
      additionalContext: text(
        "Feedback that is not an error: the agent continues with it, within the same limit."
      ),
    })
  ),
});

/**
 * The output of a hook, as {@link hookOutputSchema} describes it. The type is written out, so that the types of this
 * package do not need those of zod.
 */
export interface HookOutput {
  decision?: string | undefined;
  reason?: string | undefined;
  continue?: boolean | undefined;
  stopReason?: string | undefined;
  suppressOutput?: boolean | undefined;
  systemMessage?: string | undefined;
  hookSpecificOutput?:
    | {
        hookEventName?: string | undefined;
        additionalContext?: string | undefined;
        [key: string]: unknown;
      }
    | undefined;
  [key: string]: unknown;
}
