/** The whole working tree as one tree object, without a trace in index, stash list or working tree (G9). */
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

export interface Snapshot {
  /**
   * A tree, tracked and untracked files alike: the same content is the same ID, whoever committed what in between,
   * so two equal IDs mean that nothing changed. Nothing holds it yet (`keepSnapshots`).
   */
  readonly id: string;
  /** What could not be read and counts as it last stood in the index. */
  readonly warnings: readonly string[];
}

export interface SnapshotOptions {
  /**
   * Leaves the index that was made for it in git's folder. While a ref holds the snapshot and the person's own index
   * is the same, the next snapshot reads only files that have changed since, and is one git process where none has.
   */
  readonly keepIndex?: boolean;
  readonly now?: number;
}

/** Three git processes, or one with a kept index. Only content that git does not have yet is written, as loose objects. */
export async function takeSnapshot(
  runtime: HookRuntime,
  context: GitContext,
  { keepIndex = false, now = Date.now() }: SnapshotOptions = {}
): Promise<Result<Snapshot, GitFailure>> {
  const index = await TemporaryIndex.open(runtime, context, now);
  try {
    const again = keepIndex ? await renew(runtime, context, index) : undefined;
    const taken = again ?? (await begin(runtime, context, index));
    if (keepIndex && taken.isOk() && taken.value.warnings.length === 0) {
      await index.saveForNext(taken.value.id);
    }
    return taken;
  } finally {
    await index.remove();
  }
}

/** Whatever git was told to pass over (`update-index --assume-unchanged`), a file that differs is in doubt again. */
const DOUBT = ["update-index", "-q", "--really-refresh"];
const ADD = ["add", "--all", "--sparse", "--ignore-errors"];
const EMPTY_REPOSITORY = /'(.+)\/' does not have a commit checked out/;
const NOT_WRITTEN = "failed to insert into database";
const MAX_QUOTED_CHARS = 500;
const MAX_NAMED = 20;
/** Room for a line for each of hundreds of thousands of files. */
const MAX_BYTES = 64 * MIB;

/** From the person's index. */
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
  // Where git cannot write, nothing would seem to change.
  if (!isAdded(added.value)) return err(refusal(ADD, added.value));
  const { code, stderr } = added.value;
  const warnings = code === 0 ? [] : leftOut(stderr);
  return (await writeTree(runtime, git)).map((id) => ({ id, warnings }));
}

/** From the index of the snapshot before. Nothing where there is none, or where it may not be gone on with. */
async function renew(
  runtime: HookRuntime,
  context: GitContext,
  index: TemporaryIndex
): Promise<Result<Snapshot, GitFailure> | undefined> {
  const before = await index.reuse();
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

/** By other rules, what is in that index already might be ignored, or have other content. */
const CHANGES_RULES = /\.git(ignore|attributes)'$/m;

function callOf(
  { projectDir, signal }: GitContext,
  { path }: TemporaryIndex
): Omit<GitCall, "args"> {
  return { cwd: projectDir, env: { GIT_INDEX_FILE: path }, signal };
}

/** 1: some file could not be read, and the others are in. */
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

/** Names each nested repository without a commit, and quotes the rest of what git printed. */
function leftOut(stderr: string): string[] {
  const lines = stderr.trim().split("\n");
  const empty = lines.flatMap((line) => EMPTY_REPOSITORY.exec(line)?.[1] ?? []);
  const others = lines.filter((line) => !EMPTY_REPOSITORY.test(line));
  const isExplained = empty.length > 0 && !others.some((line) => /^(error|fatal):/.test(line));
  const quoted = clip(others.join("\n"), MAX_QUOTED_CHARS);
  return [
    ...empty.slice(0, MAX_NAMED).map(describeEmpty),
    ...(isExplained
      ? []
      : [
          `not everything in the working tree could be read, and changes there are not seen: ${quoted}`,
        ]),
  ];
}

function describeEmpty(path: string): string {
  const name = clip(visible(path), MAX_QUOTED_CHARS);
  return `the nested repository ${name} has no commit, so nothing in it was looked at: commit there, or ignore it`;
}
