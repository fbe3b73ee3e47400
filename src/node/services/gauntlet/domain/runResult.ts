import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { ResultShard } from "@/node/services/gauntlet/domain/resultShard";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

/** A violation that the agent will not mend, and why. */
export interface SkippedIssue {
  /** Place and text, on one line. */
  readonly issue: string;
  readonly reason: string;
}

export interface OpenGate {
  readonly jobId: string;
  readonly logPath?: string;
}

/** What a run comes to (G2). */
export interface RunResult {
  readonly status: GauntletStatus;
  /** One line for a person (G25). */
  readonly message: string;
  readonly gatesRun: number;
  readonly gatesFailed: number;
  readonly gates: readonly GateResult[];
  /** Open before this run, and settled by it: gates by their ID, violations by place and text. */
  readonly fixed: readonly string[];
  /** Violations that were marked as skipped. */
  readonly skipped: readonly SkippedIssue[];
  /** For the person: what makes the run see or do less than it might. */
  readonly warnings: readonly string[];
  /** Absolute, where the workspace lives. */
  readonly consoleLogPath?: string;
  readonly errorMessage?: string;
  /** ISO 8601, with `interval_not_elapsed`. */
  readonly nextEligibleAt?: string;
  /** Why an approval verified less than everything; always shown to the person (G25a). */
  readonly caveat?: string;
  /** Files that changed again while the checks ran, for the person once a session (G20c). */
  readonly unstable?: readonly string[];
  /** Which run of the episode this was; for a stop, which one of the user's turn, and how many may fail (G19). */
  readonly attempt?: number;
  readonly maxAttempts?: number;
  /** With `retry_limit_exceeded`: gates that are open, by ID, with the absolute path of the log that says why. */
  readonly openGates?: readonly OpenGate[];
  /** Which part of a run that is shared out this is. */
  readonly shard?: ResultShard;
}
