/** The output of a hook (§4): the single source of its parsing, its type and its published JSON Schema. */
import * as z from "zod";

export const hookOutputSchema = z.looseObject({
  decision: z
    .string()
    .meta({ enum: ["block", "approve"] })
    .optional()
    .describe(
      "block: the agent continues with the reason. approve or absent: the hook does not block."
    ),
  reason: z.string().optional().describe("Sent to the agent; required for a block."),
  continue: z.boolean().optional().describe("false ends the turn, regardless of other hooks."),
  stopReason: z
    .string()
    .optional()
    .describe("Shown to the user, not to the agent, if continue is false."),
  suppressOutput: z
    .boolean()
    .optional()
    .describe("true keeps the hook's standard output out of the record and the chat."),
  systemMessage: z.string().optional().describe("Shown to the user."),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z
        .string()
        .meta({ enum: ["Stop", "SubagentStop"] })
        .optional()
        .describe("The event of the stop; with another event the object is ignored."),
      additionalContext: z
        .string()
        .optional()
        .describe(
          "Feedback that is not an error: the agent continues with it, within the same limit."
        ),
    })
    .optional(),
});

export type HookOutput = z.infer<typeof hookOutputSchema>;
