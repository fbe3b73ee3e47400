/**
 * Lets one call at a time decide the stops of a session, so that two installed hooks give one answer, and detects that
 * the process of an earlier stop ended before it had answered (G40).
 */
import { turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { sha256 } from "@/common/hash";
import type { Files } from "@/node/runtime/HookRuntime";
import * as locks from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import type { StopHistory } from "@/node/services/gauntlet/turn/StopHistory";
import type { DecisionRequest, Stop } from "@/node/services/gauntlet/hook/stopDecision";
import { prune, sessionKey } from "@/node/services/gauntlet/turn/TurnStore";

/** The fields of a stop that are equal in all calls for it. */
type StopFields = Pick<
  DecisionRequest,
  "sessionId" | "turnId" | "stopHookActive" | "lastMessage" | "stopId" | "startedAt"
>;

const FOLDER = "stops";

export class StopClaim {
  /**
   * Waits while another call decides a stop of the session, and then returns the claim, or that call's lock if the wait
   * ends first. Returns undefined if no other call can be for the same stop or the claim cannot be written: the call
   * then decides.
   */
  static async make(
    stop: StopFields,
    { runtime, gitDir, identity, wait }: Pick<Stop, "runtime" | "gitDir" | "identity" | "wait">
  ): Promise<StopClaim | locks.LockEntry | undefined> {
    const { sessionId, startedAt } = stop;
    if (sessionId === undefined || startedAt === undefined || gitDir === undefined)
      return undefined;
    const folder = turnPath(gitDir, FOLDER, sessionKey(sessionId));
    const first = await locks.RunLock.acquire(runtime, folder, identity, wait.now());
    const wasEnded = first.isOk() && first.value.takenFrom !== undefined;
    const isHeld = first.isErr() && first.error.kind === "held";
    const acquired = isHeld ? await locks.acquireInTime(runtime, folder, identity, wait) : first;
    if (acquired.isOk()) {
      await prune(runtime, turnPath(gitDir, FOLDER));
      return new StopClaim(stop, startedAt, acquired.value, wasEnded);
    }
    return acquired.error.kind === "held" ? acquired.error.holder : undefined;
  }

  private constructor(
    private readonly stop: StopFields,
    private readonly startedAt: number,
    private readonly lock: locks.RunLock,
    /** Whether the process of an earlier stop ended before it had answered. */
    readonly wasEnded: boolean
  ) {}

  /** Returns whether another call has answered this stop: while this one was running, or at any time with an ID. */
  isAnswered(session: StopHistory): boolean {
    const since = this.stop.stopId === undefined ? this.startedAt : 0;
    const { answered } = session.record;
    return answered?.stop === digestOf(this.stop) && answered.at > since;
  }

  /**
   * Ends the claim, after the answer was written. A call that ends before it has answered leaves a dead claim: another
   * call decides, and the user is notified.
   *
   * @param session records the answer if it has a text; the answer of another call would repeat the text
   * @param reason for another call with the same ID, whose answer could replace this one
   */
  async end(session: StopHistory | undefined, reason?: string): Promise<void> {
    const { stopId } = this.stop;
    const answered = { stop: digestOf(this.stop), at: Date.now(), reason: stopId && reason };
    await session?.update({ answered });
    await this.lock.release();
  }
}

function digestOf({ sessionId, stopId, ...stop }: StopFields): string {
  const { turnId, stopHookActive, lastMessage } = stop;
  const fields = stopId === undefined ? [turnId, stopHookActive, lastMessage] : [stopId];
  return sha256(JSON.stringify([sessionId, ...fields]), 32);
}

/** Returns whether the process of the last stop of a session ended before it had answered. Changes nothing. */
export async function isLeftOpen(
  files: Files,
  gitDir: string,
  sessionId: string | undefined
): Promise<boolean> {
  if (sessionId === undefined) return false;
  const logDir = turnPath(gitDir, FOLDER, sessionKey(sessionId));
  const [stat] = await files.stat([locks.lockPath(logDir)]);
  if (stat?.kind !== "file") return false;
  const identity = await currentProcess(files);
  const place = Object.assign(Object.create(files) as Files, { host: files, isRemote: false });
  return (await locks.inspectLock(place, logDir, identity, new Date())).kind === "dead";
}
