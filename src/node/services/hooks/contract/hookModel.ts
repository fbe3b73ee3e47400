/** The port to the model that answers prompt handlers (H43). */
import type { Result } from "neverthrow";

export interface ModelQuestion {
  /** The whole question: the model has no tools and no other messages. */
  readonly prompt: string;
  /** As in the handler; absent: the model of the turn. */
  readonly model?: string | undefined;
  /** A JSON Schema of the answer, for a provider that can restrict the answer to it. */
  readonly answerSchema: object;
  /** Ends the answer when aborted. */
  readonly signal: AbortSignal;
}

/** The text of the answer, or the reason why there is none, for the user: as an object, or as neverthrow's result. */
export type HookAnswer =
  | Result<string, string>
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: string };

export interface HookModel {
  ask(question: ModelQuestion): Promise<HookAnswer>;
}
