/** Counts a checked stop in its session's record (G19, G38). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { failedByLimit, MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { failuresDigest } from "@/node/services/gauntlet/domain/findings/failures";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { stopsNotCounted } from "@/node/services/gauntlet/messages/stop";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { withLogs } from "@/node/services/gauntlet/run/logs/unresolvedGates";
import { readState } from "@/node/services/gauntlet/state/executionState";
import type { FailedTree } from "@/node/services/gauntlet/turn/TurnStore";
import type { StopSession } from "@/node/services/gauntlet/turn/StopSession";

interface CountPlace {
  readonly runtime: HookRuntime;
  readonly logDir: string;
}

/** Counts the stop. A failed stop that cannot be counted does not block, because it would block forever (G19). */
export async function counted(
  session: StopSession,
  result: RunResult,
  { runtime, logDir }: CountPlace
): Promise<RunResult> {
  const { status } = result;
  if (isSuccessStatus(status)) {
    await (result.gatesRun > 0 ? session.countPass() : session.noteChecked());
  }
  if (status !== "failed" && status !== "retry_limit_exceeded") return result;
  const last = session.count.failedTree;
  const failedTree = failedTreeOf(result, last);
  const isRepeated = failedTree !== undefined && isSame(failedTree, last);
  const byLimit = failedByLimit(result.gates);
  const written = await session.countFailure({
    byLimit,
    isHeld: status === "failed",
    ...(failedTree && { failedTree }),
  });
  if (written.isErr()) {
    const errorMessage = stopsNotCounted(written.error.message);
    const { gates, consoleLogPath } = result;
    return createResult("infrastructure_error", {
      ...{ errorMessage, gates, warnings: result.warnings },
      ...(consoleLogPath === undefined ? {} : { consoleLogPath }),
    });
  }
  if (status === "failed") return isRepeated ? { ...result, isRepeated } : result;
  const { state } = await readState(runtime, logDir);
  const openGates = await withLogs(runtime, logDir, state?.open ?? []);
  return { ...result, ...createResult(status, { ...result, openGates }) };
}

/** Returns the result once the retry limit is exceeded. A Stop hook then starts no run (G19). */
export async function exhausted({ runtime, logDir }: CountPlace): Promise<RunResult> {
  const { state } = await readState(runtime, logDir);
  const openGates = await withLogs(runtime, logDir, state?.open ?? []);
  return createResult("retry_limit_exceeded", { openGates });
}

/** Returns whether this turn has shown the user why these gates gave no verdict (G27c, G33). */
export async function isCauseTold(
  { status, gates }: RunResult,
  session: StopSession
): Promise<boolean> {
  const causes = gates.flatMap(({ jobId, overLimit, isUnseen, message = "" }) =>
    overLimit === true ? jobId : isUnseen === true ? `${jobId} ${message}` : []
  );
  if (status !== "infrastructure_error" || causes.length === 0) return false;
  return !(await session.mayNameCauses(causes));
}

function failedTreeOf(
  { tree, gates, unchangedStops = 0 }: RunResult,
  last: FailedTree | undefined
): FailedTree | undefined {
  if (tree === undefined) return undefined;
  const failed = new Set(gates.filter(({ outcome }) => outcome !== "passed").map((g) => g.jobId));
  const before = last?.tree === tree ? last.passed.filter((id) => !failed.has(id)) : [];
  const passed = gates.filter(isSoundPass).map(({ jobId }) => jobId);
  return {
    tree,
    failures: failuresDigest(gates),
    passed: [...new Set([...before, ...passed])],
    stops: unchangedStops,
  };
}

/** A flaky check is run again on the same tree (G36). */
function isSoundPass({ outcome, flaky }: GateResult): boolean {
  return outcome === "passed" && flaky !== true;
}

function isSame({ tree, failures }: FailedTree, last: FailedTree | undefined): boolean {
  return last?.tree === tree && last.failures === failures;
}

/** Returns whether the retry limit ended the turn, and neither an unchanged tree nor the time limit did (G20a). */
export function isAtLimit({ status, gates, unchangedStops = 0 }: RunResult): boolean {
  if (status !== "retry_limit_exceeded" || unchangedStops >= MAX_UNCHANGED_STOPS) return false;
  return !gates.some(({ overLimit }) => overLimit === true);
}
