/** What a host and its spawner say to each other: plain data, and of each program no more than its input and one result. */
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { Program } from "@/node/runtime/process/spawnGroup";
import type { ExecResult, LogTarget } from "@/node/runtime/HookRuntime";

export interface RunRequest {
  readonly kind: "run";
  /** Tells what is said of this program from what is said of others. */
  readonly id: number;
  readonly program: Program;
  readonly limits: Pick<RunLimits, "timeoutMs" | "keepBytes">;
  readonly log?: Omit<LogTarget, "footer"> & { readonly hasFooter: boolean };
  /** Whether it was cancelled before it was asked for. */
  readonly isCancelled: boolean;
}

export type ToSpawner =
  | RunRequest
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "footer"; readonly id: number; readonly text: string };

export type FromSpawner =
  | { readonly kind: "ready" }
  /** `leader` is the number of the process group. */
  | { readonly kind: "started"; readonly id: number; readonly leader: number }
  /** Answered with the footer of its log. */
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly ended: Pick<ExecResult, "end" | "durationMs">;
    }
  | { readonly kind: "result"; readonly id: number; readonly result: ExecResult };

/** The thread between them passes on what it is given, but for this. */
export type ToThread = ToSpawner | { readonly kind: "kill" };
export type FromThread = FromSpawner | { readonly kind: "lost"; readonly reason: string };
