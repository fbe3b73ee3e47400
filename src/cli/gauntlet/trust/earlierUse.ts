/** Projects in which gates ran before they needed trust (G24a). */
import { posix } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";

/**
 * Returns whether the gates of the project ran before the record of trust began to cover gates. Compares the change time
 * of the start record, which no program can set back.
 *
 * @param since when the record began to cover gates
 */
export async function ranBefore(
  runtime: HookRuntime,
  dir: string,
  since: string
): Promise<boolean> {
  const gitDir = await findGitDir(runtime, dir);
  if (gitDir === undefined) return false;
  const [stat] = await runtime.stat([posix.join(gitDir, START_REF)]);
  return stat?.kind === "file" && stat.ctimeMs < Date.parse(since);
}
