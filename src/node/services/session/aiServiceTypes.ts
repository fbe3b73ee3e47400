/**
 * The interface to a model, `AIService`: its requests with their tools, and the events of its streams, which have Mux's
 * names and fields.
 */
import type { Result } from "neverthrow";
import type { ChatMessage, MessagePart, TurnOptions } from "@/common/chatMessage";

export interface ToolContext {
  readonly toolCallId: string;
  /** Aborted when the turn is interrupted. */
  readonly abortSignal: AbortSignal;
  /** The model for a sub-agent of this call; the default is the session's own. */
  readonly subagentService?: AIService;
}

export interface Tool {
  readonly name: string;
  /** Returns the output for the agent. A failure is an output as well; a throw is a bug. */
  execute(input: unknown, context: ToolContext): Promise<unknown>;
}

export type ToolSet = ReadonlyMap<string, Tool>;

export interface StreamRequest {
  /** The session's ID. Each question of a prompt handler has a new ID, which the service does not know yet (H43). */
  readonly workspaceId: string;
  /** The ID of the new message; every event has this and `workspaceId`. */
  readonly messageId: string;
  readonly historySequence: number;
  readonly model: string;
  readonly options: TurnOptions;
  /** The conversation, ending with the row to be answered. */
  readonly messages: readonly ChatMessage[];
  readonly tools: ToolSet;
  /** The JSON Schema of the answer to a prompt handler, for a provider that can restrict the answer to it. */
  readonly answerSchema?: object;
}

export interface StreamFailure {
  readonly error: string;
  readonly errorType: StreamErrorType;
}

/** A model that streams one answer per workspace at a time. */
export interface AIService {
  /**
   * Starts a stream, and resolves once it has started. After a failure, it emits no events. The signal ends the stream
   * as `stopStream` does.
   */
  streamMessage(
    request: StreamRequest,
    options: { readonly abortSignal: AbortSignal }
  ): Promise<Result<void, StreamFailure>>;
  /** Resolves when the workspace's stream has ended, at once if there is none. */
  stopStream(workspaceId: string): Promise<void>;
  /** Subscribes to the events of all its workspaces. Returns a function that unsubscribes. */
  onEvent(listener: (event: AIServiceEvent) => void): () => void;
}

/** The fields of all events of a stream. The events have Mux's names and fields. */
interface StreamEventBase {
  readonly workspaceId: string;
  readonly messageId: string;
}

export interface StreamStartEvent extends StreamEventBase {
  readonly type: "stream-start";
  readonly model: string;
  readonly historySequence: number;
}

export interface StreamDeltaEvent extends StreamEventBase {
  readonly type: "stream-delta";
  readonly delta: string;
  /** Milliseconds since 1970, in this event and the next ones. */
  readonly timestamp: number;
}

export interface ToolCallStartEvent extends StreamEventBase {
  readonly type: "tool-call-start";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly timestamp: number;
}

export interface ToolCallEndEvent extends StreamEventBase {
  readonly type: "tool-call-end";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly timestamp: number;
}

export interface StreamEndEvent extends StreamEventBase {
  readonly type: "stream-end";
  readonly metadata: {
    readonly model: string;
    readonly historySequence: number;
    /** The default is `stop`. */
    readonly finishReason?: string;
    /** The used part of the model's context window, from 0 to 1, if the service knows it. */
    readonly contextWindowUsed?: number;
  };
  readonly parts: readonly MessagePart[];
}

export interface StreamAbortEvent extends StreamEventBase {
  readonly type: "stream-abort";
  readonly abortReason: "user" | "system";
}

export type StreamErrorType =
  | "authentication"
  | "rate_limit"
  | "server_error"
  | "api"
  | "network"
  | "context_exceeded"
  | "quota"
  | "model_not_found"
  | "unknown";

/** The failure of a stream, from the service to the session. The chat gets a `StreamErrorEvent` instead. */
export interface ErrorEvent extends StreamEventBase {
  readonly type: "error";
  readonly error: string;
  readonly errorType: StreamErrorType;
}

export type StreamProgressEvent =
  | StreamStartEvent
  | StreamDeltaEvent
  | ToolCallStartEvent
  | ToolCallEndEvent;
/** Each stream ends with exactly one of these. */
export type StreamEnding = StreamEndEvent | StreamAbortEvent | ErrorEvent;
export type AIServiceEvent = StreamProgressEvent | StreamEnding;
