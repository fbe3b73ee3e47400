/** Lets one call at a time decide the stops of a session, so that two installed hooks give one answer (G40). */
import { sha256 } from "@/common/hash";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { LockEntry } from "@/node/services/gauntlet/state/lock/lockFile";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";
import type { RunLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { acquireInTime, type LockWait } from "@/node/services/gauntlet/state/lock/waitForLock";
import type { StopSession } from "@/node/services/gauntlet/turn/StopSession";
import { prune, sessionKey, turnPath } from "@/node/services/gauntlet/turn/turnFiles";

/** The fields of a stop that are equal in all calls for it. */
export interface StopFields {
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly stopHookActive: boolean;
  readonly lastMessage?: string;
  /** When the call began, in milliseconds since the epoch. Absent if no other call can be for the same stop. */
  readonly startedAt?: number;
}

interface ClaimPlace {
  readonly runtime: HookRuntime;
  readonly gitDir: string | undefined;
  readonly identity: ProcessIdentity;
}

const FOLDER = "stops";

export class StopClaim {
  /**
   * Waits while another call decides a stop of the session. Returns undefined if no other call can be for the same stop, or
   * if the claim cannot be written: then each call decides for itself. Returns the holder at the end of the wait.
   */
  static async make(
    stop: StopFields,
    { runtime, gitDir, identity }: ClaimPlace,
    wait: LockWait
  ): Promise<StopClaim | LockEntry | undefined> {
    const { sessionId, startedAt } = stop;
    if (sessionId === undefined || startedAt === undefined || gitDir === undefined) {
      return undefined;
    }
    const folder = turnPath(gitDir, FOLDER, sessionKey(sessionId));
    const acquired = await acquireInTime(runtime, folder, identity, wait);
    if (acquired.isOk()) {
      await prune(runtime, turnPath(gitDir, FOLDER));
      return new StopClaim(digestOf(stop), startedAt, acquired.value);
    }
    return acquired.error.kind === "held" ? acquired.error.holder : undefined;
  }

  private constructor(
    private readonly stop: string,
    private readonly startedAt: number,
    private readonly lock: RunLock
  ) {}

  /** Returns whether another call has answered this stop while this one was running. */
  isAnswered(session: StopSession): boolean {
    return session.wasAnswered(this.stop, this.startedAt);
  }

  /**
   * Ends the claim, after the answer was written. A call that is killed before it has answered leaves a dead claim, and
   * the other call decides.
   *
   * @param session records the answer if it has a text; the answer of another call would repeat the text
   */
  async end(session: StopSession | undefined): Promise<void> {
    await session?.noteAnswer(this.stop, Date.now());
    await this.lock.release();
  }
}

function digestOf({ sessionId, turnId, stopHookActive, lastMessage }: StopFields): string {
  return sha256(JSON.stringify([sessionId, turnId, stopHookActive, lastMessage]), 32);
}
