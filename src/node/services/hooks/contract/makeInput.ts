/**
 * Makes the input of a hook: fills in its fields, converts it to the claude dialect, which is Claude Code's format, and
 * serializes it as a line of JSON (H9, H13). Also makes the fields about the model from what a host knows.
 */
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { definedOnly } from "@/common/definedOnly";

/** An input with every field that a hook can rely on. */
export type CompleteHookInput = StopHookInput &
  Required<Pick<StopHookInput, "last_assistant_message" | "background_tasks" | "session_crons">>;

/** Fills in the fields that a caller may omit. */
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

/** The model of a stop, as far as a host knows it. A value of another type counts as unknown. */
export interface ModelFacts {
  readonly model?: unknown;
  /** The host's own name of the level; `off` if the model does not think. */
  readonly thinkingLevel?: unknown;
  /** The used part of the context window, from 0 to 1. */
  readonly contextWindowUsed?: unknown;
}

/** Returns the input's fields about the model: one for each known fact. */
export function modelFields({
  model,
  thinkingLevel: level,
  contextWindowUsed: used,
}: ModelFacts): Pick<StopHookInput, "model" | "effort" | "context_usage"> {
  const isUsage = typeof used === "number" && used >= 0 && used <= 1;
  return definedOnly({
    model: isName(model) ? model : undefined,
    effort: isName(level) && level !== "off" ? { level } : undefined,
    context_usage: isUsage ? used : undefined,
  });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
