/** The input of a hook on standard input (H13). Source of the published JSON Schema, checked against the type. */
import * as z from "zod";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";

export const hookInputSchema = z.looseObject({
  session_id: z
    .string()
    .describe(
      "Workspace ID; on SubagentStop the child's task ID (the parent's in the claude dialect)."
    ),
  transcript_path: z
    .string()
    .describe("The chat's JSON lines, up to the final message, on the machine the hook runs on."),
  cwd: z.string().describe("Working directory of the project, absolute."),
  permission_mode: z.string().describe("default, plan, …; on SubagentStop the child's own."),
  hook_event_name: z.enum(HOOK_EVENTS),
  stop_hook_active: z
    .boolean()
    .describe("true: the turn already goes on because a hook asked for it."),
  last_assistant_message: z
    .string()
    .describe("Text of the final response, whole; empty where there is none."),
  background_tasks: z.array(z.unknown()).describe("Empty where the host knows of none."),
  session_crons: z.array(z.unknown()).describe("Empty where the host knows of none."),
  agent_id: z.string().optional().describe("SubagentStop: the child."),
  agent_type: z.string().optional().describe("SubagentStop: the child's type."),
  agent_transcript_path: z.string().optional().describe("SubagentStop: the child's transcript."),
  parent_session_id: z.string().optional().describe("SubagentStop: the parent's workspace ID."),
  parent_transcript_path: z.string().optional().describe("SubagentStop: the parent's transcript."),
});
