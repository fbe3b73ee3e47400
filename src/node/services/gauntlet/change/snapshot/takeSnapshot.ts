/** Stores the whole working tree as one tree object. Does not change index, stash list or working tree (G9). */
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import {
  execGit,
  refusal,
  runGit,
  type GitOutput,
  type GitCall,
  type GitFailure,
} from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { TemporaryIndex } from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";
import { filesNotRead, nestedWithoutCommit } from "@/node/services/gauntlet/messages/change";

export interface Snapshot {
  /**
   * ID of a tree with tracked and untracked files. The same content has the same ID, regardless of commits in between,
   * so two equal IDs mean that no file changed. No ref holds the tree yet (`keepSnapshots`).
   */
  readonly id: string;
  /** Describes files that could not be read. They count as last recorded in the index. */
  readonly warnings: readonly string[];
}

export interface SnapshotOptions {
  /**
   * Keeps the temporary index in the git folder. While a ref holds the snapshot and the user's own index is unchanged,
   * the next snapshot reads only files that have changed since. If there are none, it takes one git process.
   */
  readonly keepIndex?: boolean;
  /** The snapshot that this run took before, which no ref holds yet. */
  readonly recent?: string;
  readonly now?: number;
}

/** Takes a snapshot with three git processes, or fewer with a kept index. Only writes new content, as loose objects. */
export async function takeSnapshot(
  runtime: HookRuntime,
  context: GitContext,
  { keepIndex = false, recent, now = Date.now() }: SnapshotOptions = {}
): Promise<Result<Snapshot, GitFailure>> {
  const index = await TemporaryIndex.open(runtime, context, now);
  try {
    const again = keepIndex ? await renew(runtime, context, index, recent) : undefined;
    const taken = again ?? (await begin(runtime, context, index));
    if (keepIndex && taken.isOk() && taken.value.warnings.length === 0) {
      await index.saveForNext(taken.value.id);
    }
    return taken;
  } finally {
    await index.remove();
  }
}

/** Makes git check files again that are marked as unchanged (`update-index --assume-unchanged`). */
const DOUBT = ["update-index", "-q", "--really-refresh"];
const ADD = ["add", "--all", "--sparse", "--ignore-errors"];
const EMPTY_REPOSITORY = /'(.+)\/' does not have a commit checked out/;
const NOT_WRITTEN = "failed to insert into database";
const MAX_QUOTED_CHARS = 500;
const MAX_NAMED = 20;
/** Enough for a line for each of hundreds of thousands of files. */
const MAX_BYTES = 64 * MIB;

/** Starts from the user's index. */
async function begin(
  runtime: HookRuntime,
  context: GitContext,
  index: TemporaryIndex
): Promise<Result<Snapshot, GitFailure>> {
  const copied = await index.copy();
  if (copied.isErr()) return err(copied.error);
  const git = callOf(context, index);
  const doubted = await execGit(runtime, { ...git, args: DOUBT });
  if (doubted.isErr()) return err(doubted.error);
  const added = await execGit(runtime, { ...git, args: ADD });
  if (added.isErr()) return err(added.error);
  // If git cannot write, the working tree would seem unchanged.
  if (!isAdded(added.value)) return err(refusal(ADD, added.value));
  const { code, stderr } = added.value;
  const warnings = code === 0 ? [] : leftOut(stderr);
  return (await writeTree(runtime, git)).map((id) => ({ id, warnings }));
}

/** Continues with the index of the previous snapshot. Returns undefined if there is none or it cannot be used. */
async function renew(
  runtime: HookRuntime,
  context: GitContext,
  index: TemporaryIndex,
  recent: string | undefined
): Promise<Result<Snapshot, GitFailure> | undefined> {
  const before = await index.reuse(recent);
  if (before === undefined) return undefined;
  const git = callOf(context, index);
  const args = [...ADD, "--verbose"];
  const added = await execGit(runtime, { ...git, args, keepBytes: MAX_BYTES });
  if (added.isErr()) return added.error.reason === "cancelled" ? err(added.error) : undefined;
  const { code, stdout } = added.value;
  if (code !== 0 || CHANGES_RULES.test(stdout)) return undefined;
  const id = (await index.isAsReused()) ? ok(before) : await writeTree(runtime, git);
  return id.map((tree) => ({ id: tree, warnings: [] }));
}

/**
 * Matches a change of a file that determines which files git ignores or how it converts content. The kept index may be
 * wrong after such a change.
 */
const CHANGES_RULES = /\.git(ignore|attributes)'$/m;

function callOf(
  { projectDir, signal }: GitContext,
  { path }: TemporaryIndex
): Omit<GitCall, "args"> {
  return { cwd: projectDir, env: { GIT_INDEX_FILE: path }, signal };
}

/** Returns true for exit code 1 as well: some file could not be read, but the others were added. */
function isAdded({ code, stderr }: GitOutput): boolean {
  return code <= 1 && !stderr.includes(NOT_WRITTEN);
}

async function writeTree(
  runtime: HookRuntime,
  git: Omit<GitCall, "args">
): Promise<Result<string, GitFailure>> {
  const written = await runGit(runtime, { ...git, args: ["write-tree", "--missing-ok"] });
  return written.map((id) => id.trimEnd());
}

/** Returns a warning for each nested repository without a commit, and one that quotes the rest of git's output. */
function leftOut(stderr: string): string[] {
  const lines = stderr.trim().split("\n");
  const empty = lines.flatMap((line) => EMPTY_REPOSITORY.exec(line)?.[1] ?? []);
  const others = lines.filter((line) => !EMPTY_REPOSITORY.test(line));
  const isExplained = empty.length > 0 && !others.some((line) => /^(error|fatal):/.test(line));
  const quoted = clip(others.join("\n"), MAX_QUOTED_CHARS);
  return [
    ...empty.slice(0, MAX_NAMED).map(describeEmpty),
    ...(isExplained ? [] : [filesNotRead(quoted)]),
  ];
}

function describeEmpty(path: string): string {
  return nestedWithoutCommit(clip(visible(path), MAX_QUOTED_CHARS));
}
