/** Nested repositories and submodules with changes. No snapshot contains them, so no gate checks them (G20d). */
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Maximum number of repositories in which git is run. */
const MAX_LOOKED_AT = 20;
const MAX_NAME_CHARS = 200;
const MAX_MODULES_BYTES = 64 * KIB;

/** Returns the paths of the submodules in `.gitmodules`, relative to the project, or none without that file. */
export async function submodulePaths(
  runtime: HookRuntime,
  { root, projectDir }: Pick<GitContext, "root" | "projectDir">
): Promise<string[]> {
  const path = posix.join(root, ".gitmodules");
  const read = await runtime.readFile(path, { maxBytes: MAX_MODULES_BYTES });
  if (read.isErr()) return [];
  const text = new TextDecoder().decode(read.value);
  return [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(\S.*)$/gm)].map(([, name = ""]) =>
    posix.relative(projectDir, posix.join(root, name.trimEnd()))
  );
}

/**
 * Returns a sentence for each of these repositories that has uncommitted changes. Runs one git process for each
 * repository that exists.
 *
 * @param paths relative to the project
 */
export async function describeNested(
  runtime: HookRuntime,
  context: GitContext,
  paths: readonly string[]
): Promise<string[]> {
  const { projectDir } = context;
  const inside = [...new Set(paths)].filter((path) =>
    posix.join(projectDir, path).startsWith(`${projectDir}/`)
  );
  if (inside.length === 0) return [];
  // In a folder without a repository of its own, git would report on the outer one.
  const stats = await runtime.stat(inside.map((path) => posix.join(projectDir, path, ".git")));
  const there = inside.filter((_, i) => ["directory", "file"].includes(stats[i]?.kind ?? ""));
  const looked = there.slice(0, MAX_LOOKED_AT);
  const changed = await Promise.all(looked.map((path) => hasChanges(runtime, context, path)));
  return looked
    .filter((_, i) => changed[i])
    .map(
      (path) =>
        `the nested repository ${clip(visible(path), MAX_NAME_CHARS)} has uncommitted changes, which were not checked; commit them in that repository, or check it separately`
    );
}

/** Returns true if the repository has changes, or if git fails, because then they are unknown. */
async function hasChanges(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  path: string
): Promise<boolean> {
  const output = await execGit(runtime, {
    cwd: posix.join(projectDir, path),
    args: ["status", "--porcelain", "--ignore-submodules=none"],
    keepBytes: KIB,
    mayBeCut: true,
    signal,
  });
  return output.isErr() || output.value.code !== 0 || output.value.stdout !== "";
}
