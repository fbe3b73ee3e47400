/** Builds the diff for a reviewer: one gate's files, limited in size, with likely secrets masked (G12, G12a). */
import type { Result } from "neverthrow";
import { KIB, MIB } from "@/common/limits";
import { visible, plural } from "@/common/text";
import { changedFiles, type ChangedFile } from "@/node/services/gauntlet/change/diff/changedFiles";
import {
  BUILD_FOLDER,
  isWithheld,
  redactSecrets,
} from "@/node/services/gauntlet/change/diff/redactSecrets";
import { readPatches, type FilePatch } from "@/node/services/gauntlet/change/diff/filePatches";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { DiffRange } from "@/node/services/gauntlet/change/diff/diffRange";
import type { DiffFile, ReviewDiff } from "@/node/services/gauntlet/domain/reviewDiff";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { charactersLeftOut } from "@/node/services/gauntlet/messages/change";

/** Why a file is only named. */
const NOT_SHOWN = {
  generated: "generated",
  binary: "binary",
  tooMany: "there are too many files",
  tooLarge: "the change is too large",
} as const;

export interface DiffRequest extends DiffRange {
  readonly covers: (file: string) => boolean;
  /** The paths of the gate's entry points as written. */
  readonly entryPoints?: readonly string[];
}

/** A longer diff of one file is reduced to its beginning and its end. */
const MAX_FILE_CHARS = 256 * KIB;
/** Files beyond this size are only named, because no reviewer reads more at once. */
const MAX_CHARS = MIB;
const MAX_FILES = 2_000;

/** Returns the diff in git's order, without the files that the gate does not cover. */
export async function reviewDiff(
  runtime: HookRuntime,
  context: GitContext,
  { from, to, covers, entryPoints = [] }: DiffRequest
): Promise<Result<ReviewDiff, GitFailure>> {
  const listed = await changedFiles(runtime, context, from, to);
  const built = listed.map((all) =>
    all.filter(({ path, status }) => status === "added" && BUILD_FOLDER.test(path))
  );
  const isNamed = entryPoints.some((path) => BUILD_FOLDER.test(`${path}/`));
  const untracked =
    isNamed || built.unwrapOr([]).length === 0
      ? new Set<string>()
      : await withoutTracked(runtime, context, built.unwrapOr([]));
  const isHidden = ({ path }: ChangedFile): boolean =>
    isWithheld(path, entryPoints) || untracked.has(path);
  return await listed.asyncAndThen((all) => {
    const files = all.filter(({ path, previousPath }) =>
      [path, ...(previousPath === undefined ? [] : [previousPath])].some(covers)
    );
    const shown = files.filter((file) => !isHidden(file)).slice(0, MAX_FILES);
    return readPatches(runtime, context, { from, to }, shown).map((patches) =>
      compose(files, patches, isHidden)
    );
  });
}

/** Returns the paths of the files that git does not track. */
async function withoutTracked(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  files: readonly ChangedFile[]
): Promise<ReadonlySet<string>> {
  const args = ["ls-files", "-z", "--", "dist", "*/dist/*"];
  const listed = await runGit(runtime, { cwd: projectDir, args, keepBytes: 16 * MIB, signal });
  const tracked = new Set(listed.unwrapOr("").split("\0"));
  return new Set(files.flatMap(({ path }) => (tracked.has(path) ? [] : path)));
}

function compose(
  files: readonly ChangedFile[],
  patches: ReadonlyMap<string, FilePatch>,
  isHidden: (file: ChangedFile) => boolean
): ReviewDiff {
  const parts: string[] = [];
  const described: DiffFile[] = [];
  const notes: string[] = [];
  const cut: string[] = [];
  let left = MAX_CHARS;
  let masked = 0;
  for (const file of files) {
    const patch = patches.get(file.path);
    const fitted = isHidden(file) ? named(file, NOT_SHOWN.generated) : fit(file, patch, left);
    const { text, count } = redactSecrets(fitted.text);
    masked += count;
    left -= text.length;
    parts.push(text);
    if (fitted.note !== undefined) notes.push(`${visible(file.path)}: ${fitted.note}`);
    if (fitted.isCut === true) cut.push(file.path);
    described.push({
      path: file.path,
      previousPath: file.previousPath,
      shown: fitted.shown,
      ranges: patch?.ranges ?? [],
      touched: patch?.touched ?? [],
    });
  }
  if (masked > 0) notes.push(`masked ${plural(masked, "value")} that may be secret`);
  return { text: parts.join(""), files: described, notes, cut };
}

interface Fitted {
  readonly text: string;
  readonly shown: DiffFile["shown"];
  readonly note?: string;
  /** Whether content was left out because of its size, or because of a NUL byte in what may be a text. */
  readonly isCut?: boolean;
}

function fit(file: ChangedFile, patch: FilePatch | undefined, left: number): Fitted {
  if (patch === undefined) return tooLarge(file, NOT_SHOWN.tooMany);
  if (patch.isBinary) {
    return { ...named(file, NOT_SHOWN.binary), isCut: !BINARY_NAME.test(file.path) };
  }
  const { text, isCut } = patch;
  if (text.length > MAX_FILE_CHARS || isCut) {
    const cut = text.length > MAX_FILE_CHARS ? middleLeftOut(text, MAX_FILE_CHARS) : text;
    return cut.length > left
      ? tooLarge(file, NOT_SHOWN.tooLarge)
      : {
          text: cut,
          shown: "cut",
          note: "only the beginning and the end of its diff are shown",
          isCut: true,
        };
  }
  return text.length > left ? tooLarge(file, NOT_SHOWN.tooLarge) : { text, shown: "whole" };
}

/** Formats that are not reviewed as text. Git also takes a source with a NUL byte for binary. */
const BINARY_NAME =
  /\.(?:7z|a|avif|bin|bmp|bz2|class|db|dll|dylib|exe|gif|gz|icns|ico|jar|jpe?g|lib|mov|mp[34]|o|od[pst]|ogg|otf|pdf|png|pyc|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|woff2?|xz|zip|zst|(?:doc|ppt|xls)x?)$/i;

function named({ path, previousPath, status }: ChangedFile, why: string): Fitted {
  const previous = previousPath === undefined ? undefined : visible(previousPath);
  const text = `${diffNotShown(visible(path), status, previous, why)}\n`;
  return { text, shown: "named", note: notShown(why) };
}

function tooLarge(file: ChangedFile, why: string): Fitted {
  return { ...named(file, why), isCut: true };
}

/** Removes the middle. Keeps whole lines at both ends if possible. */
function middleLeftOut(text: string, most: number): string {
  const half = Math.floor(most / 2);
  const head = text.slice(0, text.lastIndexOf("\n", half) + 1) || text.slice(0, half);
  const from = text.indexOf("\n", text.length - half) + 1;
  const tail = text.slice(from === 0 ? text.length - half : from);
  const lost = text.length - head.length - tail.length;
  return `${head}${charactersLeftOut(lost)}\n${tail}`;
}

/** Replaces the diff of a file. @param previous the path before a rename */
function diffNotShown(
  path: string,
  status: string,
  previous: string | undefined,
  why: string
): string {
  const was = previous === undefined ? "" : `, was ${previous}`;
  return `diff of ${path} (${status}${was}) ${notShown(why)}`;
}

function notShown(why: string): string {
  return `not shown: ${why}`;
}
