import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { putAway, restoreState } from "@/node/services/gauntlet/run/logs/keptState";
import {
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { currentProcess, hasEnded } from "@/node/services/gauntlet/state/lock/processIdentity";
import { RunLock, type LockFailure } from "@/node/services/gauntlet/state/lock/RunLock";
import { PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { startOver, currentTurn } from "@/node/services/gauntlet/turn/StopSession";

export interface Cleaned {
  /** Unsorted. Empty if there was nothing to move. */
  readonly names: readonly string[];
  /** Absolute: the folder to which they were moved. */
  readonly to: string;
  /** IDs of gates that are no longer unresolved. */
  readonly dropped: readonly string[];
  /** IDs of gates that failed in a user's turn that is still running. They stay unresolved (G18a). */
  readonly kept: readonly string[];
}

/** Moves the logs and the state of earlier runs to `previous/`, under the lock (G18). Creates no log folder. */
export async function cleanByHand(
  runtime: HookRuntime,
  { projectDir, logDir }: { readonly projectDir: string; readonly logDir: string },
  now: Date
): Promise<Result<Cleaned, LockFailure>> {
  const to = posix.join(logDir, PREVIOUS_FOLDER);
  const nothing = { names: [], to, dropped: [], kept: [] };
  const gitDir = await findGitDir(runtime, projectDir);
  const store = gitDir === undefined ? undefined : new TurnStore(runtime, gitDir);
  // Removes the note if no gate is kept, and resets the counts of failed stops (G19).
  const forget = async (kept: readonly string[]): Promise<void> => {
    if (kept.length === 0) await store?.remove("failed", hashKey(projectDir));
    if (store !== undefined) await startOver(store);
  };
  const [stat] = await runtime.stat([logDir]);
  if (stat?.kind === "missing") {
    const copy = await restoreState(runtime, { gitDir, projectDir, logDir });
    const kept = copy === undefined ? [] : await openInTurn(runtime, store, copy);
    await forget(kept);
    return ok({ ...nothing, kept });
  }
  const locked = await RunLock.acquire(runtime, logDir, await currentProcess(runtime.host), now);
  if (locked.isErr()) return locked.map(() => nothing);
  try {
    const found = (await readState(runtime, logDir)).state;
    const place = { gitDir, projectDir, logDir };
    const state = found ?? (await restoreState(runtime, place)) ?? NO_STATE;
    const kept = await openInTurn(runtime, store, state);
    const dropped = state.open.filter((id) => !kept.includes(id));
    // Do not move files again that an earlier clean kept.
    const isClean = state.cleaned === true && state.last_run_completed_at === undefined;
    if (isClean && dropped.length === 0) {
      await forget(kept);
      return ok({ ...nothing, kept });
    }
    const branches = Object.entries(state.elsewhere ?? {}).map(async ([branch, failures]) => {
      const open = await openInTurn(runtime, store, { open: Object.keys(failures), failures });
      const left = Object.entries(failures).filter(([id]) => open.includes(id));
      return left.length === 0 ? [] : [[branch, Object.fromEntries(left)] as const];
    });
    const elsewhere = Object.fromEntries((await Promise.all(branches)).flat());
    const parts = { unresolved: kept, elsewhere, baselines: true };
    const put = await putAway(runtime, logDir, state, parts);
    if (put.isErr()) return err({ kind: "failed", failure: put.error } as const);
    await forget(kept);
    return ok({ names: put.value.names, to, dropped, kept });
  } finally {
    await locked.value.release();
  }
}

async function openInTurn(
  runtime: HookRuntime,
  store: TurnStore | undefined,
  { open, failures }: Pick<ExecutionState, "open" | "failures">
): Promise<string[]> {
  if (store === undefined) return [];
  const turns = await Promise.all(
    open.map(async (id) => {
      const session = failures[id]?.session ?? "";
      const turn = await store.read("turns", session);
      // The processes of another machine cannot be seen.
      const isOver = !runtime.isRemote && (await hasEnded(runtime.host, turn?.agent));
      return isOver ? undefined : await currentTurn(store, session);
    })
  );
  return open.filter((id, i) => turns[i] !== undefined && turns[i] === failures[id]?.turn);
}
