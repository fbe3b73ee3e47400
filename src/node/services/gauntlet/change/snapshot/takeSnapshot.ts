/**
 * Stores the whole working tree as one tree object of git, for comparison with other trees, or as an index in which all
 * files are tracked, for commands that list files. The user's index, stash list and working tree do not change (G9).
 * Stores only a hash of large untracked files, leaves out the outputs of checks, unless git tracks them (G20c), and warns
 * of files that cannot be read.
 */
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { MIB } from "@/common/limits";
import { clip, visible } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import {
  indexedChanges,
  type ChangedFile,
} from "@/node/services/gauntlet/change/diff/changedFiles";
import {
  matcherOf,
  outputMatcher,
  type OutputRule,
} from "@/node/services/gauntlet/domain/outputRules";
import * as largeFiles from "@/node/services/gauntlet/change/snapshot/hashLargeFiles";
import {
  TemporaryIndex,
  type KeptTree,
} from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";

/** The whole working tree at one time. */
export interface Snapshot {
  /**
   * ID of a tree with tracked and untracked files. The same content has the same ID, regardless of commits in between,
   * so two equal IDs mean that no file changed. No ref holds the tree yet (`keepSnapshots`).
   */
  readonly id: string;
  /** Describes files that could not be read. They count as last recorded in the index. */
  readonly warnings: readonly string[];
  /** By ID, the differences to each of `compareWith`. Empty if no file has changed since the kept index. */
  readonly changes: ComparedSnapshots;
  /** The rules that match files that git tracks. The snapshot includes all files that they match (G20c). */
  readonly rejected: readonly RejectedOutput[];
  /** Untracked files of which the snapshot has only the hash. */
  readonly large: largeFiles.LargeFiles;
}

/** A rule for outputs that matches files that git tracks. */
export interface RejectedOutput {
  readonly rule: OutputRule;
  /** Some of the files. */
  readonly files: readonly string[];
}

export type ComparedSnapshots = ReadonlyMap<string, Result<readonly ChangedFile[], git.GitFailure>>;

export interface SnapshotOptions {
  /**
   * Keeps the temporary index in the git folder. While a ref holds the snapshot and the user's own index is unchanged,
   * the next snapshot reads only files that have changed since. If there are none, it takes one git process.
   */
  readonly keepIndex?: boolean;
  /** The snapshot that this run took before, which no ref holds yet. */
  readonly recent?: string;
  /** Commits or trees to compare with, while git writes the snapshot. */
  readonly compareWith?: readonly string[];
  /** Called once it is known that files have changed since the kept index. */
  readonly onChange?: () => void;
}

/**
 * Takes a snapshot with at least three git processes, or fewer with a kept index. Only writes new content, as loose
 * objects.
 */
export async function takeSnapshot(
  runtime: HookRuntime,
  context: GitContext,
  options: SnapshotOptions = {}
): Promise<Result<Snapshot, git.GitFailure>> {
  const { keepIndex = false } = options;
  const index = await TemporaryIndex.open(runtime, context);
  const place = { runtime, context, index, options };
  try {
    const renewed = keepIndex ? await renew(place) : undefined;
    const taken = renewed ?? (await begin(place));
    if (keepIndex && taken.isOk() && isComplete(taken.value)) {
      await index.saveForNext(taken.value.id, taken.value.large);
    }
    return taken;
  } finally {
    await index.remove();
  }
}

/** Returns an index in which all files are tracked, for a program that looks only at tracked or staged files. */
export async function completeIndex(
  runtime: HookRuntime,
  context: GitContext
): Promise<Result<TemporaryIndex, git.GitFailure>> {
  const index = await TemporaryIndex.open(runtime, context);
  const made = await safeTry<TemporaryIndex, git.GitFailure>(async function* () {
    yield* await index.copy();
    yield* await removeMarks({ runtime, context, index }, [...TRACKED, ...without()]);
    const args = [...ADD, ...without(context.outputs)];
    const added = yield* await git.execGit(runtime, { ...callOf(context, index), args });
    return isAdded(added) ? ok(index) : err(git.refusal(ADD, added));
  });
  if (made.isErr()) await index.remove();
  return made;
}

/** Returns whether the next snapshot may continue with the index. The kept index has no rejected rules. */
function isComplete({ warnings, rejected }: Snapshot): boolean {
  return warnings.length === 0 && rejected.length === 0;
}

/** Lists the tracked files, each after a letter, which is lower-case if the file is marked as unchanged. */
const TRACKED = ["ls-files", "-z", "-v", "--cached", "--full-name"];
/** Makes it list the untracked files as well, before the tracked ones, and each after a question mark. */
const OTHERS = ["--others", "--exclude-standard"];
const UNTRACKED = /(?<=(?:^|\0)\? )[^\0]+(?=\0)/g;
const MARKED = /(?<=(?:^|\0)[hs] )[^\0]+\0/g;
/** Checks all marked files once, and removes the marks of those on standard input. */
const REMOVE_MARKS = "update-index -q --really-refresh -z --no-assume-unchanged --stdin".split(" ");
const UPDATE = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
const STATUS = [
  "status",
  "--porcelain",
  "-z",
  "--no-renames",
  "--untracked-files=all",
  "--ignore-submodules=dirty",
];
const ADD = ["add", "--all", "--sparse", "--ignore-errors"];
const EMPTY_REPOSITORY = /'(.+)\/' does not have a commit checked out/;
const NOT_WRITTEN = "failed to insert into database";
const MAX_QUOTED_CHARS = 500;
const MAX_NAMED = 20;
/** Enough for a line for each of hundreds of thousands of files. */
const MAX_BYTES = 64 * MIB;

