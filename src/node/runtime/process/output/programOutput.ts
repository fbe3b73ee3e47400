import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type { ExecResult } from "@/node/runtime/HookRuntime";

/** Where that which a program prints goes: to memory, or to a file. */
export interface ProgramOutput {
  listen(group: ProcessGroup): void;
  /**
   * The program has exited, or is about to be ended by us.
   *
   * @returns whether what is still to come is wanted
   */
  programEnds(how: "exited" | "stopped"): boolean;
  /** What the result tells of it, once how the program ended is known. Nothing is taken any more. */
  close(
    ended: Pick<ExecResult, "end" | "durationMs">
  ): Promise<Pick<ExecResult, "stdout" | "stderr" | "logFailure">>;
}
