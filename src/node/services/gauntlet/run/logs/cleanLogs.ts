/**
 * Moves the logs of earlier runs to `previous/`: for the command `clean`, after a pass, and after a change of branch
 * (G18). Moves their state as well, except after a pass. Keeps gates unresolved that failed in a user's turn that is
 * still running (G18a). Restores a lost state from its copy in the git folder (G16).
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime, FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  NO_STATE,
  readState,
  type ExecutionState,
  ANY_TEXT,
  parseState,
  writeState,
} from "@/node/services/gauntlet/state/executionState";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { currentProcess, hasEnded } from "@/node/services/gauntlet/state/lock/processIdentity";
import { RunLock, type LockFailure } from "@/node/services/gauntlet/state/lock/RunLock";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";
import { findGitDir, turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { startOver, currentTurn } from "@/node/services/gauntlet/turn/StopHistory";
import { DEFAULT_LOG_DIR } from "@/node/services/gauntlet/config/configPaths";

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
  const to = posix.join(logDir, runFiles.PREVIOUS_FOLDER);
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
    const put = await moveLogsAway(runtime, logDir, state, parts);
    if (put.isErr()) return err({ kind: "failed", failure: put.error } as const);
    await forget(kept);
    return ok({ names: put.value.names, to, dropped, kept });
  } finally {
    await locked.value.release();
  }
}

/** Returns the unresolved gates that failed in a user's turn that is still running. */
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

interface Kept {
  /** IDs of gates that stay unresolved. */
  readonly unresolved: readonly string[];
  /** Those of other branches. */
  readonly elsewhere?: ExecutionState["elsewhere"];
  /** Whether to keep the baselines and their branch: not after a change of branch (G7a). */
  readonly baselines: boolean;
}

/** Puts logs and state away. Requires the lock. Returns the names of the moved files and the remaining state. */
export async function moveLogsAway(
  files: Files,
  logDir: string,
  state: ExecutionState,
  kept: Kept
): Promise<Result<Pick<Cleaned, "names"> & { readonly state: ExecutionState }, FileFailure>> {
  const left = carriedState(state, kept);
  const copied = reviewFiles(left.reviews, left.open);
  const cleaned = await cleanLogs(files, logDir, { keepState: false, copied });
  const done = cleaned.map((names) => ({ names, state: left }));
  if (done.isErr() || left.cleaned !== true) return done;
  const written = await writeState(files, logDir, left);
  return written.andThen(() => done);
}

/** Returns the parts of a state that a clean keeps. Without any, the state is not marked as `cleaned`. */
function carriedState(state: ExecutionState, kept: Kept): ExecutionState {
  const isOpen = ([id]: readonly [string, unknown]): boolean => kept.unresolved.includes(id);
  const baselines = kept.baselines ? state.baselines : {};
  const { elsewhere } = kept;
  const { globs = state.last_run_completed_at === undefined ? undefined : { old: ANY_TEXT } } =
    state;
  // The next stop reports these to the user.
  const { untold, refused_push } = state;
  const ids = Object.keys({ ...baselines, ...elsewhere });
  const left = [...kept.unresolved, ...ids, ...(untold ?? []), ...(refused_push ?? [])];
  if (left.length === 0 && globs?.old === undefined) return NO_STATE;
  const { branch, calls, outputs, reports, cooldown, definitions, late } = state;
  const carried = { globs, elsewhere, baselines, cooldown, definitions, late };
  return {
    ...{ ...NO_STATE, ...carried, untold, refused_push, cleaned: true },
    open: [...kept.unresolved],
    failures: Object.fromEntries(Object.entries(state.failures).filter(isOpen)),
    reviews: Object.fromEntries(Object.entries(state.reviews).filter(isOpen)),
    // A baseline does not include outputs.
    ...(kept.baselines ? { branch, calls, outputs, reports } : {}),
  };
}

/** Returns the names of the files in which violations of these reviews can be marked. */
export function reviewFiles(
  reviews: ExecutionState["reviews"],
  unresolved: readonly string[]
): string[] {
  return Object.entries(reviews)
    .filter(([id]) => unresolved.includes(id))
    .flatMap(([, slots]) => Object.values(slots).flatMap(({ file }) => file ?? []));
}

