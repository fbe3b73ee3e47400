/**
 * Checks a stop: runs its gates, unless the retry limit, an agent in the background, another run or the minimum
 * interval prevents it. Allows the stop if nothing changed (G20a), names work of the session that no run checked
 * (G20e), counts failed stops (G19), and returns a function that writes the reason and the reports (G24, G50).
 */
import { plural } from "@/common/safeText";
import { posix } from "node:path";
import { objectOf } from "@/common/json";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import * as episodes from "@/node/services/gauntlet/domain/episode";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";
import { settleOld } from "@/node/services/gauntlet/hook/untrustedChanges";
import { unsettledPeriod, approveUnchanged } from "@/node/services/gauntlet/hook/approveUnchanged";
import type { LoggedStop, Stop, StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import { settledBy, withElsewhere } from "@/node/services/gauntlet/hook/workElsewhere";
import { INTERRUPTED, stopsNotCounted } from "@/node/services/gauntlet/messages/shared";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { openLogDir } from "@/node/services/gauntlet/run/logs/logDir";
import { withLogs } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { previewJobs } from "@/node/services/gauntlet/run/plan/previewJobs";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import { withOutputs } from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import {
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { describeLock, waitUntilFree } from "@/node/services/gauntlet/state/lock/RunLock";
import { reasonName, runNumberOf } from "@/node/services/gauntlet/state/runFiles";
import { currentBranch } from "@/node/services/gauntlet/turn/readGitFolder";
import { haveGatesChanged } from "@/node/services/gauntlet/turn/gatesAtTurnStart";
import type { SettledPoint } from "@/node/services/gauntlet/turn/headMoves";

/** The result of a stop, and what remains to do once it is answered. */
export interface CheckedStop extends Pick<StopDecision, "record"> {
  readonly result: RunResult;
  /** Whether gates were checked, so that all facts that apply are known. */
  readonly isChecked?: boolean;
  readonly verifies?: boolean;
  /** Present if the answer, once it is written, settles the changes until then (G20a). */
  readonly settled?: SettledPoint;
}

/** Runs the gates of a stop, unless the retry limit is exceeded or the stop is postponed. */
export async function runGatesAtStop(open: Stop): Promise<CheckedStop> {
  const { runtime, dir, config, session, turn, settings, old, configProblem } = open;
  const logDir = await openLogDir(runtime, dir, config);
  const stop = { ...open, logDir };
  if (episodes.isExhausted(session.count.failed, config.maxRetries) && stop.isHostTurn !== true) {
    const openGates = await openGatesOf(stop);
    return { result: createResult("retry_limit_exceeded", { openGates }) };
  }
  const agents = stop.isHeadless === true ? [] : backgroundAgents(stop.backgroundTasks ?? []);
  if (await session.postpone(agents, () => hasNothingToCheck(stop))) {
    const errorMessage = `postponed, because the agent waits for ${plural(agents.length, "agent")} in the background; the changes are not verified yet`;
    return { result: createResult("postponed", { errorMessage }) };
  }
  const period = await unsettledPeriod(stop);
  const isByAgent = old?.byAgent === true || configProblem !== undefined;
  const began = turn.at === undefined ? Infinity : Date.parse(turn.at);
  const mayRelease = !(isByAgent || (await haveGatesChanged(runtime, dir, began)));
  const { result: ran, hasRun } = await runInTime(stop, {
    ...{ runtime, projectDir: dir, logDir, config, configProblem, skip: stop.skip },
    ...{ listener: stop.listener, env: stop.env, now: stop.now, signal: stop.signal },
    stop: { ...session.count, mayRelease },
    fix: settings.fix && stop.isPlanning !== true,
    isTrusted: stop.project !== undefined,
  });
  const result = old === undefined ? ran : settleOld(ran, old);
  const { tree, trees } = result;
  if (!hasRun) return { result };
  const approved =
    period && !isByAgent ? await approveUnchanged(result, { ...stop, ...period }) : undefined;
  if (approved !== undefined) await session.noteChecked();
  const own = approved ? { ...approved, trees } : await counted(stop, result);
  const { result: shown, named } = await withElsewhere(own, period, stop);
  const isSettled = approved !== undefined || isSuccessStatus(shown.status) || isAtLimit(shown);
  const verdict = approved ? ({ tree, trees, status: "failed" } as const) : shown;
  return {
    result: shown,
    isChecked: true,
    verifies: approved === undefined && stop.verify && settings.verifyFixes,
    settled: period && isSettled ? settledBy(period, verdict, named) : undefined,
    record: async (reason) => await recordStop(stop, shown, reason),
  };
}

/**
 * Returns the IDs of the agents that run in the background, for which a stop may wait (G39). Entries of other types, such
 * as a development server, never end by themselves.
 */
function backgroundAgents(tasks: readonly unknown[]): string[] {
  return tasks.slice(0, 200).flatMap((task) => {
    const { id, type, status = "running" } = objectOf(task);
    const isAgent = type === "subagent" || type === "workflow";
    // An entry with another status has ended, or is unknown: its stop is checked.
    const isRunning = ["running", "pending", "queued", "in_progress"].includes(status as string);
    const isId = typeof id === "string" && id !== "" && id.length <= 256;
    return isAgent && isRunning && isId ? [id] : [];
  });
}

/** Returns whether a run would have nothing to check, so that a stop need not be postponed (G39). */
async function hasNothingToCheck(stop: LoggedStop): Promise<boolean> {
  const { runtime, env, signal, config, dir: projectDir } = stop;
  const { state = NO_STATE, lost } = await readState(runtime, stop.logDir);
  if (lost !== undefined || state.open.length > 0) return false;
  if (state.passed?.definition === config.digest && (await isPassedTree(stop, state))) return true;
  const found = await previewJobs({ runtime, projectDir, env, signal }, config);
  return found.isOk() && !found.value.hasChanges;
}

/** Returns whether the working tree is still the one that passed. */
async function isPassedTree(
  { runtime, env, signal, config, dir: projectDir }: LoggedStop,
  state: ExecutionState
): Promise<boolean> {
  const snapshot = state.passed?.snapshot;
  if (snapshot === undefined) return false;
  const context = await openRunRepository({ runtime, projectDir, env, signal }, config);
  if (context.isErr()) return false;
  const place = withOutputs(context.value, config, state);
  const taken = await takeSnapshot(runtime, place, { keepIndex: true });
  return taken.isOk() && taken.value.id === snapshot;
}

/** Runs the gates after the runs of others have ended (G40). If a third run takes the lock first, waits again. */
async function runInTime(
  stop: LoggedStop,
  options: RunOptions
): Promise<{ readonly result: RunResult; readonly hasRun: boolean }> {
  const { wait, verify, settings } = stop;
  const patience = verify ? wait : { ...wait, until: 0 };
  // A configuration that is broken now is a failure, however recent the last run is.
  const hasInterval = stop.configProblem === undefined && (!verify || settings.hasOwnInterval);
  for (;;) {
    const lock = await waitUntilFree(stop.runtime, stop.logDir, stop.identity, patience);
    const without = (status: GauntletStatus, errorMessage: string) => ({
      ...{ result: createResult(status, { errorMessage }), hasRun: false },
    });
    if (wait.signal?.aborted === true) return without("infrastructure_error", INTERRUPTED);
    if (lock.kind === "held") return without("lock_exists", describeLock(lock.holder));
    const recent = hasInterval ? await resultInInterval(stop) : undefined;
    if (recent !== undefined) return { result: recent, hasRun: false };
    // In whole seconds, because messages contain it.
    const left = Math.ceil(Math.max(wait.until - performance.now(), 1) / 1_000) * 1_000;
    const result = await executeRun({ ...options, limitMs: Math.min(stop.limitMs, left) });
    const hasRun = result.status !== "lock_exists";
    if (hasRun || patience.until <= performance.now()) return { result, hasRun };
  }
}

const MINUTE_MS = 60_000;

/** Returns the result of a stop within the interval between two runs, or undefined if a run is due (G20d, G27). */
async function resultInInterval(stop: LoggedStop): Promise<RunResult | undefined> {
  const { runtime, dir, settings } = stop;
  const { intervalMinutes } = settings;
  if (intervalMinutes === 0) return undefined;
  const { state } = await readState(runtime, stop.logDir);
  if (state === undefined) return undefined;
  const branch = await currentBranch(runtime, dir);
  const now = stop.now();
  const due = nextEligible(state, { intervalMinutes, now, branch });
  if (due === undefined) return undefined;
  const isSame = await isPassedTree(stop, state);
  return createResult("interval_not_elapsed", {
    errorMessage: `${Math.ceil((due.getTime() - now.getTime()) / MINUTE_MS)} min left`,
    nextEligibleAt: due.toISOString(),
    caveat: isSame ? undefined : "files changed since the last run and were not verified",
  });
}

/** Returns when a run is due again, or undefined if it is due now. */
export function nextEligible(
  state: ExecutionState,
  { intervalMinutes, branch, now }: { intervalMinutes: number; branch?: string; now: Date }
): Date | undefined {
  const { last_run_completed_at: completed, status } = state;
  if (completed === undefined) return undefined;
  const age = now.getTime() - Date.parse(completed);
  // A time in the future, from a clock that was wrong, does not count: the gates would be skipped for a long time.
  if (age < 0 || age >= intervalMinutes * MINUTE_MS) return undefined;
  // For a state without a status, from an older tool or by hand, only the time counts.
  const isWhole = state.partial !== true && state.open.length === 0 && (state.gates_run ?? 0) > 0;
  const counts =
    status === undefined || (isWhole && state.branch === branch && isSuccessStatus(status));
  return counts ? new Date(Date.parse(completed) + intervalMinutes * MINUTE_MS) : undefined;
}

async function openGatesOf({ runtime, logDir }: LoggedStop): Promise<RunResult["openGates"]> {
  const { state } = await readState(runtime, logDir);
  return await withLogs(runtime, logDir, state?.open ?? []);
}

/**
 * Counts the stop in its session's record (G19, G38). A failed stop that cannot be counted does not block, because it would
 * block forever.
 */
async function counted(stop: LoggedStop, result: RunResult): Promise<RunResult> {
  const { session } = stop;
  const { status, gates, tree } = result;
  if (isSuccessStatus(status)) {
    // Without a gate to run, a run by hand may have passed since the last failure (G7a).
    const { state } =
      result.gatesRun === 0 && session.record.hasOpenFailure
        ? await readState(stop.runtime, stop.logDir)
        : {};
    await (result.gatesRun > 0 || state?.open.length === 0
      ? session.countPass()
      : session.noteChecked());
  }
  if (status !== "failed" && status !== "retry_limit_exceeded") return result;
  const { failedTree: last } = session.record;
  const isSameTree = tree !== undefined && last?.tree === tree;
  const failed = new Set(gates.filter(({ outcome }) => outcome !== "passed").map((g) => g.jobId));
  // A flaky check is run again on the same tree (G36).
  const sound = gates.filter(({ outcome, flaky }) => outcome === "passed" && flaky !== true);
  const before = isSameTree ? last.passed.filter((id) => !failed.has(id)) : [];
  const failures = episodes.failuresDigest(gates);
  const failedTree =
    tree === undefined
      ? undefined
      : {
          ...{ tree, failures, stops: result.unchangedStops ?? 0 },
          passed: [...new Set([...before, ...sound.map(({ jobId }) => jobId)])],
        };
  const byLimit = episodes.failedByLimit(gates);
  const isHeld = status === "failed" && stop.isOnlyTry !== true;
  const written = await session.countFailure({ byLimit, isHeld, failedTree });
  if (written.isErr()) {
    const { warnings, consoleLogPath } = result;
    const errorMessage = stopsNotCounted(written.error.message);
    return createResult("infrastructure_error", { errorMessage, gates, warnings, consoleLogPath });
  }
  if (status === "failed") {
    return isSameTree && last.failures === failures ? { ...result, isRepeated: true } : result;
  }
  const openGates = await openGatesOf(stop);
  return { ...result, ...createResult(status, { ...result, openGates }) };
}

/** Returns whether the retry limit ended the turn, and neither an unchanged tree nor the time limit did (G20a). */
function isAtLimit({ status, gates, unchangedStops = 0 }: RunResult): boolean {
  if (status !== "retry_limit_exceeded" || unchangedStops >= episodes.MAX_UNCHANGED_STOPS)
    return false;
  return !gates.some(({ overLimit }) => overLimit === true);
}

/** Records the reason for the agent, and writes the reports of the configuration. Returns what could not be written (G50). */
async function recordStop(
  { runtime, config, dir: projectDir, logDir, env, now, wait, limitMs }: LoggedStop,
  result: RunResult,
  reason: string | undefined
): Promise<string[]> {
  const { consoleLogPath } = result;
  if (consoleLogPath === undefined) return [];
  const problems: string[] = [];
  if (reason !== undefined) {
    const name = reasonName(runNumberOf(posix.basename(consoleLogPath)) ?? 0);
    const path = posix.join(posix.dirname(consoleLogPath), name);
    const written = await runtime.writeFile(path, `${reason}\n`, { isDisposable: true });
    if (written.isErr()) problems.push(written.error.message);
  }
  if (config.reports === undefined) return problems;
  // Loaded late, because most stops write no report.
  const { writeConfigured } = await import("@/node/services/gauntlet/run/reports/writeReports");
  const durationMs = performance.now() - (wait.until - limitMs);
  const startedAt = new Date(now().getTime() - durationMs);
  const run = { runtime, projectDir, logDir, config, env, result, startedAt, durationMs };
  return [...problems, ...(await writeConfigured(run, config))];
}
