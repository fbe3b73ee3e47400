/** Finds the state of a failed run whose file was removed, for example with the whole log folder (G16). */
import type { Files } from "@/node/runtime/HookRuntime";
import { parseState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { readNote } from "@/node/services/gauntlet/turn/failureNote";

interface Place {
  readonly gitDir: string | undefined;
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly logDir: string;
}

/** Returns the copy in the git folder. A pass or a clean removes it, so it exists only while gates are unresolved. */
export async function restoreState(
  files: Pick<Files, "readFile">,
  { gitDir, projectDir, logDir }: Place
): Promise<ExecutionState | undefined> {
  const note = gitDir === undefined ? undefined : await readNote(files, gitDir, projectDir);
  const state = note?.logDir === logDir ? parseState(note.state) : undefined;
  return state !== undefined && state.open.length > 0 ? state : undefined;
}
