/**
 * Parses `.git` and `commondir`, the two files through which a linked worktree finds its repository. Both may contain
 * relative paths.
 */
import { posix } from "node:path";

/** Returns the folder that a `.git` file in `folder` names with `gitdir:`. */
export function parseGitFile(text: string, folder: string): string | undefined {
  const named = /^gitdir: (.+)/.exec(firstLine(text))?.[1];
  return named === undefined ? undefined : posix.resolve(folder, named);
}

/** Returns the main checkout if the `commondir` file in `gitDir` names its repository: `<main>/.git`. */
export function parseCommonDir(text: string, gitDir: string): string | undefined {
  const line = firstLine(text);
  const commonDir = posix.resolve(gitDir, line);
  return line !== "" && posix.basename(commonDir) === ".git" ? posix.dirname(commonDir) : undefined;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.trimEnd() ?? "";
}
