/** Puts logs and state away, except for the parts that a clean must keep (G18, G18a, G20a). */
import { ok, type Result } from "neverthrow";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import {
  ANY_TEXT,
  NO_STATE,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";

export interface Kept {
  /** IDs of gates that stay unresolved. */
  readonly unresolved: readonly string[];
  /** Those of other branches. */
  readonly elsewhere?: ExecutionState["elsewhere"];
  /** Whether to keep the baselines and their branch: not after a change of branch (G7a). */
  readonly baselines: boolean;
}

export interface PutAway {
  readonly names: readonly string[];
  readonly state: ExecutionState;
}

/** Requires the lock. Returns the names of the moved files and the remaining state. */
export async function putAway(
  files: Files,
  logDir: string,
  state: ExecutionState,
  kept: Kept
): Promise<Result<PutAway, FileFailure>> {
  const left = carriedState(state, kept);
  const cleaned = await cleanLogs(files, logDir, {
    keepState: false,
    copied: reviewFiles({ reviews: left.reviews, unresolved: left.open }),
  });
  if (cleaned.isErr()) return cleaned.map((names) => ({ names, state: left }));
  const names = cleaned.value;
  if (left.cleaned !== true) return ok({ names, state: left });
  return (await writeState(files, logDir, left)).map(() => ({ names, state: left }));
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
  return {
    ...NO_STATE,
    globs,
    open: [...kept.unresolved],
    failures: Object.fromEntries(Object.entries(state.failures).filter(isOpen)),
    elsewhere,
    reviews: Object.fromEntries(Object.entries(state.reviews).filter(isOpen)),
    cooldown: state.cooldown,
    calls: kept.baselines ? state.calls : undefined,
    baselines,
    definitions: state.definitions,
    late: state.late,
    // A baseline does not include outputs.
    ...(kept.baselines ? { outputs: state.outputs, reports: state.reports } : {}),
    cleaned: true,
    ...(kept.baselines ? { branch: state.branch } : {}),
  };
}

/** Returns the names of the files in which unresolved violations can be marked. */
export function reviewFiles({
  reviews,
  unresolved,
}: Pick<ExecutionState, "reviews"> & { readonly unresolved: readonly string[] }): string[] {
  return Object.entries(reviews)
    .filter(([id]) => unresolved.includes(id))
    .flatMap(([, slots]) => Object.values(slots).flatMap(({ file }) => file ?? []));
}
