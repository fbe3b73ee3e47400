/** The messages between a host and its spawner: plain data. */
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { Program } from "@/node/runtime/process/startChild";
import type { ExecResult, LogTarget } from "@/node/runtime/HookRuntime";

export interface RunRequest {
  readonly kind: "run";
  /** Identifies the program in later messages. */
  readonly id: number;
  readonly program: Program;
  readonly limits: Pick<RunLimits, "timeoutMs" | "keepBytes">;
  readonly log?: Omit<LogTarget, "footer"> & { readonly hasFooter: boolean };
  /** Whether the host shows the output while the program runs. */
  readonly isShown: boolean;
  /** Whether it was cancelled before it was requested. */
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
  | {
      readonly kind: "output";
      readonly id: number;
      readonly text: string;
      readonly isError: boolean;
    }
  /** The host replies with the footer of the program's log. */
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly ended: Pick<ExecResult, "end" | "durationMs">;
    }
  | { readonly kind: "result"; readonly id: number; readonly result: ExecResult };

/** The thread between host and spawner forwards all messages, handles `kill` itself, and adds `lost`. */
export type ToThread = ToSpawner | { readonly kind: "kill" };
export type FromThread = FromSpawner | { readonly kind: "lost"; readonly reason: string };
