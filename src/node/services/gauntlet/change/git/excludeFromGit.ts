/**
 * Excludes the log folder, or a file that must not count as a change, such as a report or the user's own configuration,
 * with a line in `.git/info/exclude`, which is never committed (G20). Adds no line if git already ignores it.
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/**
 * Adds the folder unless it is already ignored. Runs git only if no ignore file contains it literally.
 *
 * @param logDir relative to the project, separated by "/"
 * @param isFile whether it is a single file
 */
export async function ignoreLogDir(
  runtime: HookRuntime,
  context: GitContext,
  logDir: string,
  isFile = false
): Promise<Result<void, git.GitFailure>> {
  const { projectDir, root, prefix, commonDir, signal } = context;
  const folder = posix.normalize(logDir).replace(/\/+$/, "");
  const pattern = `/${prefix}${folder}${isFile ? "" : "/"}`.replace(/[\\*?[\]]/g, "\\$&");
  if (/[\r\n]/.test(pattern))
    return err(git.failed("log_dir contains a line break; use the name of a folder without one"));
  const exclude = posix.join(commonDir, "info/exclude");
  const excluded = await beginningOf(runtime, exclude);
  if (hasLine(excluded, [pattern])) return ok(undefined);
  const isIgnoredIn = async (dir: string): Promise<boolean> => {
    const ignored = await beginningOf(runtime, posix.join(dir, ".gitignore"));
    return hasLine(ignored, plainPatterns(dir === projectDir ? folder : `${prefix}${folder}`));
  };
  const dirs = [...new Set([root, projectDir])];
  if ((await Promise.all(dirs.map(isIgnoredIn))).includes(true)) return ok(undefined);

  // A pattern such as `/logs/` does not match the path of a missing folder, so check paths in it. One such as `*.log`
  // matches only some of them.
  const names = isFile ? [""] : ["/console.1.log", "/.execution_state"];
  const inside = names.map((name) => `./${folder}${name}`);
  const args = ["check-ignore", "--no-index", "--end-of-options", ...inside];
  const output = await git.execGit(runtime, { cwd: projectDir, args, signal });
  if (output.isErr()) return err(output.error);
  if (output.value.code > 1) return err(git.refusal(args, output.value));
  if (output.value.stdout.split("\n").length > inside.length) return ok(undefined);
  const lineEnd = excluded === "" || excluded.endsWith("\n") ? "" : "\n";
  const appended = await runtime.appendFile(exclude, `${lineEnd}${pattern}\n`, { mode: 0o644 });
  return appended.mapErr(({ message }) =>
    git.failed(`${exclude} could not be written: ${message}; add ${pattern} to .gitignore instead`)
  );
}

/**
 * Returns the first MiB of a file, or an empty text if the file cannot be read. If the pattern is in the rest, `git
 * check-ignore` finds it.
 */
async function beginningOf(runtime: HookRuntime, path: string): Promise<string> {
  return (await readText(runtime, path, { maxBytes: MIB })) ?? "";
}

function hasLine(text: string, wanted: readonly string[]): boolean {
  const lines = text.split(/\r?\n/);
  // A pattern with `!` may include the folder again, so git decides.
  if (lines.some((line) => line.startsWith("!"))) return false;
  return lines.some((line) => wanted.includes(line));
}

/** Returns the usual ways to write the folder. Names with special characters are left to git. */
function plainPatterns(folder: string): string[] {
  if (!/^[A-Za-z0-9._/-]+$/.test(folder)) return [];
  return [folder, `${folder}/`, `/${folder}`, `/${folder}/`];
}
