import { ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import { snapshotRefs, type GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/**
 * Holds each of these snapshots by a ref, so that git cannot collect it, and drops the other refs of this project that
 * existed when the repository was opened (G9a). Runs one atomic git process, or none if nothing changes.
 *
 * @param ids full object IDs
 */
export async function keepSnapshots(
  runtime: HookRuntime,
  { projectDir, prefix, keptSnapshots, signal }: GitContext,
  ids: readonly string[]
): Promise<Result<void, GitFailure>> {
  const wanted = new Set(ids);
  const dropped = keptSnapshots.filter((id) => !wanted.has(id));
  if (dropped.length === 0 && ids.every((id) => keptSnapshots.includes(id))) return ok(undefined);
  const refs = snapshotRefs(prefix);
  const commands = [
    ...dropped.map((id) => `delete ${refs}/${id}\0\0`),
    ...[...wanted].map((id) => `update ${refs}/${id}\0${id}\0\0`),
  ];
  const done = await runGit(runtime, {
    cwd: projectDir,
    args: ["update-ref", "--stdin", "-z"],
    stdin: commands.join(""),
    signal,
  });
  return done.map(() => undefined);
}
