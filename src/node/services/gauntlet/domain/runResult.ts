/** Defines the result of a run, which the hook, the commands and the reports share, and the events that a run emits. */
import type { GateResult, Job, SlotResult } from "@/node/services/gauntlet/domain/gate";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";

/** A violation that the agent will not fix, and the reason. */
export interface SkippedIssue {
  /** Position and text, on one line. */
  readonly issue: string;
  readonly reason: string;
}

/** An unresolved gate. */
export interface OpenGate {
  readonly jobId: string;
  readonly logPath?: string;
}

/** The result of a run (G2). */
export interface RunResult {
  readonly status: GauntletStatus;
  /** One line for the user (G25). */
  readonly message: string;
  readonly gatesRun: number;
  readonly gatesFailed: number;
  readonly gates: readonly GateResult[];
  /** Gates, by ID, and violations, by position and text, that were unresolved before this run and that it resolved. */
  readonly fixed: readonly string[];
  /** Violations that were marked as skipped. */
  readonly skipped: readonly SkippedIssue[];
  /** For the user: reasons why the run covered or did less than it could. */
  readonly warnings: readonly string[];
  /** Those of the warnings that are about something that weakens the gates (G25a). */
  readonly weakened?: readonly string[];
  /** Absolute, on the workspace's machine. */
  readonly consoleLogPath?: string;
  readonly errorMessage?: string;
  /** ISO 8601, with `interval_not_elapsed`. */
  readonly nextEligibleAt?: string;
  /** The reason why an approval verified less than everything; always shown to the user (G25a). */
  readonly caveat?: string;
  /** Files that changed again while the checks ran; shown to the user once per session (G20c). */
  readonly unstable?: readonly string[];
  /** Failed stops of the user's turn plus one; for a run by hand, failed runs since the last pass plus one (G19). */
  readonly attempt?: number;
  /** For a stop: the number of failed stops that a turn may have (G19). */
  readonly maxAttempts?: number;
  /** The configured maximum size of the reason for the agent, in tokens (G37). */
  readonly reasonBudget?: number;
  /** With `retry_limit_exceeded`: the unresolved gates by ID, with the absolute paths of their logs. */
  readonly openGates?: readonly OpenGate[];
  /** For a stop: a digest of all that selects its gates: snapshot, branch, HEAD, base and configuration (G38). */
  readonly tree?: string;
  /** For a stop: the IDs of its snapshot and of HEAD's tree in git. Absent if files changed while the gates ran. */
  readonly trees?: { readonly snapshot: string; readonly head?: string | undefined };
  /** Whether the last stop of the session failed in the same way on the same tree (G38). */
  readonly isRepeated?: boolean;
  /** The number of failed stops of the user's turn, if all of them had this `tree` and these failures; else 0 (G19). */
  readonly unchangedStops?: number;
  /** The shard, if the run is distributed. */
  readonly shard?: ResultShard;
}

/** A shard's description of itself, from which `merge` determines whether the shards belong together. */
export interface ResultShard {
  /** The shard's index from 0, and the number of shards. */
  readonly job: number;
  readonly jobTotal: number;
  /** The run that it belongs to; absent if the run ended before that was known. */
  readonly of?: RunIdentity;
}

/** The values that are the same in all shards of a run. */
export interface RunIdentity {
  /** The whole working tree, as the ID of a git tree. */
  readonly snapshot: string;
  /** The base of the comparison: a commit, or a description of the scope; absent if there is no commit. */
  readonly base?: string;
  /** Digest of the configuration. */
  readonly config: string;
  /** IDs of the jobs of all shards, in configured order. */
  readonly jobs: readonly string[];
}

/** An event of a run in progress. Reporters receive it, but cannot change the run. */
export type RunEvent =
  | { readonly type: "notice"; readonly level: "info" | "warning"; readonly text: string }
  | { readonly type: "plan"; readonly jobs: readonly Job[] }
  | { readonly type: "gate-start"; readonly job: Job; readonly logPath: string }
  /** A review consists of slots. Each has its own reviewer and result. */
  | {
      readonly type: "slot-start";
      readonly job: Job;
      readonly slot: Pick<SlotResult, "slot" | "reviewer">;
    }
  | { readonly type: "slot-end"; readonly job: Job; readonly slot: SlotResult }
  | { readonly type: "gate-end"; readonly result: GateResult }
  | { readonly type: "run-end"; readonly result: RunResult };

export type RunListener = (event: RunEvent) => void;
