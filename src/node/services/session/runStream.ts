/** Streams one message of the model, from its request to its end. */
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import type { AIService, StreamFailure, StreamRequest } from "@/node/services/session/aiService";
import type { MessagePart } from "@/node/services/session/chatMessage";
import { MessageDraft } from "@/node/services/session/messageDraft";
import type {
  AIServiceEvent,
  StreamEnding,
  StreamProgressEvent,
} from "@/node/services/session/streamEvents";

/** How long the service may take to confirm an abort. */
const STOP_LIMIT_MS = 2_000;

interface StreamResult {
  readonly ending: StreamEnding;
  /** The parts received, even if the message is incomplete. */
  readonly parts: readonly MessagePart[];
}

/**
 * Streams a message. Never rejects. After `signal` is aborted, ends when the service has stopped the stream or failed
 * to stop it, or after {@link STOP_LIMIT_MS}.
 */
export async function runStream(
  service: AIService,
  request: StreamRequest,
  signal: AbortSignal,
  onProgress: (event: StreamProgressEvent) => void
): Promise<StreamResult> {
  const { workspaceId, messageId } = request;
  const draft = new MessageDraft();
  let end: (ending: StreamEnding) => void = () => undefined;
  const ended = new Promise<StreamEnding>((resolve) => {
    end = resolve;
  });
  const aborted = (): void => {
    end({ type: "stream-abort", workspaceId, messageId, abortReason: "user" });
  };
  const failed = (failure: StreamFailure): void => {
    end({ type: "error", workspaceId, messageId, ...failure });
  };
  const stop = (): void => {
    const stopped = service.stopStream(workspaceId);
    void pTimeout(stopped, { milliseconds: STOP_LIMIT_MS }).then(aborted, aborted);
  };

  const unsubscribe = service.onEvent((event) => {
    if (event.messageId !== messageId) return;
    if (isEnding(event)) end(event);
    else {
      draft.apply(event);
      onProgress(event);
    }
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) aborted();
    else {
      service.streamMessage(request, { abortSignal: signal }).then(
        (started) => {
          if (started.isErr()) failed(started.error);
        },
        (thrown: unknown) => {
          failed({ error: describeError(thrown), errorType: "unknown" });
        }
      );
    }
    const ending = await ended;
    return { ending, parts: ending.type === "stream-end" ? ending.parts : draft.parts };
  } finally {
    signal.removeEventListener("abort", stop);
    unsubscribe();
  }
}

function isEnding(event: AIServiceEvent): event is StreamEnding {
  return event.type === "stream-end" || event.type === "stream-abort" || event.type === "error";
}
