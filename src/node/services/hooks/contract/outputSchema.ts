/** The output of a hook (§4): the single source of its parsing, its type and its published JSON Schema. */
import * as z from "zod/mini";

export const hookOutputSchema = z.looseObject({
  decision: z.optional(
    z
      .string()
      .check(
        z.meta({ enum: ["block", "approve"] }),
        z.describe(
          "block: the agent continues with the reason. approve or absent: the hook does not block."
        )
      )
  ),
  reason: z.optional(z.string().check(z.describe("Sent to the agent; required for a block."))),
  continue: z.optional(
    z.boolean().check(z.describe("false ends the turn, regardless of other hooks."))
  ),
  stopReason: z.optional(
    z.string().check(z.describe("Shown to the user, not to the agent, if continue is false."))
  ),
  suppressOutput: z.optional(
    z
      .boolean()
      .check(z.describe("true keeps the hook's standard output out of the record and the chat."))
  ),
  systemMessage: z.optional(z.string().check(z.describe("Shown to the user."))),
  hookSpecificOutput: z.optional(
    z.looseObject({
      hookEventName: z.optional(
        z
          .string()
          .check(
            z.meta({ enum: ["Stop", "SubagentStop"] }),
            z.describe("The event of the stop; with another event the object is ignored.")
          )
      ),
      additionalContext: z.optional(
        z
          .string()
          .check(
            z.describe(
              "Feedback that is not an error: the agent continues with it, within the same limit."
            )
          )
      ),
    })
  ),
});

export type HookOutput = z.infer<typeof hookOutputSchema>;
