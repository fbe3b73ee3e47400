/** Finds the branch of a checkout without starting git, as Claude Code records it in each row (H37). */
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import { parseGitFile } from "@/common/gitFile";
import type { Files } from "@/node/runtime/HookRuntime";

/** Returns the branch, `HEAD` if none is checked out, or an empty text if the folder is not the root of a checkout. */
export async function readGitBranch(files: Files, projectDir: string): Promise<string> {
  const git = posix.join(projectDir, ".git");
  const head = await readText(files, posix.join(git, "HEAD"));
  if (head !== undefined) return branchOf(head);
  const gitDir = parseGitFile((await readText(files, git)) ?? "", projectDir);
  if (gitDir === undefined) return "";
  return branchOf((await readText(files, posix.join(gitDir, "HEAD"))) ?? "");
}

async function readText(files: Files, path: string): Promise<string | undefined> {
  const read = await files.readFile(path, { maxBytes: 4 * KIB });
  return read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr(undefined);
}

function branchOf(head: string): string {
  const line = head.trimEnd();
  if (line === "") return "";
  return /^ref: refs\/heads\/(.+)/.exec(line)?.[1] ?? "HEAD";
}
