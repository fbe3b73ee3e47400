/**
 * The port to a model. It answers one message at a time, tells of its progress by events, and does what it does by
 * the tools that it is handed.
 */
import type { Result } from "neverthrow";
import type { ChatMessage } from "@/node/services/session/chatMessage";
import type { TurnOptions } from "@/node/services/session/sendOptions";
import type { AIServiceEvent, StreamErrorType } from "@/node/services/session/streamEvents";

export interface ToolContext {
  readonly toolCallId: string;
  /** Aborted when the turn is interrupted. */
  readonly abortSignal: AbortSignal;
  /** The model that answers a sub-agent of this call; absent, the session's own. */
  readonly subagentService?: AIService;
}

export interface Tool {
  readonly name: string;
  /** Answers with what the agent is told. A failure is such an answer; a throw is a bug. */
  execute(input: unknown, context: ToolContext): Promise<unknown>;
}

export type ToolSet = ReadonlyMap<string, Tool>;

export interface StreamRequest {
  readonly workspaceId: string;
  /** Of the message that is to be made; every event carries both. */
  readonly messageId: string;
  readonly historySequence: number;
  readonly model: string;
  readonly options: TurnOptions;
  /** The conversation, ending with the row to be answered. */
  readonly messages: readonly ChatMessage[];
  readonly tools: ToolSet;
}

export interface StreamFailure {
  readonly error: string;
  readonly errorType: StreamErrorType;
}

export interface AIService {
  /**
   * Begins a stream and resolves once it is under way; a failure means that no event of it will come.
   * The signal ends it as `stopStream` does.
   */
  streamMessage(
    request: StreamRequest,
    options: { readonly abortSignal: AbortSignal }
  ): Promise<Result<void, StreamFailure>>;
  /** Resolves when the workspace's stream is over, at once where none runs. */
  stopStream(workspaceId: string): Promise<void>;
  /** Tells of every workspace it serves. Answers with the way to end it. */
  onEvent(listener: (event: AIServiceEvent) => void): () => void;
}
