/**
 * Finds the facts that `init` needs about a folder: whether it is in a repository, the base branch, and which files git
 * tracks or ignores.
 */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit, runGit } from "@/node/services/gauntlet/change/git/runGit";

const REMOTE_HEAD = "refs/remotes/origin/HEAD";
/** In order of preference. */
const USUAL_BASES = [
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/heads/main",
  "refs/heads/master",
];

/**
 * Returns the branch to compare a repository's work with: the remote's default branch, a usual name that exists, or
 * else the checked-out branch, even if it has no commit yet. Returns undefined if a run finds the branch by itself, or
 * if git fails.
 */
export async function findBaseBranch(
  runtime: HookRuntime,
  dir: string
): Promise<string | undefined> {
  const args = ["for-each-ref", "--format=%(refname) %(symref)", REMOTE_HEAD, ...USUAL_BASES];
  const lines = (await linesOf(runtime, dir, args)).map((line) => line.split(" "));
  const refs = new Map(lines.map(([name = "", target = ""]) => [name, target]));
  const head = refs.get(REMOTE_HEAD);
  const [main = ""] = USUAL_BASES;
  const found = head ?? USUAL_BASES.find((name) => refs.has(name));
  if (found === main || (head !== undefined && !refs.has(main))) return undefined;
  if (found)
    return found.startsWith("refs/heads/") ? undefined : found.replace(/^refs\/remotes\//, "");
  const [current] = await linesOf(runtime, dir, ["symbolic-ref", "--short", "HEAD"]);
  return current;
}

export async function isInRepository(runtime: HookRuntime, dir: string): Promise<boolean> {
  const [answer] = await linesOf(runtime, dir, ["rev-parse", "--is-inside-work-tree"]);
  return answer === "true";
}

/** Returns the files that git does not ignore, or none outside a repository. */
export async function notIgnored(
  runtime: HookRuntime,
  dir: string,
  paths: readonly string[]
): Promise<readonly string[]> {
  const call = { cwd: dir, args: ["check-ignore", "-z", "--stdin"], stdin: paths.join("\0") };
  const output = await execGit(runtime, call);
  // Exit code 1: none of them is ignored.
  if (output.isErr() || output.value.code > 1) return [];
  const ignored = new Set(output.value.stdout.split("\0"));
  return paths.filter((path) => !ignored.has(path));
}

/** Returns the files that git tracks, or none outside a repository. */
export async function tracked(
  runtime: HookRuntime,
  dir: string,
  paths: readonly string[]
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const printed = await runGit(runtime, { cwd: dir, args: ["ls-files", "-z", "--", ...paths] });
  const names = new Set(printed.unwrapOr("").split("\0"));
  return paths.filter((path) => names.has(path));
}

async function linesOf(runtime: HookRuntime, dir: string, args: string[]): Promise<string[]> {
  const printed = await runGit(runtime, { cwd: dir, args });
  return printed
    .unwrapOr("")
    .split("\n")
    .filter((line) => line !== "");
}
