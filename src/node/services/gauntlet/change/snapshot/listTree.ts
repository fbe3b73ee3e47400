import { ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** A file of a tree: its path relative to the project, and the ID of its mode and content. */
export interface TreeFile {
  readonly path: string;
  readonly id: string;
}

/** Returns every file of the project in a tree. One git process. */
export async function treeFiles(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  tree: string
): Promise<Result<TreeFile[], GitFailure>> {
  // Run in the project folder, so that files outside it are left out and paths are relative to it.
  const args = ["ls-tree", "-r", "-z", "--end-of-options", tree];
  const printed = await runGit(runtime, { cwd: projectDir, args, keepBytes: MAX_BYTES, signal });
  return printed.andThen((text) => ok(text.split("\0").flatMap(readEntry)));
}

const MAX_BYTES = 64 * MIB;

/** Parses `100644 blob <id>`, a tab, the path. */
function readEntry(entry: string): TreeFile[] {
  const tab = entry.indexOf("\t");
  return tab === -1 ? [] : [{ path: entry.slice(tab + 1), id: entry.slice(0, tab) }];
}
