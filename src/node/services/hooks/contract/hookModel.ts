/** The port to the model that answers prompt handlers (H43). */
import type { Result } from "neverthrow";

export interface ModelQuestion {
  /** The whole question: the model has no tools and no other messages. */
  readonly prompt: string;
  /** As in the handler; absent: the model of the turn. */
  readonly model?: string;
  /** Ends the answer when aborted. */
  readonly signal: AbortSignal;
}

export interface HookModel {
  /** Resolves with the text of the answer. An error is a message for the user. */
  ask(question: ModelQuestion): Promise<Result<string, string>>;
}
