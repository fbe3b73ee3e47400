/** The input of a hook on standard input (H13). Source of the published JSON Schema, checked against the type. */
import * as z from "zod";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";

export const hookInputSchema = z.looseObject({
  session_id: z
    .string()
    .describe(
      "Workspace ID; on SubagentStop the child's task ID (in the claude dialect the parent's)."
    ),
  transcript_path: z
    .string()
    .describe(
      "The transcript as JSON lines, with the final message, on the machine that the hook runs on."
    ),
  cwd: z.string().describe("Absolute path of the project's working directory."),
  permission_mode: z.string().describe("default, plan, …; on SubagentStop the child's own."),
  hook_event_name: z.enum(HOOK_EVENTS),
  stop_hook_active: z
    .boolean()
    .describe("true if the turn already continues because a hook requested it."),
  last_assistant_message: z
    .string()
    .describe("Complete text of the final response; empty if there is none."),
  background_tasks: z.array(z.unknown()).describe("Empty if the host has none."),
  session_crons: z.array(z.unknown()).describe("Empty if the host has none."),
  agent_id: z.string().optional().describe("SubagentStop: the ID of the child."),
  agent_type: z.string().optional().describe("SubagentStop: the child's type."),
  agent_transcript_path: z.string().optional().describe("SubagentStop: the child's transcript."),
  parent_session_id: z.string().optional().describe("SubagentStop: the parent's workspace ID."),
  parent_transcript_path: z.string().optional().describe("SubagentStop: the parent's transcript."),
});
