/** Selects the files that a fix may change (G35). */
import { posix } from "node:path";
import { ok, safeTry, type Result } from "neverthrow";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { treeFiles } from "@/node/services/gauntlet/change/git/queries";
import type { GauntletRunContext, RunFailure } from "@/node/services/gauntlet/run/runContext";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/** Some file systems store times in whole seconds. */
const MTIME_SLACK_MS = 1_000;
const LINK_MODE = "120000";

export interface FilesToFix {
  readonly allowed: Set<string>;
  /** Files that only their time excludes. */
  readonly older: ReadonlySet<string>;
}

/**
 * Returns the files that fixes may change: regular files without conflicts that changed since the user's turn began, if
 * that is known. A link is left out, because a fix would change its target.
 *
 * @param files relative to the project, of the tree `snapshot`
 */
export async function filesToFix(
  given: GauntletRunContext,
  files: readonly string[],
  snapshot: string
): Promise<Result<FilesToFix, RunFailure>> {
  const { options, context } = given;
  const { runtime, projectDir } = options;
  return await safeTry<FilesToFix, RunFailure>(async function* () {
    const unmerged = yield* await unmergedFiles(given);
    const tree = yield* await treeFiles(runtime, context, snapshot);
    const links = new Set(tree.flatMap(({ path, id }) => (id.startsWith(LINK_MODE) ? [path] : [])));
    const since = await turnStart(given);
    const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
    const [allowed, older] = [new Set<string>(), new Set<string>()];
    for (const [i, file] of files.entries()) {
      const stat = stats[i];
      if (stat?.kind !== "file" || links.has(file) || unmerged.has(file)) continue;
      const isOlder = since !== undefined && stat.mtimeMs + MTIME_SLACK_MS < since;
      (isOlder ? older : allowed).add(file);
    }
    return ok({ allowed, older });
  });
}

/** Returns the files with conflicts, which may remain after a merge ended, as with `git stash pop`. */
async function unmergedFiles({
  options,
  context,
}: GauntletRunContext): Promise<Result<ReadonlySet<string>, RunFailure>> {
  const { projectDir, signal } = context;
  const args = ["ls-files", "--unmerged", "-z"];
  const printed = await runGit(options.runtime, { cwd: projectDir, args, signal });
  // Each entry is a mode, an ID and a stage, then a tab and the path.
  return printed.map(
    (text) => new Set(text.split("\0").map((entry) => entry.split("\t")[1] ?? ""))
  );
}

/**
 * Returns when the user's turn began, in milliseconds since 1970, if a Stop hook requested the run. The clock of another
 * machine may differ, so a time of this one is not used there.
 */
async function turnStart({ options, context }: GauntletRunContext): Promise<number | undefined> {
  const { runtime, stop } = options;
  if (stop === undefined || runtime.isRemote) return undefined;
  const turn = await new TurnStore(runtime, context.gitDir).read("turns", stop.session);
  return turn?.at === undefined ? undefined : Date.parse(turn.at);
}
