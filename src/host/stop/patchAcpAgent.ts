/**
 * Patches the ACP agent of Mux (`mux acp`) so that it responds to an editor's prompt only when the hooks allow the stop
 * (H28). `markContinued` marks the `stream-end` of a turn that continues, because the ACP agent may be another process,
 * which gets this event.
 */
import { isJsonObject } from "@/common/json";
import type { HostStreamEnd } from "@/host/muxTypes";
import { wrapMethod } from "@/host/loading/muxMembers";

const MARK = "mux-stop-hooks";

/** The host's record of a prompt without a response. */
interface Completion {
  readonly promptCorrelationId?: string;
  /** The message that is streamed; absent until the stream has started. */
  messageId?: string | undefined;
}

export interface EditorAgent {
  readonly turnCompletions?: Map<string, Completion>;
  handleStreamEvent(sessionId: string, event: unknown): void;
  /** Restarts the timer that rejects the prompt if no stream starts within 30 s. */
  resetTurnInactivityTimeout?(sessionId: string): void;
}

/** Marks a `stream-end` that responds to an editor. All hosts accept additional keys in `providerMetadata`. */
export function markContinued(end: HostStreamEnd): HostStreamEnd {
  if (end.acpPromptId === undefined) return end;
  const providerMetadata = { ...end.metadata?.providerMetadata, [MARK]: { continues: true } };
  return { ...end, metadata: { ...end.metadata, providerMetadata } };
}

/** Patches the ACP agent so that a continuation belongs to the same prompt. */
export function attachEditor({ prototype }: { prototype: EditorAgent }): void {
  wrapMethod(prototype, "handleStreamEvent", (agent, handle, sessionId, event) => {
    const completion = agent.turnCompletions?.get(sessionId);
    if (completion === undefined || !isContinued(event, completion)) {
      handle(sessionId, event);
      return;
    }
    completion.messageId = undefined;
    agent.resetTurnInactivityTimeout?.(sessionId);
  });
}

function isContinued(event: unknown, { messageId, promptCorrelationId }: Completion): boolean {
  if (!isJsonObject(event) || event.type !== "stream-end" || !isJsonObject(event.metadata)) {
    return false;
  }
  const { providerMetadata } = event.metadata;
  if (!isJsonObject(providerMetadata) || providerMetadata[MARK] === undefined) return false;
  return messageId === undefined
    ? event.acpPromptId === promptCorrelationId
    : event.messageId === messageId;
}
