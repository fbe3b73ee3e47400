/** Finds the state of a failed run whose file was removed, for example with the whole log folder (G16). */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import { parseState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { DEFAULT_LOG_DIR } from "@/node/services/gauntlet/config/configPaths";
import { hashKey, turnPath, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

interface Place {
  readonly gitDir: string | undefined;
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly logDir: string;
}

/** Returns the copy in the git folder. A pass or a clean removes it, so it exists only while gates are unresolved. */
export async function restoreState(
  files: Files,
  { gitDir, projectDir, logDir }: Place
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
