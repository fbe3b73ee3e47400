/**
 * Asks git single questions: whether a commit contains another one, whether it tracks a file, which files a tree has,
 * and which is the top folder. Also creates the commit that a check compares with (G33), and holds snapshots by refs
 * (G9a).
 */
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { snapshotRefs, type GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import {
  execGit,
  refusal,
  runGit,
  type GitFailure,
} from "@/node/services/gauntlet/change/git/runGit";

/** Returns whether `descendant` contains `ancestor` (G18). A commit that is missing or invalid is not an ancestor. */
export async function isAncestor(
  runtime: HookRuntime,
  { projectDir, head, headInBase, baseRevision, signal }: GitContext,
  ancestor: string,
  descendant: string
): Promise<Result<boolean, GitFailure>> {
  if (ancestor === head && descendant === baseRevision) return ok(headInBase);
  const args = ["merge-base", "--is-ancestor", "--end-of-options", ancestor, descendant];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  return output.andThen((answer) => {
    if (answer.code <= 1) return ok(answer.code === 0);
    return answer.stderr.includes("Not a valid") ? ok(false) : err(refusal(args, answer));
  });
}

/**
 * Returns whether git tracks a file. If git cannot be run, returns false.
 *
 * @param file relative to `cwd`, which is absolute
 */
export async function isTracked(runtime: HookRuntime, cwd: string, file: string): Promise<boolean> {
  const args = ["ls-files", "-z", "--", `:(literal)${file}`];
  const tracked = await execGit(runtime, { cwd, args, mayBeCut: true });
  return tracked.isOk() && tracked.value.stdout !== "";
}

/** A file of a tree: its path relative to the project, and the ID of its mode and content. */
export interface TreeFile {
  readonly path: string;
  readonly id: string;
}

/** Returns every file of the project in a tree. One git process. */
export async function treeFiles(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  tree: string
): Promise<Result<TreeFile[], GitFailure>> {
  // Run in the project folder, so that files outside it are left out and paths are relative to it.
  const args = ["ls-tree", "-r", "-z", "--end-of-options", tree];
  const printed = await runGit(runtime, { cwd: projectDir, args, keepBytes: MAX_BYTES, signal });
  return printed.andThen((text) => ok(text.split("\0").flatMap(readEntry)));
}

const MAX_BYTES = 64 * MIB;

/** Parses `100644 blob <id>`, a tab, the path. */
function readEntry(entry: string): TreeFile[] {
  const tab = entry.indexOf("\t");
  return tab === -1 ? [] : [{ path: entry.slice(tab + 1), id: entry.slice(0, tab) }];
}

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
  const call = { cwd: projectDir, args: ["update-ref", "--stdin", "-z"], signal };
  const done = await runGit(runtime, { ...call, stdin: commands.join("") });
  return done.map(() => undefined);
}

/**
 * Constant, so that the same tree and parent have the same commit. In the future, because git walks all commits that are
 * newer than a commit to find a common ancestor. git accepts no year after 2099.
 */
const DATE = "3155760000 +0000";
const PERSON = { NAME: "agent-gauntlet", EMAIL: "agent-gauntlet@localhost", DATE };
const ENV = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) =>
    Object.entries(PERSON).map(([key, value]) => [`GIT_${role}_${key}`, value])
  )
);

/** Creates a commit with this tree, and returns its ID. One git process. No ref holds it yet (`keepSnapshots`). */
export async function treeCommit(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  tree: string,
  parent: string
): Promise<Result<string, GitFailure>> {
  const args = ["commit-tree", "-m", "The base of a comparison", "-p", parent, tree];
  const made = await runGit(runtime, { cwd: projectDir, args, env: ENV, signal });
  return made.map((id) => id.trim());
}

/** Returns the top folder of the working tree that contains `cwd`, or undefined if git fails. */
export async function topFolder(runtime: HookRuntime, cwd: string): Promise<string | undefined> {
  const top = await runGit(runtime, { cwd, args: ["rev-parse", "--show-toplevel"] });
  return top.map((text) => text.replace(/\n$/, "")).unwrapOr(undefined);
}
