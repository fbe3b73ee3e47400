/** The stream events of a model's service, with Mux's names and fields. */
import type { MessagePart } from "@/node/services/session/chatMessage";

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
