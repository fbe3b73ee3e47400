/**
 * Builds the diff for a reviewer: one gate's files, limited in size, without generated files and with likely secrets
 * masked (G12, G12a). Files without content are named, and notes list everything that was left out.
 */
import { err, type Result } from "neverthrow";
import { KIB, MIB } from "@/common/limits";
import { visible, plural } from "@/common/safeText";
import * as changes from "@/node/services/gauntlet/change/diff/changedFiles";
import * as secrets from "@/node/services/gauntlet/change/diff/redactSecrets";
import { readPatches, type FilePatch } from "@/node/services/gauntlet/change/diff/readPatches";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { DiffFile, ReviewDiff } from "@/node/services/gauntlet/domain/reviewViolations";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { charactersLeftOut } from "@/node/services/gauntlet/messages/shared";

/** The two trees to compare, and the files of one gate. */
export interface DiffRequest extends changes.DiffRange {
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
  const listed = await changes.changedFiles(runtime, context, from, to);
  if (listed.isErr()) return err(listed.error);
  const coversBuilds = entryPoints.some((path) => secrets.BUILD_FOLDER.test(`${path}/`));
  const isBuilt = ({ path, status }: changes.ChangedFile): boolean =>
    !coversBuilds && status === "added" && secrets.BUILD_FOLDER.test(path);
  const tracked = listed.value.some(isBuilt) ? await trackedInDist(runtime, context) : undefined;
  const isHidden = (file: changes.ChangedFile): boolean =>
    secrets.isWithheld(file.path, entryPoints) ||
    (isBuilt(file) && tracked?.has(file.path) === false);
  const files = listed.value.filter((file) => changes.changedPaths([file]).some(covers));
  const shown = files.filter((file) => !isHidden(file)).slice(0, MAX_FILES);
  const patches = await readPatches(runtime, context, { from, to }, shown);
  return patches.map((read) => compose(files, read, isHidden));
}

/** Returns the paths of the files in build folders that git tracks. */
async function trackedInDist(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext
): Promise<ReadonlySet<string>> {
  const args = ["ls-files", "-z", "--", "dist", "*/dist/*"];
  const listed = await runGit(runtime, { cwd: projectDir, args, keepBytes: 16 * MIB, signal });
  return new Set(listed.unwrapOr("").split("\0"));
}

function compose(
  files: readonly changes.ChangedFile[],
  patches: ReadonlyMap<string, FilePatch>,
  isHidden: (file: changes.ChangedFile) => boolean
): ReviewDiff {
  const parts: string[] = [];
  const described: DiffFile[] = [];
  const notes: string[] = [];
  const cut: string[] = [];
  let left = MAX_CHARS;
  let masked = 0;
  for (const file of files) {
    const { path, previousPath } = file;
    const patch = patches.get(path);
    const fitted = isHidden(file) ? onlyNamed(file, "generated") : fit(file, patch, left);
    const { text, count } = secrets.redactSecrets(fitted.text);
    masked += count;
    left -= text.length;
    parts.push(text);
    if (fitted.note !== undefined) notes.push(`${visible(path)}: ${fitted.note}`);
    if (fitted.isCut === true) cut.push(path);
    const { ranges = [], touched = [] } = patch ?? {};
    described.push({ path, previousPath, shown: fitted.shown, ranges, touched });
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

function fit(file: changes.ChangedFile, patch: FilePatch | undefined, left: number): Fitted {
  if (patch === undefined) {
    const isNotUtf8 = file.path.includes("\uFFFD");
    const why = isNotUtf8 ? "its name is not UTF-8" : "there are too many files";
    return { ...onlyNamed(file, why), isCut: true };
  }
  if (patch.isBinary) return { ...onlyNamed(file, "binary"), isCut: !BINARY_NAME.test(file.path) };
  const isLong = patch.text.length > MAX_FILE_CHARS;
  const text = isLong ? middleLeftOut(patch.text, MAX_FILE_CHARS) : patch.text;
  if (text.length > left) return { ...onlyNamed(file, "the change is too large"), isCut: true };
  if (!isLong && !patch.isCut) return { text, shown: "whole" };
  const note = "only the beginning and the end of its diff are shown";
  return { text, shown: "cut", note, isCut: true };
}

/** Formats that are not reviewed as text. Git also takes a source with a NUL byte for binary. */
const BINARY_NAME =
  /\.(?:7z|a|avif|bin|bmp|bz2|class|db|dll|dylib|exe|gif|gz|icns|ico|jar|jpe?g|lib|mov|mp[34]|o|od[pst]|ogg|otf|pdf|png|pyc|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|woff2?|xz|zip|zst|(?:doc|ppt|xls)x?)$/i;

function onlyNamed({ path, previousPath, status }: changes.ChangedFile, why: string): Fitted {
  const was = previousPath === undefined ? "" : `, was ${visible(previousPath)}`;
  const note = `not shown: ${why}`;
  return { text: `diff of ${visible(path)} (${status}${was}) ${note}\n`, shown: "named", note };
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
