/** Computes a run's state for the next run (G7a, G16, G20a). */
import { gateTexts } from "@/node/services/gauntlet/domain/changedGates";
import { isNoPass, type Episode } from "@/node/services/gauntlet/domain/episode";
import type { GateDefinition, GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { getsBase, getsFiles, readsHistory } from "@/node/services/gauntlet/domain/checkFiles";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import {
  comparesOtherwise,
  isDefaultRun,
  isFullRun,
} from "@/node/services/gauntlet/run/runOptions";
import { definitionOf } from "@/node/services/gauntlet/domain/plan";
import { lateAfter } from "@/node/services/gauntlet/run/execute/timeLimit";
import type { OpenFailures } from "@/node/services/gauntlet/run/known/KnownFailures";
import type { ReviewRuns } from "@/node/services/gauntlet/run/execute/ReviewRuns";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { TurnStamp } from "@/node/services/gauntlet/turn/StopSession";
import type { Baseline, ExecutionState } from "@/node/services/gauntlet/state/executionState";

export interface EndedRun {
  readonly after: Episode;
  readonly result: RunResult;
  readonly snapshot?: string | undefined;
  /** The tree that the reviews looked at, if files changed after that (G20c). */
  readonly reviewSnapshot?: string | undefined;
  /** Whether files changed so often that the pass applies to no tree (G20c). */
  readonly isUnstable?: boolean;
  readonly jobs?: readonly Job[];
  /** Digest of what decides which programs the checks start. Absent if no gate ran. */
  readonly environment?: string;
  /** By job, what it was compared with. */
  readonly scopes?: ReadonlyMap<string, JobScope>;
  /** Commits that the commands of this run were given (G33). */
  readonly baseCommits?: readonly string[];
  readonly reviews?: ReviewRuns;
  /** By job, what its new failures leave for the next run (G45). */
  readonly open?: ReadonlyMap<string, OpenFailures>;
  /** Warnings of a run by hand that the next stop repeats (G48). */
  readonly untold?: readonly string[];
  /** What is known about outputs after the checks ran. Absent: as before the run (G20c). */
  readonly found?: Pick<ExecutionState, "outputs" | "reports" | "written">;
}

export interface Ended
  extends
    Pick<GauntletRunContext, "options" | "config" | "context" | "env" | "now">,
    Omit<EndedRun, "baseCommits" | "snapshot" | "jobs" | "scopes" | "reviews"> {
  /** Absent if the run ended before it took a snapshot. */
  readonly snapshot: string | undefined;
  /** The jobs that were run. */
  readonly jobs: readonly Job[];
  /** By job, what it was compared with. */
  readonly scopes: ReadonlyMap<string, JobScope>;
  /** The user's turn that the run belongs to. */
  readonly stamp: TurnStamp;
  readonly reviews: ExecutionState["reviews"];
  readonly cooldown: ExecutionState["cooldown"];
}

export function nextState(before: ExecutionState, ended: Ended): ExecutionState {
  const { options, config, context, env, now, after, result, snapshot } = ended;
  const plain = isDefaultRun(options, env);
  const isRecorded = plain && snapshot !== undefined && ended.isUnstable !== true;
  // A run without gates verified nothing (G18).
  const hasPassed =
    isRecorded &&
    options.skip === undefined &&
    ended.reviewSnapshot === undefined &&
    result.gatesRun > 0 &&
    isSuccessStatus(result.status) &&
    !result.gates.some(({ flaky, outcome }) => flaky === true || outcome === "known");
  const hasKnown = result.gates.some(({ outcome }) => outcome === "known");
  return {
    ...before,
    last_run_completed_at: now().toISOString(),
    branch: context.branch,
    commit: context.head,
    working_tree_ref: snapshot ?? before.working_tree_ref,
    status: result.status,
    gates_run: result.gatesRun,
    // A base for this run only does not affect the next run.
    base_had_commit: options.baseBranch === undefined ? context.headInBase : true,
    // A pass that applies to no tree does not start an interval either, nor does a run with known failures.
    partial:
      !isFullRun(options) ||
      options.baseBranch !== undefined ||
      ended.isUnstable === true ||
      options.skip !== undefined ||
      hasKnown,
    // Only a stop reports changed definitions, so a run by hand keeps the earlier ones.
    definitions:
      options.stop === undefined && before.definitions !== undefined
        ? before.definitions
        : gateTexts(config.entryPoints),
    start_untold:
      options.stop === undefined && (context.isFirstLook === true || before.start_untold === true),
    untold:
      options.stop === undefined
        ? [...(before.untold ?? []), ...(ended.untold ?? [])].slice(0, MAX_UNTOLD)
        : undefined,
    refused_push: refusedPush(before, ended),
    cleaned: isRecorded ? undefined : before.cleaned,
    attempt: after.attempt,
    open: [...after.unresolved],
    failures: failuresAfter(before, ended),
    reviews: isOver(ended) ? {} : ofGates(ended.reviews, config, after.unresolved),
    cooldown: ended.cooldown,
    late: ofGates(lateAfter(before, options, result.gates, ended.jobs), config, after.unresolved),
    outputs: ofGates((ended.found ?? before).outputs ?? {}, config),
    written: (ended.found ?? before).written,
    reports: (ended.found ?? before).reports,
    baselines: isRecorded ? moveBaselines(before, ended) : before.baselines,
    known:
      hasKnown &&
      isRecorded &&
      options.skip === undefined &&
      options.stop !== undefined &&
      isSuccessStatus(result.status)
        ? { snapshot, definition: config.digest, head: context.head, told: result.caveat }
        : result.gates.length > 0
          ? undefined
          : before.known,
    passed: hasPassed
      ? { snapshot, definition: config.digest, head: context.head, ...ofHand(ended) }
      : before.passed,
  };
}

/** Returns the commits of the last push that the gates refused. A pass ends the record (G51). */
function refusedPush({ refused_push: before }: ExecutionState, { options, result }: Ended) {
  if (isBlockingStatus(result.status)) return options.pushing?.slice() ?? before;
  return isSuccessStatus(result.status) && result.gatesRun > 0 ? undefined : before;
}

/** Returns the environment of a run by hand, whose passes count only in the same one (G7a). */
function ofHand({ options, environment }: Ended): Pick<Baseline, "environment"> {
  return options.stop === undefined ? { environment } : {};
}

/** Identifies what a failure was found with. */
export function proofOf(gate: GateDefinition, environment = ""): string {
  return `${definitionOf(gate)} ${environment}`;
}

/** Returns true if the episode is over. Its reviews' findings end with it. */
function isOver({ options, after }: Ended): boolean {
  return isFullRun(options) && after.attempt === 0 && after.unresolved.length === 0;
}

/** Records for each unresolved gate the turn in which it last failed (G18a). */
function failuresAfter({ failures }: ExecutionState, ended: Ended): ExecutionState["failures"] {
  const { after, result, context, stamp } = ended;
  const failedNow = new Set(result.gates.filter(isNoPass).map(idOf));
  const here = { session: stamp.session, turn: stamp.turn, branch: context.branch };
  return Object.fromEntries(
    after.unresolved.map((id) => {
      if (!failedNow.has(id) || comparesOtherwise(ended.options)) return [id, failures[id] ?? here];
      const from = comparedWith(failures[id]?.from ?? [], id, ended);
      const gate = ended.jobs.find((job) => job.id === id)?.gate;
      const proof = gate && proofOf(gate, ended.environment);
      const files = ended.scopes.get(id)?.files?.slice(0, MAX_REJECTED);
      const rejected = files === undefined ? {} : { files, at: ended.snapshot };
      const compared = from.length === 0 ? {} : { from };
      return [id, { ...here, proof, ...ended.open?.get(id), ...compared, ...rejected }];
    })
  );
}

const MAX_UNTOLD = 20;
/** Files that a check rejected. More of them are found only by the comparison. */
const MAX_REJECTED = 1_000;

/** A gate that stays unresolved on several branches has one for each. */
const MAX_COMPARED = 8;

/**
 * Returns what a check with placeholders was compared with when it failed, in this run and before. So a file that it
 * rejected stays in its list, even if the comparison of the next run starts after that file changed (G32).
 */
function comparedWith(before: readonly string[], id: string, { jobs, scopes }: Ended): string[] {
  const gate = jobs.find((job) => job.id === id)?.gate;
  const from = scopes.get(id)?.from;
  if (gate === undefined || from === undefined || !(getsFiles(gate) || getsBase(gate))) {
    return [...before];
  }
  return [...new Set([...before, from])].slice(0, MAX_COMPARED);
}

function idOf({ jobId }: GateResult): string {
  return jobId;
}

/** Keeps the entries of gates that the configuration defines, and of unresolved ones. */
function ofGates<T>(
  byJob: Readonly<Record<string, T>>,
  { entryPoints }: Ended["config"],
  unresolved: readonly string[] = []
): Record<string, T> {
  const gates = entryPoints.flatMap((point) => point.gates);
  return Object.fromEntries(
    Object.entries(byJob).filter(
      ([id]) => unresolved.includes(id) || gates.some((gate) => folderOfJob(id, gate) !== undefined)
    )
  );
}

/**
 * Moves the baseline of each gate that passed without being flaky (G36), and drops the baselines of gates that no longer
 * exist.
 */
function moveBaselines({ baselines }: ExecutionState, ended: Ended): Record<string, Baseline> {
  const { config, result, snapshot, reviewSnapshot = snapshot, jobs, context } = ended;
  const moved = Object.entries(ofGates(baselines, config));
  const definitions = new Map(jobs.map(({ id, gate }) => [id, definitionOf(gate)]));
  const isCompared = (gate: GateDefinition): boolean =>
    getsBase(gate) || getsFiles(gate) || readsHistory(gate);
  const withHead = new Set(jobs.filter(({ gate }) => isCompared(gate)).map(({ id }) => id));
  for (const { jobId, kind, outcome, flaky } of result.gates) {
    const definition = definitions.get(jobId);
    const tree = kind === "review" ? reviewSnapshot : snapshot;
    const isProof = outcome === "passed" && flaky !== true;
    if (!isProof || tree === undefined || definition === undefined) continue;
    const { head } = context;
    const comparable = head === undefined || !withHead.has(jobId) ? {} : { head };
    moved.push([jobId, { snapshot: tree, definition, ...comparable, ...ofHand(ended) }]);
  }
  return Object.fromEntries(moved);
}
