/** Locates a violation in the change that its reviewer saw (G12). */
import type { Violation } from "@/node/services/gauntlet/domain/review";
import type { DiffFile } from "@/node/services/gauntlet/domain/reviewDiff";
import { plainPath } from "@/node/services/gauntlet/reviews/violations/sameViolation";
import type { Placement } from "@/node/services/gauntlet/reviews/violations/reconcile";

/** Returns `outside` only if certain: in a file that did not change, or at a line that the diff does not show. */
export function placeViolation(
  { file, line }: Pick<Violation, "file" | "line">,
  files: readonly DiffFile[]
): Placement {
  const path = plainPath(file);
  const found =
    files.find((known) => known.path === file) ??
    files.find((known) => known.path === path) ??
    findByDiffName(path, files);
  if (found === undefined) {
    return QUOTED.test(file) || isNearly(path, files) ? UNPLACED : { kind: "outside" };
  }
  const number = lineNumber(line);
  if (number === undefined || found.shown !== "whole" || found.ranges.length === 0) return UNPLACED;
  const isInside = found.ranges.some(([first, last]) => first <= number && number <= last);
  return isInside ? { kind: "inside", file: found.path } : { kind: "outside" };
}

/** Matches a name that may be quoted as in a diff: `"src/a\tb"`. */
const QUOTED = /["\\]/;
const UNPLACED = { kind: "unplaced" } as const;

/** Finds a file by its name in a diff: `b/src/a.ts`. */
function findByDiffName(path: string, files: readonly DiffFile[]): DiffFile | undefined {
  const bare = /^[ab]\/(.+)$/s.exec(path)?.[1];
  return bare === undefined ? undefined : files.find((known) => known.path === bare);
}

/** Matches an absolute path, a path from another folder, a bare name, another case, or a text that is not a name. */
function isNearly(path: string, files: readonly DiffFile[]): boolean {
  const wanted = path.toLowerCase();
  if (wanted === "" || /[\s,;:*]/.test(wanted)) return true;
  return files
    .flatMap(({ path: is, previousPath: was }) => (was === undefined ? [is] : [is, was]))
    .map((known) => known.toLowerCase())
    .some(
      (known) => known === wanted || known.endsWith(`/${wanted}`) || wanted.endsWith(`/${known}`)
    );
}

function lineNumber(line: Violation["line"]): number | undefined {
  const number = typeof line === "string" && /^\s*\d+\s*$/.test(line) ? Number(line) : line;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}
