/** The parts of a state that outlive a clean or the loss of its file (G16, G18, G18a, G20a). */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { DEFAULT_LOG_DIR } from "@/node/services/gauntlet/config/configPaths";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import {
  ANY_TEXT,
  NO_STATE,
  parseState,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { hashKey, turnPath, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

interface Kept {
  /** IDs of gates that stay unresolved. */
  readonly unresolved: readonly string[];
  /** Those of other branches. */
  readonly elsewhere?: ExecutionState["elsewhere"];
  /** Whether to keep the baselines and their branch: not after a change of branch (G7a). */
  readonly baselines: boolean;
}

/** Puts logs and state away. Requires the lock. Returns the names of the moved files and the remaining state. */
export async function putAway(
  files: Files,
  logDir: string,
  state: ExecutionState,
  kept: Kept
): Promise<
  Result<{ readonly names: readonly string[]; readonly state: ExecutionState }, FileFailure>
> {
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
  const isEmpty = [kept.unresolved, Object.keys(baselines), Object.keys(elsewhere ?? {})].every(
    ({ length }) => length === 0
  );
  if (isEmpty && globs?.old === undefined) return NO_STATE;
  const { branch, calls, outputs, reports } = state;
  return {
    ...NO_STATE,
    globs,
    open: [...kept.unresolved],
    failures: Object.fromEntries(Object.entries(state.failures).filter(isOpen)),
    elsewhere,
    reviews: Object.fromEntries(Object.entries(state.reviews).filter(isOpen)),
    cooldown: state.cooldown,
    baselines,
    definitions: state.definitions,
    late: state.late,
    cleaned: true,
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
 * Returns the state of a failed run whose file was removed, for example with the whole log folder (G16): the copy in the
 * git folder. A pass or a clean removes it, so it exists only while gates are unresolved.
 */
export async function restoreState(
  files: Files,
  place: {
    readonly gitDir: string | undefined;
    readonly projectDir: string;
    readonly logDir: string;
  }
): Promise<ExecutionState | undefined> {
  const { gitDir, projectDir, logDir } = place;
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
