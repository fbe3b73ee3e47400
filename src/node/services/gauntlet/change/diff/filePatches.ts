/** Reads the unified diff of each given file. */
import { err, ok, ResultAsync, type Result } from "neverthrow";
import { KIB, MIB } from "@/common/limits";
import type { ChangedFile } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { DiffRange } from "@/node/services/gauntlet/change/diff/diffRange";
import {
  execGit,
  refusal,
  runGit,
  type GitFailure,
} from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { DiffFile } from "@/node/services/gauntlet/domain/reviewDiff";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

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
): ResultAsync<ReadonlyMap<string, FilePatch>, GitFailure> {
  const readAll = async (): Promise<Result<ReadonlyMap<string, FilePatch>, GitFailure>> => {
    const first = await new PatchReader(runtime, context, compared, []).read(files);
    if (first.isErr()) return first;
    const patches = new Map(first.value);
    const suspects = files.filter(({ path }) => patches.get(path)?.isBinary === true);
    if (suspects.length === 0) return ok(patches);
    const small = await smallFiles(runtime, context, compared, suspects);
    if (small.isErr()) return err(small.error);
    const again = await new PatchReader(runtime, context, compared, ["--text"]).read(small.value);
    if (again.isErr()) return again;
    for (const [path, patch] of again.value)
      if (!patch.text.includes("\0")) patches.set(path, patch);
    return ok(patches);
  };
  return new ResultAsync(readAll());
}

class PatchReader {
  readonly #patches = new Map<string, FilePatch>();

  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext,
    private readonly compared: DiffRange,
    private readonly flags: readonly string[]
  ) {}

  async read(
    files: readonly ChangedFile[]
  ): Promise<Result<ReadonlyMap<string, FilePatch>, GitFailure>> {
    for (const batch of batchesOf(files)) {
      const done = await this.#readBatch(batch);
      if (done.isErr()) return err(done.error);
    }
    return ok(this.#patches);
  }

  /** Reads a batch. If the output does not have one section for each file, reads the batch in halves. */
  async #readBatch(batch: readonly ChangedFile[]): Promise<Result<void, GitFailure>> {
    if (batch.length === 0) return ok();
    const { from, to } = this.compared;
    const isSingle = batch.length === 1;
    const output = await execGit(this.runtime, {
      cwd: this.context.projectDir,
      args: [
        LITERAL,
        ...DIFF,
        ...this.flags,
        "--end-of-options",
        from,
        to,
        "--",
        ...pathsOf(batch),
      ],
      keepBytes: isSingle ? SINGLE_BYTES : BATCH_BYTES,
      mayBeCut: true,
      signal: this.context.signal,
    });
    if (output.isErr()) return err(output.error);
    const { code, stdout, isCut } = output.value;
    if (code !== 0) return err(refusal(DIFF, output.value));
    const sections = splitSections(stdout);
    if (isSingle || (!isCut && sections.length === batch.length)) {
      batch.forEach(({ path }, i) => {
        const text = isSingle ? stdout : (sections[i] ?? "");
        if (text !== "") this.#patches.set(path, readPatch(text, isCut));
      });
      return ok();
    }
    const half = Math.ceil(batch.length / 2);
    const first = await this.#readBatch(batch.slice(0, half));
    return first.isErr() ? first : await this.#readBatch(batch.slice(half));
  }
}

/** Returns the files whose content, before and after, is small enough to be examined. */
async function smallFiles(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  { from, to }: DiffRange,
  files: readonly ChangedFile[]
): Promise<Result<readonly ChangedFile[], GitFailure>> {
  const large = new Set<string>();
  for (const tree of [from, to]) {
    for (const batch of batchesOf(files)) {
      if (batch.length === 0) continue;
      const args = ["ls-tree", "-z", "--long", "--end-of-options", tree, "--", ...pathsOf(batch)];
      const keepBytes = BATCH_BYTES;
      const listed = await runGit(runtime, { cwd: projectDir, args, keepBytes, signal });
      if (listed.isErr()) return err(listed.error);
      for (const [, size, path = ""] of listed.value.matchAll(TREE_ENTRY)) {
        if (Number(size) > MAX_EXAMINED_BYTES) large.add(path);
      }
    }
  }
  return ok(files.filter((file) => !pathsOf([file]).some((path) => large.has(path))));
}

/** `100644 blob <id>`, spaces, the size, a tab, the path, NUL. */
const TREE_ENTRY = /\d+ blob [0-9a-f]+ +(\d+)\t([^\0]*)\0/g;
const MAX_EXAMINED_BYTES = MIB;

const BATCH_BYTES = 16 * MIB;
/** For a single file. A longer diff keeps its beginning and its end. */
const SINGLE_BYTES = 256 * KIB;
/** Limit for the paths, because the whole command line must stay below 128 KiB. */
const MAX_ARG_BYTES = 64 * KIB;

const LITERAL = "--literal-pathspecs";
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

function pathsOf(files: readonly ChangedFile[]): string[] {
  return files.flatMap(({ path, previousPath }) =>
    previousPath === undefined ? [path] : [previousPath, path]
  );
}

function* batchesOf(files: readonly ChangedFile[]): Generator<ChangedFile[]> {
  let batch: ChangedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = pathsOf([file]).reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
    if (bytes + size > MAX_ARG_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += size;
  }
  yield batch;
}

/**
 * Splits a diff by file. Lines of a file begin with a space, a sign or a backslash, so none of them looks like a
 * heading. Only a newline ends a line: other characters that regular expressions treat as line ends may occur in it.
 */
function splitSections(text: string): string[] {
  return text.split(/(?<=\n)(?=diff --git )/).filter((section) => section !== "");
}

function readPatch(text: string, isCut: boolean): FilePatch {
  const isBinary = /^(?:Binary files .* differ|GIT binary patch)$/m.test(headOf(text));
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
  const numbered: string[] = [];
  let at: { old: number; now: number; isReplaced: boolean } | undefined;
  for (const line of text.split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      const [, old, now, count] = hunk.map(Number);
      const from = now ?? 0;
      // If lines were only removed, the new side has a position but no lines.
      if (from > 0)
        ranges.push([from, from + Math.max(hunk[3] === undefined ? 1 : (count ?? 1), 1) - 1]);
      at = { old: old ?? 0, now: from, isReplaced: false };
    } else if (at !== undefined) {
      const sign = line.charAt(0);
      if (sign === "+") {
        if (!at.isReplaced) extend(touched, at.old - 1, at.old);
        numbered.push(`${gutter(at.now++)}${line}`);
        continue;
      }
      if (sign === "-") {
        extend(touched, at.old, at.old++);
        at.isReplaced = true;
        numbered.push(`${gutter()}${line}`);
        continue;
      }
      if (sign === " ") {
        at.old++;
        at.isReplaced = false;
        numbered.push(`${gutter(at.now++)}${line}`);
        continue;
      }
      if (sign !== "\\") at = undefined;
    }
    numbered.push(line);
  }
  return { text: numbered.join("\n"), ranges, touched };
}

/** Adds a range, which begins at or after the beginning of the last one. */
function extend(ranges: [number, number][], first: number, last: number): void {
  const end = ranges.at(-1);
  if (end === undefined || end[1] < first - 1) ranges.push([first, last]);
  else end[1] = Math.max(end[1], last);
}

function gutter(line?: number): string {
  return `${String(line ?? "").padStart(5)} `;
}

function headOf(text: string): string {
  const hunk = text.search(/^@@ /m);
  return hunk === -1 ? text : text.slice(0, hunk);
}
