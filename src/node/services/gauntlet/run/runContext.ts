import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { RejectedOutput } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { BaseCommits } from "@/node/services/gauntlet/run/execute/BaseCommits";
import type { RunReporter } from "@/node/services/gauntlet/run/RunReporter";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

/** The context of a run that holds the lock. */
export interface GauntletRunContext {
  readonly options: RunOptions;
  readonly config: GauntletConfig;
  readonly context: GitContext;
  /** Absolute. */
  readonly logDir: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  readonly signal: AbortSignal | undefined;
  readonly reporter: RunReporter;
  /** When the time limit of the run ends, on the clock of `performance.now()`. */
  readonly until?: number;
}

/** The plan of a run whose gates are about to run. */
export interface Plan {
  readonly run: number;
  readonly snapshot: string;
  /** Digest of the snapshot and of all else that selects the jobs (G38). */
  readonly tree: string;
  /** Digest of what decides which programs the checks start (G7a). */
  readonly environment: string;
  readonly jobs: readonly Job[];
  /** By job, the part of the change that it covers. */
  readonly scopes: ReadonlyMap<string, JobScope>;
  /** The commits for checks that compare with one. */
  readonly bases: BaseCommits;
  readonly log: RunLog;
  /** By job, the files that its fix changed before the gates. */
  readonly fixed: FixedFiles;
  readonly unfixed: UnfixedFiles;
  readonly failedFixes: readonly FailedFix[];
  readonly before: Episode;
  /** By job, how often it did not end within the time of a stop (G27c). */
  readonly late: ExecutionState["late"];
  /** Report settings that match files that git tracks, so that their checks cannot run (G20c). */
  readonly rejected: readonly RejectedOutput[];
  /** Gates that do not run in this environment (`run_in_ci`, `run_locally`). */
  readonly skippedInThisEnv: readonly GateDefinition[];
  /** The shard that the run executes; an empty object if the run is not distributed. */
  readonly shard: Pick<RunResult, "shard">;
}

/** A fix that did not succeed, and the absolute path of its log. */
export interface FailedFix {
  readonly jobId: string;
  readonly why: string;
  readonly logPath: string | undefined;
}

/** By job, the files that its fix changed. */
export type FixedFiles = ReadonlyMap<string, readonly string[]>;

/** By job, the command that would fix the files that its fix did not get, because they are older than the user's turn. */
export type UnfixedFiles = ReadonlyMap<string, string>;

/** Why a run could not be done. */
export interface RunFailure {
  readonly message: string;
}