interface SnapshotPlace {
  readonly runtime: HookRuntime;
  readonly context: GitContext;
  readonly index: TemporaryIndex;
  readonly options: SnapshotOptions;
}

/** Returns the outputs that a snapshot leaves out. */
export function allowedOutputs(
  outputs: readonly OutputRule[] | undefined,
  rejected: readonly RejectedOutput[]
): readonly OutputRule[] {
  return (outputs ?? []).filter((output) => rejected.every(({ rule }) => rule !== output));
}

/** Returns the arguments with which git leaves out files. It would not update tracked ones either. */
function without(outputs: readonly OutputRule[] = [], large = largeFiles.NO_LARGE_FILES): string[] {
  const patterns = outputs.flatMap((output) => output.patterns);
  const globs = patterns.map((pattern) => `:(exclude,glob)${pattern}`);
  return ["--", ":/", ...globs, ...largeFiles.withoutLarge(large)];
}

/** Returns the rules that match files that git tracks. One git process, or none without rules. */
async function rejectedOutputs(
  runtime: HookRuntime,
  { projectDir, signal, outputs = [] }: Pick<GitContext, "projectDir" | "signal" | "outputs">
): Promise<Result<RejectedOutput[], git.GitFailure>> {
  if (outputs.length === 0) return ok([]);
  const globs = outputs.flatMap(({ patterns }) => patterns.map((pattern) => `:(glob)${pattern}`));
  const args = ["ls-files", "-z", "--cached", "--", ...globs];
  const listed = await git.runGit(runtime, { cwd: projectDir, args, keepBytes: MAX_BYTES, signal });
  return listed.map((text) => {
    const tracked = text.split("\0").filter((path) => path !== "");
    // A glob may mean more to git. Such a file is not updated either.
    const isKnown = outputMatcher(outputs);
    const others = tracked.filter((path) => !isKnown(path));
    return outputs.flatMap((rule) => {
      const matches = matcherOf(rule);
      const files = [...tracked.filter((path) => matches(path)), ...others];
      return files.length === 0 ? [] : [{ rule, files: files.slice(0, MAX_NAMED) }];
    });
  });
}

/**
 * Makes git check files again that are marked as unchanged (`update-index --assume-unchanged`), and returns the list of
 * all files.
 *
 * @param list the arguments of git that list them: `TRACKED`, with `OTHERS` if untracked files are wanted too
 */
function removeMarks(
  { runtime, context, index }: Omit<SnapshotPlace, "options">,
  list: readonly string[]
) {
  return safeTry<git.GitOutput, git.GitFailure>(async function* () {
    const call = { ...callOf(context, index), keepBytes: MAX_BYTES };
    const listed = yield* await git.execGit(runtime, { ...call, args: list, mayBeCut: true });
    const marked = listed.stdout.match(MARKED) ?? [];
    if (marked.length === 0) return ok(listed);
    // git would refuse the call because of a name that is not UTF-8.
    const stdin = marked.filter((name) => !name.includes("\uFFFD")).join("");
    // It fails for files with conflicts.
    yield* await git.execGit(runtime, { ...call, cwd: context.root, args: REMOVE_MARKS, stdin });
    return ok(listed);
  });
}

/** Starts from the user's index. */
function begin(place: SnapshotPlace): ResultAsync<Snapshot, git.GitFailure> {
  return safeTry(async function* () {
    const { runtime, context, index } = place;
    yield* await index.copy();
    const call = callOf(context, index);
    const rejected = yield* await rejectedOutputs(runtime, context);
    const outputs = allowedOutputs(context.outputs, rejected);
    const list = [...TRACKED, ...OTHERS, ...without(outputs)];
    const { stdout, isCut } = yield* await removeMarks(place, list);
    const paths = isCut ? [] : (stdout.match(UNTRACKED) ?? []);
    const stats = await largeFiles.statsOf(runtime, context.root, paths);
    const large = yield* await largeFiles.readLargeFiles(runtime, context, paths, stats);
    const args = [...ADD, ...without(outputs, large)];
    const added = yield* await git.execGit(runtime, { ...call, args });
    // If git cannot write, the working tree would seem unchanged.
    if (!isAdded(added)) return err(git.refusal(ADD, added));
    yield* await largeFiles.putStandIns(runtime, call, large);
    const written = yield* await write(place);
    const warnings = added.code === 0 ? [] : leftOut(added.stderr);
    return ok({ ...written, warnings, rejected, large });
  });
}

