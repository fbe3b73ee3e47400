/** The line of JSON that a hook reads, in the format of its dialect (H9, H13). */
import type { StopHookInput } from "@/node/services/hooks/contract/types";

/** An input with every field that a hook can rely on. */
export type CompleteHookInput = StopHookInput &
  Required<Pick<StopHookInput, "last_assistant_message" | "background_tasks" | "session_crons">>;

export function completeInput(input: StopHookInput): CompleteHookInput {
  return {
    ...input,
    last_assistant_message: input.last_assistant_message ?? "",
    background_tasks: input.background_tasks ?? [],
    session_crons: input.session_crons ?? [],
  };
}

/** Paths of the transcripts in Claude's format. */
export interface ClaudeTranscripts {
  readonly own: string;
  readonly parent?: string;
}

/**
 * Converts an input to the claude dialect. On SubagentStop it names the parent's session and transcript, and the
 * child's transcript in a field of its own.
 */
export function claudeInput(
  input: CompleteHookInput,
  transcripts: ClaudeTranscripts
): CompleteHookInput {
  if (input.hook_event_name === "Stop") return { ...input, transcript_path: transcripts.own };
  return {
    ...input,
    session_id: input.parent_session_id ?? input.session_id,
    transcript_path: transcripts.parent ?? transcripts.own,
    agent_transcript_path: transcripts.own,
  };
}

/** Returns the input as one line of JSON. Lone surrogates are escaped, so the line is always valid UTF-8. */
export function serializeInput(input: CompleteHookInput): string {
  return `${JSON.stringify(input)}\n`;
}
