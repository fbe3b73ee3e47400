/**
 * Reads the unified diff of each changed file for a review, with line numbers and the ranges of its lines. Reads files
 * that git treats as binary again as text, because an attribute may hide them from the review.
 */
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { KIB, MIB } from "@/common/limits";
import {
  changedPaths,
  type ChangedFile,
  type DiffRange,
} from "@/node/services/gauntlet/change/diff/changedFiles";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { inBatches, weightOf } from "@/node/services/gauntlet/domain/commands/argumentLimits";
import type { DiffFile } from "@/node/services/gauntlet/domain/reviewViolations";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** The unified diff of one file. */
export interface FilePatch {
  /** With the number of each line in the new version before it. */
  readonly text: string;
  /** Whether the diff was so long that its middle was not kept. */
  readonly isCut: boolean;
  readonly isBinary: boolean;
  readonly ranges: DiffFile["ranges"];
  readonly touched: DiffFile["touched"];
}

/**
 * Reads the patches by path. A file whose name is not UTF-8 cannot be requested, so it is missing.
 *
 * An attribute may mark a text as binary to hide it from review. Files that git treats as binary are therefore read
 * again as text, and shown if they contain no NUL. Large files are not, because almost none of their text would be
 * shown.
 */
export function readPatches(
  runtime: HookRuntime,
  context: GitContext,
  compared: DiffRange,
  files: readonly ChangedFile[]
): ResultAsync<ReadonlyMap<string, FilePatch>, git.GitFailure> {
  return safeTry(async function* () {
    const patches = new Map<string, FilePatch>();
    const texts = new Map<string, FilePatch>();
    for (const batch of batchesOf(files))
      yield* await readBatch(runtime, context, compared, [], batch, patches);
    const suspects = files.filter(({ path }) => patches.get(path)?.isBinary === true);
    const small = yield* await smallFiles(runtime, context, compared, suspects);
    for (const batch of batchesOf(small))
      yield* await readBatch(runtime, context, compared, ["--text"], batch, texts);
    for (const [path, patch] of texts) if (!patch.text.includes("\0")) patches.set(path, patch);
    return ok(patches);
  });
}

/**
 * Splits a diff by file. Lines of a file begin with a space, a sign or a backslash, so none of them looks like a
 * heading. Only a newline ends a line: other characters that regular expressions treat as line ends may occur in it.
 */
const HEADINGS = /(?<=\n)(?=diff --git )/;

/** Reads a batch. If the output does not have one section for each file, reads the batch in halves. */
async function readBatch(
  runtime: HookRuntime,
  context: GitContext,
  compared: DiffRange,
  flags: readonly string[],
  batch: readonly ChangedFile[],
  patches: Map<string, FilePatch>
): Promise<Result<void, git.GitFailure>> {
  const isSingle = batch.length === 1;
  const range = ["--end-of-options", compared.from, compared.to, "--"];
  const output = await git.execGit(runtime, {
    cwd: context.projectDir,
    args: ["--literal-pathspecs", ...DIFF, ...flags, ...range, ...changedPaths(batch)],
    keepBytes: isSingle ? SINGLE_BYTES : BATCH_BYTES,
    mayBeCut: true,
    signal: context.signal,
  });
  if (output.isErr()) return err(output.error);
  const { code, stdout, isCut } = output.value;
  if (code !== 0) return err(git.refusal(DIFF, output.value));
  const sections = isSingle ? [stdout] : stdout.split(HEADINGS).filter(Boolean);
  if (isSingle || (!isCut && sections.length === batch.length)) {
    batch.forEach(({ path }, i) => {
      const text = sections[i] ?? "";
      if (text !== "") patches.set(path, readPatch(text, isCut));
    });
    return ok();
  }
  const half = Math.ceil(batch.length / 2);
  for (const part of [batch.slice(0, half), batch.slice(half)]) {
    const done = await readBatch(runtime, context, compared, flags, part, patches);
    if (done.isErr()) return done;
  }
  return ok();
}

