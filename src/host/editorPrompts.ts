/**
 * `mux acp`: an editor asks by `prompt`, which the host answers at the end of the first turn. Here it is answered when
 * the hooks agree (H28). The end of a turn that goes on carries a mark, for the one who answers may be a process of its
 * own, a client of the host's server.
 */
import { isJsonObject } from "@/common/json";
import type { HostStreamEnd } from "@/host/hostTypes";
import { wrapMethod } from "@/host/wrapMethod";

const MARK = "mux-stop-hooks";

/** What the host keeps of a prompt that has no answer yet. */
interface Completion {
  readonly promptCorrelationId?: string;
  /** Of the answer that is streamed; absent until it has begun. */
  messageId?: string | undefined;
}

export interface EditorAgent {
  readonly turnCompletions?: Map<string, Completion>;
  handleStreamEvent(sessionId: string, event: unknown): void;
  /** Waits 30 s for an answer to begin, and rejects the prompt then. */
  resetTurnInactivityTimeout?(sessionId: string): void;
}

/** Marks the end of a stream that answers an editor. The field takes any key in all hosts, and is not kept. */
export function markContinued(end: HostStreamEnd): HostStreamEnd {
  if (end.acpPromptId === undefined) return end;
  const providerMetadata = { ...end.metadata?.providerMetadata, [MARK]: { continues: true } };
  return { ...end, metadata: { ...end.metadata, providerMetadata } };
}

/** The continuation answers the same prompt. */
export function attachEditor({ prototype }: { prototype: EditorAgent }): void {
  wrapMethod(prototype, "handleStreamEvent", (handle) => {
    return function (this: EditorAgent, sessionId, event) {
      const completion = this.turnCompletions?.get(sessionId);
      if (completion === undefined || !isContinued(event, completion)) {
        handle.call(this, sessionId, event);
        return;
      }
      completion.messageId = undefined;
      this.resetTurnInactivityTimeout?.(sessionId);
    };
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
