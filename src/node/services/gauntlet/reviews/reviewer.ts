/** A program that reads a change and says what is wrong with it (G12). */
import type { Command } from "@/node/runtime/HookRuntime";

export interface Reviewer {
  /** As configurations and files name it. */
  readonly name: string;
  /** What has to be on PATH; absent: a shell command, which is taken to be there. */
  readonly program?: string;
  /** The variables that are its own, beside those that every reviewer gets; `NAME_*` stands for all that begin so. */
  readonly passEnv: readonly string[];
  /** A file that its call names, for nobody else to read, and gone when it has answered. */
  fileFor?(prompt: string): PrivateFile;
  /** How it is called without a terminal and without leave to change anything. The prompt is never an argument. */
  call(request: ReviewerRequest): ReviewerCall;
  /** What the model said, out of the shape that the program prints; word for word where it has no such shape. */
  unwrapOutput(stdout: string): string;
}

export interface PrivateFile {
  readonly name: string;
  readonly text: string;
}

export interface ReviewerRequest {
  readonly prompt: string;
  readonly model?: string;
  /** Absolute: where it runs. */
  readonly cwd: string;
  /** Absolute: where the file of `fileFor` lies; empty where it wants none. */
  readonly file: string;
}

export interface ReviewerCall {
  readonly command: Command;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `--model=NAME` in one piece, so that no name is taken for an option. */
export function modelFlag({ model }: ReviewerRequest): readonly string[] {
  return model === undefined ? [] : [`--model=${model}`];
}
