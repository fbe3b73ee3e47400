import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { failed, runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/**
 * One changed file, symbolic link, or submodule. Paths are relative to the project, "/" between their parts, exactly as
 * git has them. Bytes that are no UTF-8 stand as U+FFFD: good to show and to match folders with, not to open.
 */
export interface ChangedFile {
  readonly path: string;
  /** `modified` is also a mode, or a file that became a link. */
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Of a renamed file. */
  readonly previousPath?: string;
  /** Whether it is a submodule or a nested repository now. */
  readonly isRepository?: boolean;
}

/**
 * What differs in the project between two commits or trees, in git's order (G8). A file is renamed where its content
 * stayed the same; one that was edited as well is deleted here and added there.
 */
export async function changedFiles(
  runtime: HookRuntime,
  { projectDir, head, headTree, signal }: GitContext,
  from: string,
  to: string
): Promise<Result<ChangedFile[], GitFailure>> {
  const treeOf = (id: string): string => (id === head ? (headTree ?? id) : id);
  if (treeOf(from) === treeOf(to)) return ok([]);
  const args = [...DIFF, from, to, "--"];
  const keepBytes = MAX_BYTES;
  const printed = await runGit(runtime, { cwd: projectDir, args, keepBytes, signal });
  return printed.andThen(readRawDiff);
}

/** Every path that a gate may ask about: of a renamed file both. */
export function changedPaths(files: readonly ChangedFile[]): string[] {
  return files.flatMap(({ path, previousPath }) =>
    previousPath === undefined ? [path] : [previousPath, path]
  );
}

/** Room for hundreds of thousands of files. */
const MAX_BYTES = 64 * MIB;

const DIFF = [
  "diff-tree",
  "-r",
  "-z",
  "--raw",
  "--relative",
  "--no-ext-diff",
  "--ignore-submodules=none",
  // Equal content alone: to compare contents takes the square of what was added and deleted.
  "--find-renames=100%",
  "--end-of-options",
];

/** `:100644 100644 <id> <id> M`, NUL, the path, NUL; after `R100` two paths. */
function readRawDiff(text: string): Result<ChangedFile[], GitFailure> {
  const fields = text.split("\0");
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [, mode, status] = /^:\d+ (\d+) \S+ \S+ ([A-Z])\d*$/.exec(fields[at++] ?? "") ?? [];
    const kind = mode === REPOSITORY_MODE ? { isRepository: true } : {};
    const path = fields[at++];
    if (status === undefined || path === undefined) return err(failed(UNREADABLE));
    if (status !== "R") {
      files.push({ path, status: STATUSES.get(status) ?? "modified", ...kind });
      continue;
    }
    const renamedTo = fields[at++];
    if (renamedTo === undefined) return err(failed(UNREADABLE));
    files.push({ path: renamedTo, status: "renamed", previousPath: path, ...kind });
  }
  return ok(files);
}

const REPOSITORY_MODE = "160000";

const STATUSES: ReadonlyMap<string, ChangedFile["status"]> = new Map([
  ["A", "added"],
  ["D", "deleted"],
]);

const UNREADABLE = "git diff-tree printed what cannot be read as a list of changed files";