/**
 * Returns the state of a failed run whose file was removed, for example with the whole log folder (G16): the copy in
 * the git folder. A pass or a clean removes it, so it exists only while gates are unresolved.
 */
export async function restoreState(
  files: Files,
  { gitDir, projectDir, logDir }: Record<"projectDir" | "logDir", string> & { gitDir?: string }
): Promise<ExecutionState | undefined> {
  if (gitDir === undefined) return undefined;
  const note = await new TurnStore(files, gitDir).read("failed", hashKey(projectDir));
  if (note === undefined) return undefined;
  // Both defaults are one place: the state moves between them (G15).
  const isDefault = (dir: string) =>
    dir === posix.join(projectDir, DEFAULT_LOG_DIR) || dir.startsWith(turnPath(gitDir, "logs"));
  const isSame = note.logDir === logDir || [note.logDir, logDir].every(isDefault);
  const state = isSame ? parseState(note.state) : undefined;
  return state !== undefined && state.open.length > 0 ? state : undefined;
}

/**
 * Moves the files; requires the lock. Returns the names of the moved and copied files, unsorted. Removes the older
 * generation only if logs replace it: a state without logs is added to it.
 *
 * @param options `keepState`: leaves the state and the cache of passed checks in place, after a success; `copied`:
 *   names of files that are copied instead of moved, those of unresolved reviews (G18a)
 */
export async function cleanLogs(
  files: Files,
  logDir: string,
  { keepState, copied = [] }: { readonly keepState: boolean; readonly copied?: readonly string[] }
): Promise<Result<readonly string[], FileFailure>> {
  const previous = posix.join(logDir, runFiles.PREVIOUS_FOLDER);
  const [listed, older] = await Promise.all([
    runFiles.listFolder(files, logDir),
    runFiles.listFolder(files, previous),
  ]);
  if (listed.isErr()) return listed;
  const leftFolders = listed.value.filter((name) => LEFT_FOLDER.test(name));
  await Promise.all(leftFolders.map((name) => files.remove(posix.join(logDir, name))));
  const marker = posix.join(logDir, runFiles.CLEAN_MARKER);
  const logs = listed.value.filter(isLog);
  const rest = listed.value.filter((name) =>
    keepState ? name === runFiles.SESSION_REF_FILE : isState(name)
  );
  // If the marker exists, `previous` contains the logs that an interrupted clean moved before it ended.
  const isMarked = listed.value.includes(runFiles.CLEAN_MARKER);
  if (logs.length > 0 && !isMarked) {
    if (older.isErr()) return older;
    const ours = older.value.filter((name) => isLog(name) || isState(name));
    const [marked, ...removed] = await Promise.all([
      files.appendFile(marker, ""),
      ...ours.map((name) => files.remove(posix.join(previous, name))),
    ]);
    const failure = marked.isErr() ? marked.error : firstFailure(removed);
    if (failure !== undefined) return err(failure);
  }
  // Move the state last, so that an interrupted clean is repeated.
  for (const names of [logs, rest]) {
    const moves = names.map((name) =>
      copied.includes(name)
        ? runFiles.copy(files, posix.join(logDir, name), posix.join(previous, name))
        : files.rename(posix.join(logDir, name), posix.join(previous, name))
    );
    const failure = firstFailure(await Promise.all(moves));
    if (failure !== undefined) return err(failure);
  }
  if (logs.length > 0 || isMarked) await files.remove(marker);
  return ok([...logs, ...rest]);
}

function firstFailure(results: readonly Result<void, FileFailure>[]): FileFailure | undefined {
  const failures = results.flatMap((result) => (result.isErr() ? result.error : []));
  // A file that was removed in the meantime need not be moved.
  return failures.find(({ code }) => code !== "ENOENT");
}

/** Matches the temporary folders of a run that was killed: prompts of reviewers, and its scratch folder. */
const LEFT_FOLDER = new RegExp(`^\\${runFiles.TEMPORARY_FOLDER_PREFIX}[0-9a-f-]{32,36}$`);

function isLog(name: string): boolean {
  return runFiles.runNumberOf(name) !== undefined;
}

function isState(name: string): boolean {
  return [runFiles.STATE_FILE, runFiles.CHECK_CACHE_FILE, runFiles.SESSION_REF_FILE].includes(name);
}
