/** From a linked worktree to the checkout it belongs to, read from git's own files (H1). */
import { posix } from "node:path";
import { ok } from "neverthrow";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/Runtime";
import type { MachineView } from "@/node/services/hooks/settingsCache";

const LONGEST_GIT_FILE = 4 * KIB;

/** Absent where `projectDir` is no linked worktree, or its repository has no checkout of its own. */
export async function findMainCheckout(
  { files, stats, memory }: MachineView,
  projectDir: string
): Promise<string | undefined> {
  const gitFile = posix.join(projectDir, ".git");
  const [stat] = await stats.stat([gitFile]);
  if (stat?.kind !== "file") return undefined;
  const found = await memory.mainCheckouts.get(gitFile, stat, async () =>
    ok(await readMainCheckout(files, projectDir, gitFile))
  );
  return found.unwrapOr(undefined);
}

/** `.git` names the worktree's own folder, whose `commondir` names the repository's: `<main>/.git`. */
async function readMainCheckout(
  files: Files,
  projectDir: string,
  gitFile: string
): Promise<string | undefined> {
  const named = /^gitdir: (.+)/.exec(await readLine(files, gitFile))?.[1];
  if (named === undefined) return undefined;
  const gitDir = posix.resolve(projectDir, named);
  const common = await readLine(files, posix.join(gitDir, "commondir"));
  if (common === "") return undefined;
  const commonDir = posix.resolve(gitDir, common);
  return posix.basename(commonDir) === ".git" ? posix.dirname(commonDir) : undefined;
}

/** The first line, empty where there is none. */
async function readLine(files: Files, path: string): Promise<string> {
  const read = await files.readFile(path, { maxBytes: LONGEST_GIT_FILE });
  const text = read.isOk() ? new TextDecoder().decode(read.value) : "";
  return text.split("\n", 1)[0]?.trimEnd() ?? "";
}
