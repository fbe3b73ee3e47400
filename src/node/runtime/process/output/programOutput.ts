import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type { ExecResult } from "@/node/runtime/HookRuntime";

/** The destination of a program's output: memory or a file. */
export interface ProgramOutput {
  listen(group: ProcessGroup): void;
  /**
   * Notifies that the program has exited, or is about to be ended.
   *
   * @returns whether the remaining output is wanted
   */
  programEnds(how: "exited" | "stopped"): boolean;
  /** Closes the output once the program's end is known, and returns its part of the result. */
  close(
    ended: Pick<ExecResult, "end" | "durationMs">
  ): Promise<Pick<ExecResult, "stdout" | "stderr" | "logFailure">>;
}
