/** Waits for a lock that another run holds (G40). */
import { setTimeout as delay } from "node:timers/promises";
import type { Result } from "neverthrow";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";
import {
  inspectLock,
  RunLock,
  type LockFailure,
  type LockFiles,
  type LockState,
} from "@/node/services/gauntlet/state/lock/RunLock";

/** A look at the lock reads one small file and the process table, which takes less than a millisecond. */
const POLL_MS = 200;
/** Each look is a round trip. */
const REMOTE_POLL_MS = 2_000;

export interface LockWait {
  /** When to give up, by `performance.now()`. */
  readonly until: number;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
  readonly now: () => Date;
}

/** Resolves when a run could get the lock, or with the state `held` at the end of the wait. Changes no file. */
export async function waitUntilFree(
  files: LockFiles,
  logDir: string,
  identity: ProcessIdentity,
  { until, signal, now }: LockWait
): Promise<LockState> {
  for (;;) {
    const state = await inspectLock(files, logDir, identity, now());
    const left = until - performance.now();
    if (state.kind !== "held" || left <= 0 || signal?.aborted === true) return state;
    const pause = Math.min(left, files.isRemote ? REMOTE_POLL_MS : POLL_MS);
    await delay(pause, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** Like `RunLock.acquire`, but waits for a lock that is held. */
export async function acquireInTime(
  files: LockFiles,
  logDir: string,
  identity: ProcessIdentity,
  wait: LockWait
): Promise<Result<RunLock, LockFailure>> {
  for (;;) {
    const acquired = await RunLock.acquire(files, logDir, identity, wait.now());
    if (acquired.isOk() || acquired.error.kind !== "held") return acquired;
    const state = await waitUntilFree(files, logDir, identity, wait);
    if (state.kind === "held") return acquired;
  }
}
