/** Finds the main checkout of a linked worktree in git's own files (H1). */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { parseCommonDir, parseGitFile } from "@/common/gitFile";
import { KIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { MachineView } from "@/node/services/hooks/settings/workspace";

type Reads = Pick<Files, "readFile">;

const MAX_GIT_FILE_BYTES = 4 * KIB;

/**
 * Returns the main checkout. It is undefined if `projectDir` is not a linked worktree, or if its repository has none.
 */
export async function findMainCheckout(
  { files, stats, memory }: MachineView,
  projectDir: string
): Promise<string | undefined> {
  const gitFile = posix.join(projectDir, ".git");
  const [stat] = await stats.stat([gitFile]);
  if (stat?.kind !== "file") return undefined;
  const found = await memory.mainCheckouts.get(gitFile, stat, () =>
    readMainCheckout(files, projectDir, gitFile)
  );
  return found.unwrapOr(undefined);
}

/**
 * Returns the main checkout whose trust a linked worktree has (H31). The repository must name the worktree too, because a
 * `.git` file alone could claim the trust of any project.
 */
export async function findOwningCheckout(
  files: Reads,
  projectDir: string
): Promise<string | undefined> {
  const gitFile = posix.join(projectDir, ".git");
  const pointer = await readText(files, gitFile);
  const gitDir = pointer.map((text) => parseGitFile(text, projectDir)).unwrapOr(undefined);
  if (gitDir === undefined) return undefined;
  const common = await readText(files, posix.join(gitDir, "commondir"));
  const main = common.map((text) => parseCommonDir(text, gitDir)).unwrapOr(undefined);
  const link = await readText(files, posix.join(gitDir, "gitdir"));
  const named = posix.resolve(gitDir, link.unwrapOr("").trimEnd());
  const isOwner =
    main !== undefined &&
    posix.dirname(gitDir) === posix.join(main, ".git", "worktrees") &&
    named === gitFile;
  return isOwner ? main : undefined;
}

/** Reads the worktree's git folder from `.git`, and the repository's (`<main>/.git`) from `commondir` in it. */
async function readMainCheckout(
  files: Reads,
  projectDir: string,
  gitFile: string
): Promise<Result<string | undefined, FileFailure>> {
  const pointer = await readText(files, gitFile);
  const gitDir = pointer.map((text) => parseGitFile(text, projectDir));
  if (gitDir.isErr() || gitDir.value === undefined) return gitDir;
  const folder = gitDir.value;
  const common = await readText(files, posix.join(folder, "commondir"));
  return common.map((text) => parseCommonDir(text, folder));
}

async function readText(files: Reads, path: string): Promise<Result<string, FileFailure>> {
  const read = await files.readFile(path, { maxBytes: MAX_GIT_FILE_BYTES });
  return read.map((bytes) => new TextDecoder().decode(bytes));
}
