/** What of a repository a first configuration and its writer need to know. A git that cannot say is no failure here. */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";

const REMOTE_HEAD = "refs/remotes/origin/HEAD";
/** Most telling first. */
const USUAL_BASES = [
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/heads/main",
  "refs/heads/master",
];

/**
 * The branch that work in a repository is to be compared with: the remote's default branch, a usual name that exists,
 * else the one that is checked out, be it without a commit yet. Nothing where none can be told.
 */
export async function findBaseBranch(
  runtime: HookRuntime,
  dir: string
): Promise<string | undefined> {
  const args = ["for-each-ref", "--format=%(refname) %(symref)", REMOTE_HEAD, ...USUAL_BASES];
  const lines = (await linesOf(runtime, dir, args)).map((line) => line.split(" "));
  const refs = new Map(lines.map(([name = "", target = ""]) => [name, target]));
  const found = refs.get(REMOTE_HEAD) ?? USUAL_BASES.find((name) => refs.has(name));
  if (found) return found.replace(/^refs\/(?:heads|remotes)\//, "");
  const [current] = await linesOf(runtime, dir, ["symbolic-ref", "--short", "HEAD"]);
  return current;
}

export async function isInRepository(runtime: HookRuntime, dir: string): Promise<boolean> {
  const [answer] = await linesOf(runtime, dir, ["rev-parse", "--is-inside-work-tree"]);
  return answer === "true";
}

/** Those of the files that git would take into a commit; none outside a repository. */
export async function notIgnored(
  runtime: HookRuntime,
  dir: string,
  paths: readonly string[]
): Promise<readonly string[]> {
  const args = ["check-ignore", "--", ...paths];
  const output = await execGit(runtime, { cwd: dir, args });
  // 1: none of them is ignored.
  if (output.isErr() || output.value.code > 1) return [];
  const ignored = new Set(output.value.stdout.split("\n"));
  return paths.filter((path) => !ignored.has(path));
}

async function linesOf(runtime: HookRuntime, dir: string, args: string[]): Promise<string[]> {
  const output = await execGit(runtime, { cwd: dir, args });
  if (output.isErr() || output.value.code !== 0) return [];
  return output.value.stdout.split("\n").filter((line) => line !== "");
}
