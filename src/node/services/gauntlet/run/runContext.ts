/**
 * Defines what the phases of a run need and hand on: `RunEnv` and the context of a run; the {@link Plan} that `plan/`
 * makes and `execute/` executes; and the {@link EndedRun} that `record/` records. Also has `RunReporter`, which emits
 * the events of a run to its listener and collects its notices.
 */
import type { Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { RejectedOutput } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import type { RunEvent, RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { FailedFix } from "@/node/services/gauntlet/messages/autoFixes";
import type { UnresolvedSplit } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import type { JobScope, Selection } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState, FailureState } from "@/node/services/gauntlet/state/executionState";

/** The machine and the caller of a run. */
export interface RunEnv {
  readonly runtime: HookRuntime;
  /** Absolute: the folder that contains `.gauntlet/`. */
  readonly projectDir: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  /** Aborted by the caller, or by the time limit of the run. */
  readonly signal: AbortSignal | undefined;
  /** When the time limit of the run ends, on the clock of `performance.now()`. */
  readonly until: number;
}

/** The context of a run that holds the lock. */
export interface GauntletRunContext extends RunEnv {
  readonly options: RunOptions;
  readonly config: GauntletConfig;
  readonly context: GitContext;
  /** Absolute. */
  readonly logDir: string;
  readonly reporter: RunReporter;
}

/** The gates of a run, its tree, and the comparison. */
export interface Plan {
  readonly kind: "plan";
  readonly given: GauntletRunContext;
  /** The state that the run continues, and its episode. */
  readonly state: ExecutionState;
  readonly before: Episode;
  readonly run: number;
  readonly snapshot: string;
  /** Digest of the snapshot and of all else that selects the jobs (G38). */
  readonly tree: string;
  /** Digest of what decides which programs the checks start (G7a). */
  readonly environment: string;
  readonly jobs: readonly Job[];
  /** By job, the part of the change that it covers. */
  readonly scopes: ReadonlyMap<string, JobScope>;
  readonly fixes: FixedTree;
  /** Report settings that match files that git tracks, so that their checks cannot run (G20c). */
  readonly rejected: readonly RejectedOutput[];
  /** Unresolved gates without a job. */
  readonly gone: UnresolvedSplit;
  /** The shard that the run executes; an empty object if the run is not distributed. */
  readonly shard: Pick<RunResult, "shard">;
  /** Selects the jobs for another tree, without unresolved gates. */
  readonly select: (snapshot: string) => Promise<Result<Selection, RunFailure>>;
}

/** The tree after the fixes. */
export interface FixedTree {
  readonly snapshot: string;
  /** By job, the files that its fix changed. */
  readonly fixed: ReadonlyMap<string, readonly string[]>;
  /** By job, the command that fixes the files that its fix did not get, because they are older than the user's turn. */
  readonly unfixed: ReadonlyMap<string, string>;
  readonly failed: readonly FailedFix[];
}

/** The end of a run, on which the state for the next one depends. */
export interface EndedRun {
  readonly after: Episode;
  readonly result: RunResult;
  /** Absent if the run ended before it took a snapshot. */
  readonly snapshot?: string;
  /** The tree that the reviews looked at, if files changed after that (G20c). */
  readonly reviewSnapshot?: string;
  /** Whether files changed so often that the pass applies to no tree (G20c). */
  readonly isUnstable?: boolean;
  /** The jobs that were run. */
  readonly jobs?: readonly Job[];
  /** As in {@link Plan}. Absent if no gate ran. */
  readonly environment?: string;
  readonly scopes?: Plan["scopes"];
  /** Commits that the commands of this run were given (G33). */
  readonly baseCommits?: readonly string[];
  /** Absent if no gate ran: as before the run. */
  readonly reviews?: Pick<ExecutionState, "reviews" | "cooldown">;
  /** By job, what its new failures leave for the next run (G45). */
  readonly open?: ReadonlyMap<string, Pick<FailureState, "fresh" | "ran" | "skipped" | "once">>;
  /** Warnings of a run by hand that the next stop repeats (G48). */
  readonly untold?: readonly string[];
  /** The outputs that are known after the checks ran. Absent: as before the run (G20c). */
  readonly found?: Pick<ExecutionState, "outputs" | "reports" | "written">;
}

/** Why a run could not be done. */
export interface RunFailure {
  readonly message: string;
}

/** Emits a run's events to its listener at once, and collects its notices for the log and the result. */
export class RunReporter {
  readonly notices: (RunEvent & { readonly type: "notice" })[] = [];
  /** The warnings about something that weakens the gates (G25a). */
  readonly weakened: string[] = [];

  constructor(private readonly options: Pick<RunOptions, "silent" | "listener">) {}

  get warnings(): string[] {
    return this.notices.filter(({ level }) => level === "warning").map(({ text }) => text);
  }

  report(level: "info" | "warning", text: string): void {
    const event = { type: "notice", level, text } as const;
    this.notices.push(event);
    this.emit(event);
  }

  warn(...texts: readonly string[]): void {
    for (const text of texts) this.report("warning", text);
  }

  weaken(...texts: readonly string[]): void {
    this.weakened.push(...texts);
    this.warn(...texts);
  }

  /** Emits an event. A listener that throws does not change the result. */
  emit(event: RunEvent): void {
    const { silent, listener } = this.options;
    if (silent === true) return;
    try {
      listener?.(event);
    } catch {
      // Only the display of the run has failed, not the run.
    }
  }
}
