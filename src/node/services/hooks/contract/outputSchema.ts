/** The output of a hook: the source of its parsing and its published JSON Schema. */
import * as z from "zod/mini";

const text = (description: string) => z.optional(z.string()).check(z.describe(description));
const flag = (description: string) => z.optional(z.boolean()).check(z.describe(description));
/** Any string, because an unknown value is reported instead of rejected. The JSON Schema lists the known values. */
const oneOf = (values: readonly string[], description: string) =>
  z.optional(z.string().check(z.meta({ enum: values }))).check(z.describe(description));

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

/** The same type as the schema's. It is written out, so that the types of this package do not need those of zod. */
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
