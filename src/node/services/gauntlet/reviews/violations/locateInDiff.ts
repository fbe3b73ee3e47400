/** Locates a violation in the change that its reviewer saw (G12). */
import type { Violation } from "@/node/services/gauntlet/domain/review";
import type { DiffFile, LineRange } from "@/node/services/gauntlet/domain/reviewDiff";
import { plainPath, type Placement } from "@/node/services/gauntlet/reviews/violations/reconcile";

/**
 * Locates a violation. `elsewhere`: its file did not change, and its name resembles none that did.
 *
 * @param changed paths of the change, in addition to the files that the reviewer saw
 */
export function placeViolation(
  { file, line }: Pick<Violation, "file" | "line">,
  files: readonly DiffFile[],
  changed: readonly string[] = []
): Placement {
  const path = plainPath(file);
  // A file may have its name in a diff: `b/src/a.ts`.
  const found = [file, path, path.replace(/^[ab]\/(?=.)/s, "")]
    .map((name) => files.find((known) => known.path === name))
    .find((known) => known !== undefined);
  if (found === undefined) {
    const known = files.flatMap(({ path: is, previousPath: was = is }) => [is, was]);
    const isPossible = QUOTED.test(file) || isNearly(path, [...known, ...changed]);
    return { kind: isPossible ? "unplaced" : "elsewhere" };
  }
  const lines = lineRange(line);
  const isInside = lines !== undefined && found.shown === "whole" && overlaps(found.ranges, lines);
  return { kind: isInside ? "inside" : "unplaced", file: found.path };
}

/** Returns whether the change touches the place of a violation: its line, or its file if it has no line or is new. */
export function isTouched(
  { file, line }: Pick<Violation, "file" | "line">,
  files: readonly DiffFile[]
): boolean {
  const lines = lineRange(line);
  return files
    .filter((known) => [known.path, known.previousPath].includes(plainPath(file)))
    .some(({ touched, shown }) => {
      const isNew = touched.some(([, last]) => last === 0);
      if (shown !== "whole" || isNew) return true;
      return lines === undefined ? touched.length > 0 : overlaps(touched, lines);
    });
}

function overlaps(ranges: readonly LineRange[], [first, last]: LineRange): boolean {
  return ranges.some(([from, to]) => from <= last && first <= to);
}

/** Matches a name that may be quoted as in a diff: `"src/a\tb"`. */
const QUOTED = /["\\]/;

/** Matches an absolute path, a path from another folder, a bare name, another case, or a text that is not a name. */
function isNearly(path: string, changed: readonly string[]): boolean {
  const wanted = path.toLowerCase();
  if (wanted === "" || /[\s,;:*]/.test(wanted)) return true;
  return changed
    .map((known) => known.toLowerCase())
    .some(
      (known) => known === wanted || known.endsWith(`/${wanted}`) || wanted.endsWith(`/${known}`)
    );
}

/** Parses `12`, `"12"` and `"12-15"`. */
function lineRange(line: Violation["line"]): LineRange | undefined {
  const [, from = "", to = from] =
    /^\s*(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?\s*$/.exec(`${line}`) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first > 0 && last >= first ? [first, last] : undefined;
}
