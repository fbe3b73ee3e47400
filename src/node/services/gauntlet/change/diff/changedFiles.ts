/**
 * Lists the files that differ between two trees, or between a tree and an index, and selects the two trees for a
 * branch, for `--uncommitted` and for `--commit` (G7).
 */
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

const DIFF_TREE_UNREADABLE =
  "git diff-tree printed an unknown format instead of a list of changed files";

/**
 * A changed file, symbolic link or submodule. Paths are relative to the project, separated by "/", exactly as git has
 * them. Bytes that are not UTF-8 become U+FFFD: such a path can be displayed and matched with folders, but not opened.
 */
export interface ChangedFile {
  readonly path: string;
  /** `modified` includes a changed mode, and a file that became a link. */
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Only for a renamed file. */
  readonly previousPath?: string;
  /** Whether it is now a submodule or a nested repository. */
  readonly isRepository?: boolean;
}

/**
 * Returns the project's differences between two commits or trees, in git's order (G8). A file is renamed only if its
 * content stayed the same; otherwise the old path is deleted and the new path is added.
 */
export async function changedFiles(
  runtime: HookRuntime,
  { projectDir: cwd, head, headTree, signal }: GitContext,
  from: string,
  to: string
): Promise<Result<ChangedFile[], git.GitFailure>> {
  const treeOf = (id: string): string => (id === head ? (headTree ?? id) : id);
  if (treeOf(from) === treeOf(to)) return ok([]);
  const args = ["diff-tree", "-r", ...DIFF, from, to, "--"];
  const printed = await git.runGit(runtime, { cwd, args, keepBytes: MAX_BYTES, signal });
  return printed.andThen(readRawDiff);
}

/**
 * Returns the differences between a commit or tree and the index of `call`. They are those to the tree of the index,
 * which need not be written yet.
 */
export async function indexedChanges(
  runtime: HookRuntime,
  call: Omit<git.GitCall, "args">,
  from: string
): Promise<Result<ChangedFile[], git.GitFailure>> {
  const args = ["diff-index", "--cached", ...DIFF, from, "--"];
  const printed = await git.runGit(runtime, { ...call, args, keepBytes: MAX_BYTES });
  return printed.andThen(readRawDiff);
}

/** Returns every path that a gate may match: for a renamed file, both of its paths. */
export function changedPaths(files: readonly ChangedFile[]): string[] {
  return files.flatMap(({ path, previousPath }) =>
    previousPath === undefined ? [path] : [previousPath, path]
  );
}

/** Enough for hundreds of thousands of files. */
const MAX_BYTES = 64 * MIB;

const DIFF = [
  "-z",
  "--raw",
  "--relative",
  "--no-ext-diff",
  "--ignore-submodules=none",
  // Only equal content: comparing contents takes time quadratic in the number of added and deleted files.
  "--find-renames=100%",
  "--end-of-options",
];

/** Parses `:100644 100644 <id> <id> M`, NUL, the path, NUL. `R100` is followed by two paths. */
function readRawDiff(text: string): Result<ChangedFile[], git.GitFailure> {
  const fields = text.split("\0");
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [, mode, status] = /^:\d+ (\d+) \S+ \S+ ([A-Z])\d*$/.exec(fields[at++] ?? "") ?? [];
    const kind = mode === REPOSITORY_MODE ? { isRepository: true } : {};
    const path = fields[at++];
    if (status === undefined || path === undefined) return err(git.failed(DIFF_TREE_UNREADABLE));
    if (status !== "R") {
      files.push({ path, status: STATUSES.get(status) ?? "modified", ...kind });
      continue;
    }
    const renamedTo = fields[at++];
    if (renamedTo === undefined) return err(git.failed(DIFF_TREE_UNREADABLE));
    files.push({ path: renamedTo, status: "renamed", previousPath: path, ...kind });
  }
  return ok(files);
}

const REPOSITORY_MODE = "160000";

const STATUSES: ReadonlyMap<string, ChangedFile["status"]> = new Map([
  ["A", "added"],
  ["D", "deleted"],
]);

/** Two commits or trees, for `changedFiles`. */
export interface DiffRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the range of everything since the branch left its base, including uncommitted and untracked files. */
export function branchChanges(context: GitContext, snapshot: string): DiffRange {
  return { from: context.baseCommit ?? context.head ?? context.emptyTree, to: snapshot };
}

/** Returns the range for `--uncommitted`: staged, unstaged and untracked changes, as in the working tree. */
export function uncommittedChanges(context: GitContext, snapshot: string): DiffRange {
  return { from: context.head ?? context.emptyTree, to: snapshot };
}

/** Returns the range for `--commit`: from its first parent, or the empty tree for a root commit. One git process. */
export async function commitChanges(
  runtime: HookRuntime,
  { projectDir, emptyTree, signal }: GitContext,
  commit: string
): Promise<Result<DiffRange, git.GitFailure>> {
  const revision = ["--end-of-options", `${commit}^{commit}`, "--"];
  const args = ["rev-list", "--no-walk", "--parents", ...revision];
  const output = await git.execGit(runtime, { cwd: projectDir, args, signal });
  return output.andThen(({ stdout }) => {
    const [id, parent = emptyTree] = stdout.trimEnd().split(/[ \n]/);
    // `a..b` names two commits.
    if (id === undefined || id === "" || commit.includes("..")) {
      const why = `there is no commit ${JSON.stringify(commit)} in this repository; use the ID or the name of one commit`;
      return err(git.failed(why));
    }
    return ok({ from: parent, to: id });
  });
}
