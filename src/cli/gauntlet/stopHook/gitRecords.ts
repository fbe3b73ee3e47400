/** Checks whether the gauntlet has records of failures in git's folder (G19, G24). */
import { posix } from "node:path";
import type { FileStat } from "@/node/runtime/HookRuntime";

/**
 * `sessions`: counts of failed stops. `failed`: notes of projects whose gates failed. `gates`: configurations at the
 * beginning of turns.
 */
export type RecordKind = "sessions" | "failed" | "gates";

type Stat = (paths: readonly string[]) => Promise<readonly Pick<FileStat, "kind">[]>;

/** Returns true in doubt: the `.git` of a linked worktree is a file that names another folder. */
export async function mayHaveRecords(
  stat: Stat,
  folder: string,
  kind: RecordKind
): Promise<boolean> {
  const names = [".git", `.git/agent-gauntlet/${kind}`];
  const [git, records] = await stat(names.map((name) => posix.join(folder, name)));
  if (git?.kind === "directory") return records?.kind !== "missing";
  if (git?.kind !== "missing") return true;
  const parent = posix.dirname(folder);
  return parent !== folder && (await mayHaveRecords(stat, parent, kind));
}
