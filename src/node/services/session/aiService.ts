/**
 * The port to a model. It answers one message at a time, reports its progress as events, and acts through the tools
 * that it is given.
 */
import type { Result } from "neverthrow";
import type { ChatMessage } from "@/node/services/session/chatMessage";
import type { TurnOptions } from "@/node/services/session/chatMessage";
import type { AIServiceEvent, StreamErrorType } from "@/node/services/session/streamEvents";

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
  /** Unknown to the service if a prompt handler asks: each question has an ID of its own (H43). */
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
