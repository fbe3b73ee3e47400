/** What changed in the user's turn, by git and without a run of anything from the project (G24a). */
import { posix } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import { headCommit } from "@/node/services/gauntlet/turn/gitFolder";
import { isMadeHere, lastMoves } from "@/node/services/gauntlet/turn/workPoint";
import type { TurnRecord } from "@/node/services/gauntlet/turn/TurnStore";

export interface TurnPlace {
  readonly runtime: HookRuntime;
  /** Absolute: the folder with `.gauntlet/`. */
  readonly dir: string;
  readonly gitDir: string;
}

const MAX_FILES = 1_000;

/** Returns whether a file or a commit of the project changed in the turn; in doubt, true. */
export async function hasChangedFiles(
  { runtime, dir, gitDir }: TurnPlace,
  turn: TurnRecord
): Promise<boolean> {
  if (turn.head !== undefined && (await headCommit(runtime, gitDir)) !== turn.head) return true;
  const args = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", "-uall"];
  const status = await runGit(runtime, { cwd: dir, args });
  if (status.isErr()) return true;
  const paths = status.value.split("\0").flatMap((line) => line.slice(3) || []);
  const began = turn.at;
  if (began === undefined || paths.length > MAX_FILES) return paths.length > 0;
  const top = await runGit(runtime, { cwd: dir, args: ["rev-parse", "--show-toplevel"] });
  const root = top.map((text) => text.replace(/\n$/, "")).unwrapOr(dir);
  const stats = await runtime.stat(paths.map((path) => posix.join(root, path)));
  return stats.some((stat) => !("ctimeMs" in stat) || stat.ctimeMs >= Date.parse(began));
}

/**
 * Returns whether the definitions came with commits that were not made in this worktree, such as those of a pull, a
 * switch or a rebase. The agent did not write them.
 */
export async function cameByCommit({ runtime, dir, gitDir }: TurnPlace): Promise<boolean> {
  const call = async (...args: string[]): Promise<string | undefined> =>
    (await runGit(runtime, { cwd: dir, args })).unwrapOr(undefined);
  const status = await call("status", "--porcelain", "-uall", "--", CONFIG_FOLDER);
  if (status !== "") return false;
  const commit = (await call("log", "-1", "--format=%H", "--", CONFIG_FOLDER))?.trim();
  if (commit === undefined || commit === "") return false;
  const moves = (await lastMoves(runtime, gitDir)) ?? [];
  return !moves.some((move) => move.after === commit && isMadeHere(move));
}
