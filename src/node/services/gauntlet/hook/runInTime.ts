/** Runs the gates of a stop after the runs of others have ended (G40). */
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { INTERRUPTED } from "@/node/services/gauntlet/messages/run";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";
import { waitUntilFree, type LockWait } from "@/node/services/gauntlet/state/lock/waitForLock";

interface StopRun {
  readonly logDir: string;
  readonly identity: ProcessIdentity;
  readonly wait: LockWait;
  /** Whether the stop waits for the lock of another run. */
  readonly isPatient: boolean;
  /** Called when no other run is in progress. Its result replaces that of the run. */
  readonly mayEnd: () => Promise<RunResult | undefined>;
}

interface StopRunEnd {
  readonly result: RunResult;
  readonly hasRun: boolean;
}

/** Waits for the lock, if the stop is patient. If a third run takes it first, waits again. */
export async function runInTime(
  options: RunOptions,
  { logDir, identity, wait, isPatient, mayEnd }: StopRun
): Promise<StopRunEnd> {
  for (;;) {
    const patience = isPatient ? wait : { ...wait, until: 0 };
    const lock = await waitUntilFree(options.runtime, logDir, identity, patience);
    if (wait.signal?.aborted === true) {
      const result = createResult("infrastructure_error", { errorMessage: INTERRUPTED });
      return { result, hasRun: false };
    }
    if (lock.kind === "held") {
      return {
        result: createResult("lock_exists", { errorMessage: describeLock(lock.holder) }),
        hasRun: false,
      };
    }
    const ended = await mayEnd();
    if (ended !== undefined) return { result: ended, hasRun: false };
    const result = await executeRun({ ...options, limitMs: timeLeft(options, wait) });
    const hasRun = result.status !== "lock_exists";
    if (hasRun || patience.until <= performance.now()) return { result, hasRun };
  }
}

/** Returns the rest of the limit in whole seconds, because messages contain it. */
function timeLeft({ limitMs = Infinity }: RunOptions, { until }: LockWait): number {
  const left = Math.max(until - performance.now(), 1);
  return Math.min(limitMs, Math.ceil(left / 1_000) * 1_000);
}
