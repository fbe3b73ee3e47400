/** A program that reads a change and reports what is wrong with it (G12). */
import type { Command } from "@/node/runtime/HookRuntime";

export interface Reviewer {
  /** The name in configurations and file names. */
  readonly name: string;
  /** The program that has to be on PATH. Absent for a shell command, which counts as available. */
  readonly program?: string;
  /** The variables of this reviewer, in addition to the common ones; `NAME_*` matches all names with that prefix. */
  readonly passEnv: readonly string[];
  /** Returns the file that the call refers to. It is private, and removed after the answer. */
  fileFor?(prompt: string): PrivateFile;
  /** Returns the call, which needs no terminal and may change nothing. The prompt is never an argument. */
  call(request: ReviewerRequest): ReviewerCall;
  /** Extracts the model's text from the program's output. Returns output in another format verbatim. */
  unwrapOutput(stdout: string): string;
}

export interface PrivateFile {
  readonly name: string;
  readonly text: string;
}

export interface ReviewerRequest {
  readonly prompt: string;
  readonly model?: string;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** The path of the file of `fileFor`, absolute; empty if there is no such file. */
  readonly file: string;
}

export interface ReviewerCall {
  readonly command: Command;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns `--model=NAME` as one argument, so that a name cannot be parsed as an option. */
export function modelFlag({ model }: ReviewerRequest): readonly string[] {
  return model === undefined ? [] : [`--model=${model}`];
}