/** Returns the files whose content, before and after, is small enough to be examined. */
async function smallFiles(
  runtime: HookRuntime,
  { projectDir: cwd, signal }: GitContext,
  { from, to }: DiffRange,
  files: readonly ChangedFile[]
): Promise<Result<readonly ChangedFile[], git.GitFailure>> {
  const large = new Set<string>();
  for (const tree of [from, to]) {
    for (const batch of batchesOf(files)) {
      const paths = changedPaths(batch);
      const args = ["ls-tree", "-z", "--long", "--end-of-options", tree, "--", ...paths];
      const listed = await git.runGit(runtime, { cwd, args, keepBytes: BATCH_BYTES, signal });
      if (listed.isErr()) return err(listed.error);
      for (const [, size, path = ""] of listed.value.matchAll(TREE_ENTRY)) {
        if (Number(size) > MAX_EXAMINED_BYTES) large.add(path);
      }
    }
  }
  return ok(files.filter((file) => !changedPaths([file]).some((path) => large.has(path))));
}

/** `100644 blob <id>`, spaces, the size, a tab, the path, NUL. */
const TREE_ENTRY = /\d+ blob [0-9a-f]+ +(\d+)\t([^\0]*)\0/g;
const MAX_EXAMINED_BYTES = MIB;

const BATCH_BYTES = 16 * MIB;
/** For a single file. A longer diff keeps its beginning and its end. */
const SINGLE_BYTES = 256 * KIB;

const DIFF = [
  "diff-tree",
  "-r",
  "-p",
  "--relative",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--ignore-submodules=none",
  "--submodule=short",
  "--find-renames=100%",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--unified=3",
];

function batchesOf(files: readonly ChangedFile[]): ChangedFile[][] {
  return inBatches(files, (file) =>
    changedPaths([file]).reduce((sum, path) => sum + weightOf(path), 0)
  );
}

function readPatch(text: string, isCut: boolean): FilePatch {
  const hunk = text.search(/^@@ /m);
  const head = hunk === -1 ? text : text.slice(0, hunk);
  const isBinary = /^(?:Binary files .* differ|GIT binary patch)$/m.test(head);
  return { ...numberLines(text), isCut, isBinary };
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/**
 * Adds the numbers of the new version, and finds the lines that the patch shows and changes. After a part that was not
 * kept, lines have no numbers up to the next hunk.
 */
function numberLines(text: string): Pick<FilePatch, "text" | "ranges" | "touched"> {
  const ranges: [number, number][] = [];
  const touched: [number, number][] = [];
  let at: { old: number; now: number; isReplaced: boolean } | undefined;
  const numbered = (line: string): string => {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      const [old = 0, now = 0, count = 1] = hunk
        .slice(1)
        .map((digits: string | undefined) => Number(digits ?? 1));
      // If lines were only removed, the new side has a position but no lines.
      if (now > 0) ranges.push([now, now + Math.max(count, 1) - 1]);
      at = { old, now, isReplaced: false };
      return line;
    }
    const sign = line.charAt(0);
    if (at === undefined || !/[-+ ]/.test(sign)) {
      if (sign !== "\\") at = undefined;
      return line;
    }
    if (sign === "-") {
      extend(touched, at.old, at.old++);
      at.isReplaced = true;
      return `${" ".repeat(GUTTER)} ${line}`;
    }
    if (sign === "+" && !at.isReplaced) extend(touched, at.old - 1, at.old);
    if (sign === " ") {
      at.old++;
      at.isReplaced = false;
    }
    return `${String(at.now++).padStart(GUTTER)} ${line}`;
  };
  return { text: text.split("\n").map(numbered).join("\n"), ranges, touched };
}

const GUTTER = 5;

/** Adds a range, which begins at or after the beginning of the last one. */
function extend(ranges: [number, number][], first: number, last: number): void {
  const end = ranges.at(-1);
  if (end === undefined || end[1] < first - 1) ranges.push([first, last]);
  else end[1] = Math.max(end[1], last);
}
