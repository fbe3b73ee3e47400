/** Gates as a configuration defines them, jobs as a run makes them, and what becomes of each. */

/** `file:line:column` of a definition. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface GateCommon {
  readonly name: string;
  readonly runInCi: boolean;
  readonly runLocally: boolean;
  readonly source: SourcePosition;
}

/** A shell command that passes on exit 0 (G4, G11). */
export interface CheckDefinition extends GateCommon {
  readonly kind: "check";
  readonly command: string;
  /** Used instead of `command` from the second run of an episode on. */
  readonly rerunCommand?: string;
  /** Relative to the project root; the entry point's folder where absent. */
  readonly workingDirectory?: string;
  readonly parallel: boolean;
  readonly timeoutS: number;
  /** Sequential checks only: its failure keeps what has not started from starting. */
  readonly failFast: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Globs of what the check reads, for the cache (G21). */
  readonly inputs?: readonly string[];
}

/** A reviewer that reads a diff (G4, G12). */
export interface ReviewDefinition extends GateCommon {
  readonly kind: "review";
  readonly prompt: { readonly text: string } | { readonly builtin: string };
  readonly cliPreference?: readonly string[];
  readonly numReviews: number;
  readonly parallel: boolean;
  readonly timeoutS: number;
  readonly model?: string;
  readonly enabled: boolean;
}

export type GateDefinition = CheckDefinition | ReviewDefinition;

export interface EntryPoint {
  /** As written: `.`, a folder, `packages/*`. */
  readonly path: string;
  readonly exclude: readonly string[];
  /** In configured order, checks before reviews. */
  readonly gates: readonly GateDefinition[];
}

/** One gate at one folder: once each (G10). */
export interface Job {
  /** `check:src:lint`. */
  readonly id: string;
  /** The folder, relative to the project root: `.`, `src`, `packages/a`. */
  readonly entryPoint: string;
  readonly gate: GateDefinition;
  /** `<entry point>_<gate>`, safe and unique as part of a file name (G15a). */
  readonly logName: string;
}

/** `error`: the gate could not do its work. `skipped`: never started (fail_fast). */
export type GateOutcome = "passed" | "failed" | "error" | "skipped" | "cancelled";

/** One reviewer's part of a review (G14). `prior_pass`: it passed before, and another slot of its gate was asked. */
export interface SlotResult {
  /** From 1. */
  readonly slot: number;
  readonly reviewer: string;
  readonly outcome: "passed" | "failed" | "error" | "cancelled" | "prior_pass";
  readonly durationMs: number;
  readonly message?: string;
  /** Files that the reviewer did not see whole, for their size (G12a). */
  readonly cut?: readonly string[];
  /** Absolute, where the workspace lives; so is the next. */
  readonly logPath?: string;
  /** Where the agent says what it did about each violation. */
  readonly jsonPath?: string;
}

export interface GateResult {
  readonly jobId: string;
  readonly kind: GateDefinition["kind"];
  readonly gate: string;
  readonly entryPoint: string;
  readonly outcome: GateOutcome;
  readonly durationMs: number;
  /** Absolute, where the workspace lives. */
  readonly logPath?: string;
  /** Of a check: the command line that ran, and the absolute folder that it ran in. */
  readonly command?: string;
  readonly folder?: string;
  /** Why it is no pass: `Exited with code 3`. */
  readonly message?: string;
  /** ISO 8601: it was not run, for nothing it reads changed since it passed then (G21). */
  readonly cachedSince?: string;
  /** Of a review, in the order of their numbers. */
  readonly slots?: readonly SlotResult[];
  /** It was ended, or not started, by the time limit of the run (G27c). */
  readonly overLimit?: boolean;
  /** It could not be asked for a reason that no agent can mend: no reviewer, a connection that was lost (G13). */
  readonly unreachable?: boolean;
}

/** A gate that says the work is not done, or could not say anything. */
export function isFailure({ outcome }: Pick<GateResult, "outcome">): boolean {
  return outcome === "failed" || outcome === "error";
}