/** Continues with the index of the previous snapshot. Returns undefined if there is none or it cannot be used. */
async function renew(place: SnapshotPlace): Promise<Result<Snapshot, git.GitFailure> | undefined> {
  const before = await place.index.reuse(place.options.recent);
  if (before === undefined) return undefined;
  return (await renewFrom(place, before)).match(
    (snapshot) => snapshot && ok(snapshot),
    (failure) => (failure.reason === "cancelled" ? err(failure) : undefined)
  );
}

function renewFrom(
  place: SnapshotPlace,
  before: KeptTree
): ResultAsync<Snapshot | undefined, git.GitFailure> {
  return safeTry(async function* () {
    const { runtime, context, index } = place;
    const call = { ...callOf(context, index), cwd: context.root, keepBytes: MAX_BYTES };
    const listed = yield* await git.execGit(runtime, {
      ...{ ...call, cwd: context.projectDir },
      // git saves that an entry is unchanged, so that the next snapshot need not read its file.
      env: { ...call.env, GIT_OPTIONAL_LOCKS: "1" },
      args: [...STATUS, ...without(context.outputs)],
    });
    // The second letter compares the file with this index, and the first one this index with HEAD.
    const lines = listed.stdout.split("\0").filter((line) => /^.[^ ]/.test(line));
    const changed = lines.map((line) => line.slice(PATH_AT));
    if (listed.code !== 0 || changed.some((path) => NEEDS_BEGIN.test(path))) return ok(undefined);
    const known = [...before.large.keys()];
    const paths = [...known, ...changed];
    const stats = await largeFiles.statsOf(runtime, context.root, paths);
    // Git may track a file that is in this index, which only the user's index shows.
    const isInIndex = (i: number): boolean => lines[i - known.length]?.startsWith("?") === false;
    if (stats.some((stat, i) => isInIndex(i) && largeFiles.isLarge(stat))) return ok(undefined);
    const { large: last } = before;
    const large = yield* await largeFiles.readLargeFiles(runtime, context, paths, stats, last);
    if (known.some((path) => !large.has(path))) return ok(undefined);
    const others = { warnings: [], rejected: [], large };
    const differing = largeFiles.differing(last, large);
    const small = changed.filter((path) => !large.has(path));
    if (small.length === 0 && differing.size === 0)
      return ok({ id: before.tree, changes: new Map(), ...others });
    if (small.length > 0) {
      const stdin = small.map((path) => `${path}\0`).join("");
      yield* await git.runGit(runtime, { ...call, args: UPDATE, stdin });
    }
    yield* await largeFiles.putStandIns(runtime, call, differing);
    return ok({ ...(yield* await write(place)), ...others });
  });
}

/** A line of git's status is `XY`, a space, and the path. */
const PATH_AT = 3;

/** Writes the index as a tree, and compares it at the same time. */
async function write(
  place: SnapshotPlace
): Promise<Result<Pick<Snapshot, "id" | "changes">, git.GitFailure>> {
  const { runtime, context, index, options } = place;
  const call = callOf(context, index);
  const compared = (options.compareWith ?? []).map(async (from) => {
    return [from, await indexedChanges(runtime, call, from)] as const;
  });
  const written = git.runGit(runtime, { ...call, args: ["write-tree", "--missing-ok"] });
  options.onChange?.();
  const changes = new Map(await Promise.all(compared));
  return (await written).map((id) => ({ id: id.trimEnd(), changes }));
}

/**
 * Matches the paths with whose change the kept index cannot be used: a file that determines which files git ignores or
 * how it converts content, a nested repository, which has no file of its own, and a name that is not UTF-8.
 */
const NEEDS_BEGIN = /(?:^|\/)\.git(?:ignore|attributes)$|\/$|\uFFFD/;

function callOf(
  { projectDir, signal }: GitContext,
  { path }: TemporaryIndex
): Omit<git.GitCall, "args"> {
  return { cwd: projectDir, env: { GIT_INDEX_FILE: path }, signal };
}

/** Returns true for exit code 1 as well: some file could not be read, but the others were added. */
function isAdded({ code, stderr }: git.GitOutput): boolean {
  return code <= 1 && !stderr.includes(NOT_WRITTEN);
}

/** Returns a warning for each nested repository without a commit, and one that quotes the rest of git's output. */
function leftOut(stderr: string): string[] {
  const lines = stderr.trim().split("\n");
  const empty = lines.flatMap((line) => EMPTY_REPOSITORY.exec(line)?.[1] ?? []);
  const others = lines.filter((line) => !EMPTY_REPOSITORY.test(line));
  const isExplained = empty.length > 0 && !others.some((line) => /^(error|fatal):/.test(line));
  const quoted = clip(others.join("\n"), MAX_QUOTED_CHARS);
  const warnings = empty
    .slice(0, MAX_NAMED)
    .map(
      (path) =>
        `the nested repository ${clip(visible(path), MAX_QUOTED_CHARS)} has no commit, so its files are not checked; commit in it, or ignore it`
    );
  if (!isExplained)
    warnings.push(
      `some files of the working tree could not be read, so their changes are not checked: ${quoted}`
    );
  return warnings;
}
