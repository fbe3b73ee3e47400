/**
 * Finds the git folder and the top folder of a working tree, and reads the branch and the commit of HEAD from files,
 * without running git. Also names the folder of the gauntlet's records in the git folder. Has few imports, so that the
 * command `turn-start` starts fast.
 */
import { posix } from "node:path";
import { parseGitFile } from "@/common/linkedWorktree";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";

export type GitReads = Pick<Files, "stat" | "readFile">;

const MAX_REF_BYTES = 4 * KIB;
const MAX_PACKED_REFS_BYTES = 4 * KIB * KIB;

/** Returns a path in the folder for the records of the gauntlet, which is in the git folder. */
export function turnPath(gitDir: string, ...names: readonly string[]): string {
  return posix.join(gitDir, "agent-gauntlet", ...names);
}

/** Returns the nearest `.git` folder upward, or the folder that a `.git` file names in a linked worktree. */
export async function findGitDir(files: GitReads, folder: string): Promise<string | undefined> {
  return (await findWorkingTree(files, folder))?.gitDir;
}

/** Returns the same folder as {@link findGitDir}, and the top folder of its working tree. */
export async function findWorkingTree(
  files: GitReads,
  folder: string
): Promise<{ readonly root: string; readonly gitDir: string } | undefined> {
  const path = posix.join(folder, ".git");
  const [stat] = await files.stat([path]);
  if (stat?.kind === "directory") return { root: folder, gitDir: path };
  if (stat?.kind === "file") {
    const gitDir = parseGitFile((await readLine(files, path)) ?? "", folder);
    return gitDir === undefined ? undefined : { root: folder, gitDir };
  }
  const parent = posix.dirname(folder);
  return parent === folder ? undefined : await findWorkingTree(files, parent);
}

/** Returns the content of `HEAD`: `ref: refs/heads/…`, or the ID of a commit. Undefined if only git can find it. */
export async function readHead(files: GitReads, gitDir: string): Promise<string | undefined> {
  const head = await readLine(files, posix.join(gitDir, "HEAD"));
  // The content in a repository with reftables.
  return head === "ref: refs/heads/.invalid" ? undefined : head;
}

/** Returns the branch that the content of `HEAD` names, or `HEAD` if it is detached, as the reflog names it. */
export function branchOf(head: string | undefined): string {
  return /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1] ?? "HEAD";
}

/** Returns the checked-out branch without git, `HEAD` if there is none, or undefined if it is unknown. */
export async function currentBranch(files: GitReads, dir: string): Promise<string | undefined> {
  const gitDir = await findGitDir(files, dir);
  const head = gitDir === undefined ? undefined : await readHead(files, gitDir);
  return head === undefined ? undefined : branchOf(head);
}

/** Returns the commit of HEAD, or undefined if there is none or only git can find it. */
export async function headCommit(files: GitReads, gitDir: string): Promise<string | undefined> {
  const head = await readHead(files, gitDir);
  const ref = /^ref: (refs\/.+)$/.exec(head ?? "")?.[1];
  if (ref === undefined) return commitIn(head);
  const commonDir = await commonGitDir(files, gitDir);
  const loose = commitIn(await readLine(files, posix.join(commonDir, ref)));
  if (loose !== undefined) return loose;
  const packed = await readLine(files, posix.join(commonDir, "packed-refs"), MAX_PACKED_REFS_BYTES);
  return commitIn(packed?.split("\n").find((line) => line.endsWith(` ${ref}`)));
}

/** Returns the folder that all worktrees of a repository share. */
export async function commonGitDir(files: GitReads, gitDir: string): Promise<string> {
  const common = await readLine(files, posix.join(gitDir, "commondir"));
  return common === undefined ? gitDir : posix.resolve(gitDir, common);
}

function commitIn(text: string | undefined): string | undefined {
  return /^[0-9a-f]{40,64}\b/.exec(text ?? "")?.[0];
}

async function readLine(
  files: GitReads,
  path: string,
  maxBytes = MAX_REF_BYTES
): Promise<string | undefined> {
  return (await readText(files, path, { maxBytes }))?.trimEnd();
}
