/** The output of a hook (§4): the single source of its parsing, its type and its published JSON Schema. */
import * as z from "zod";

export const hookOutputSchema = z.looseObject({
  decision: z
    .string()
    .meta({ enum: ["block", "approve"] })
    .optional()
    .describe("block: the agent goes on and is given the reason. approve or absent: no block."),
  reason: z.string().optional().describe("What the agent is told; required where it is to go on."),
  continue: z
    .boolean()
    .optional()
    .describe("false ends the turn, whatever any other hook decides."),
  stopReason: z
    .string()
    .optional()
    .describe("Shown to the user, not to the agent, where continue is false."),
  suppressOutput: z
    .boolean()
    .optional()
    .describe("Keeps what the hook printed out of the record and the chat."),
  systemMessage: z.string().optional().describe("Shown to the user."),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z
        .string()
        .meta({ enum: ["Stop", "SubagentStop"] })
        .optional()
        .describe("The event this is for; with another one the object is ignored."),
      additionalContext: z
        .string()
        .optional()
        .describe("Feedback that is no error: the agent goes on with it, under the same limit."),
    })
    .optional(),
});

export type HookOutput = z.infer<typeof hookOutputSchema>;
