/**
 * Streams one answer of a model and assembles its content, also if it is interrupted, and derives the outcome of the
 * turn. Also has `Listeners`, which emits events to subscribers.
 */
import pTimeout from "p-timeout";
import { finalText, type MessagePart, reportOf } from "@/common/chatMessage";
import { deferred } from "@/common/abortable";
import { describeError } from "@/common/errors";
import type { TurnFinish } from "@/node/services/hooks/index";
import type * as aiService from "@/node/services/session/aiServiceTypes";

/** How long the service may take to confirm an abort. */
const STOP_LIMIT_MS = 2_000;

interface StreamResult {
  readonly ending: aiService.StreamEnding;
  /** The parts received, even if the message is incomplete. */
  readonly parts: readonly MessagePart[];
}

/**
 * Streams a message. Never rejects. After `signal` is aborted, ends when the service has stopped the stream or failed
 * to stop it, or after {@link STOP_LIMIT_MS}.
 */
export async function streamAnswer(
  service: aiService.AIService,
  request: aiService.StreamRequest,
  signal: AbortSignal,
  onProgress: (event: aiService.StreamProgressEvent) => void
): Promise<StreamResult> {
  const { workspaceId, messageId } = request;
  const draft = new MessageDraft();
  const { promise: ended, resolve: end } = deferred<aiService.StreamEnding>();
  const aborted = (): void => {
    end({ type: "stream-abort", workspaceId, messageId, abortReason: "user" });
  };
  const failed = (failure: aiService.StreamFailure): void => {
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

function isEnding(event: aiService.AIServiceEvent): event is aiService.StreamEnding {
  return event.type === "stream-end" || event.type === "stream-abort" || event.type === "error";
}

/** An incomplete message, assembled from the events of its stream. */
export class MessageDraft {
  #parts: MessagePart[] = [];

  get parts(): readonly MessagePart[] {
    return this.#parts;
  }

  apply(event: aiService.StreamProgressEvent): void {
    switch (event.type) {
      case "stream-start":
        return;
      case "stream-delta":
        this.#parts.push({ type: "text", text: event.delta });
        return;
      case "tool-call-start":
        this.#parts.push({
          type: "dynamic-tool",
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          input: event.args,
          state: "input-available",
        });
        return;
      case "tool-call-end":
        this.#parts = this.#parts.map((part) =>
          part.type === "dynamic-tool" && part.toolCallId === event.toolCallId
            ? { ...part, state: "output-available", output: event.result }
            : part
        );
    }
  }
}

/** The outcome of a session's last turn. */
export interface TurnOutcome {
  readonly finish: TurnFinish;
  /** The agent's final text. */
  readonly text: string;
  /** The report that a sub-agent returns to its parent: the one it wrote with the tool, otherwise its final text. */
  readonly report: string;
  /** Set if `finish` is `error`. */
  readonly error?: string;
}

/** Tools after which the agent waits for the user. */
const WAITS_FOR_USER = new Set(["ask_user_question", "propose_plan"]);

/** Returns how a turn ended: `stop` only for an agent that is done (H28), and `error` for an unknown reason. */
export function turnFinish({ metadata, parts }: aiService.StreamEndEvent): TurnFinish {
  const last = parts.at(-1);
  if (last?.type === "dynamic-tool" && WAITS_FOR_USER.has(last.toolName)) return "question";
  if (parts.some((part) => part.type !== "text" && part.state !== "output-available")) {
    return "toolCalls";
  }
  switch (metadata.finishReason) {
    case undefined:
    case "stop":
      return "stop";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "tool-calls":
      return "toolCalls";
    default:
      return "error";
  }
}

/** Returns the outcome of a turn from the parts of its last answer. */
export function outcomeOf(
  finish: TurnFinish,
  parts: readonly MessagePart[],
  error?: string
): TurnOutcome {
  return { finish, text: finalText(parts), report: reportOf(parts), error };
}

/** Listeners that cannot affect each other or the emitter. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Returns a function that removes the listener. A listener that is added twice is called twice. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event): void => {
      listener(event);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  emit(event: Event): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // A failed listener is ignored: the event has happened anyway.
      }
    }
  }
}
