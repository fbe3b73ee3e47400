/**
 * Compares a reviewer's answer with the earlier violations of its slot (one of the reviews of a gate): decides which
 * are fixed, which are still present, and which new ones count. Locates violations in the change, because those outside
 * of it may be left out (G12, G14, G14a).
 */
import { sha256 } from "@/common/hash";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";

/**
 * The position of a violation relative to the change. `inside`: at a line that the reviewer saw. `unplaced`: elsewhere
 * in a file that changed, or in one that possibly changed. `elsewhere`: in another file.
 */
export interface Placement {
  readonly kind: "inside" | "unplaced" | "elsewhere";
  /** The project's path, if it is known. */
  readonly file?: string;
}

export interface ReconcileOptions {
  readonly place: (violation: reviews.Violation) => Placement;
  /** The reviewer saw only the changes since its last answer: new violations count from the threshold up. */
  readonly isRerun: boolean;
  readonly threshold: reviews.Priority;
  /** Unique among the answers of an episode: `review:.:security@1#2`. */
  readonly key: string;
  /** The snapshot that the reviewer saw. */
  readonly at: string;
  /** Returns whether a claimed fix is confirmed: by the reviewer, or by a change at its place. */
  readonly isConfirmed: (claim: reviews.TrackedViolation) => boolean;
  /** Returns whether the reviewer lists the violation with this ID as fixed. */
  readonly isNamedFixed: (id: string) => boolean;
}

export interface Reconciliation {
  /** The violations that are not settled, and those that were skipped. */
  readonly violations: readonly reviews.TrackedViolation[];
  /** Marked as fixed, and no longer found. */
  readonly fixed: readonly reviews.TrackedViolation[];
  /** Marked as fixed, neither found again nor confirmed. They are still among `violations`. */
  readonly unconfirmed: readonly reviews.TrackedViolation[];
  /** New violations of little weight outside the change. */
  readonly outside: readonly reviews.Violation[];
  /** New violations below the threshold. */
  readonly dropped: readonly reviews.Violation[];
  /** Violations at the line of an earlier one with other text, which may be that one in other words. */
  readonly hidden: readonly reviews.Violation[];
}

/** Returns the violations of a slot after an answer, from those before it and those that the reviewer found. */
export function reconcileViolations(
  before: readonly reviews.TrackedViolation[],
  found: readonly (reviews.Violation & { readonly id?: string; readonly isAffected?: boolean })[],
  options: ReconcileOptions
): Reconciliation {
  const { at } = options;
  // A reviewer may name a file as the diff does: `b/src/a.ts`.
  const mentions = found.map(({ isAffected = false, ...one }) => {
    const { kind, file = plainPath(one.file) } = options.place(one);
    const isOutside = kind === "elsewhere" && !isAffected;
    return { ...one, file, unplaced: kind !== "inside" || undefined, isOutside };
  });
  const fixed: reviews.TrackedViolation[] = [];
  const unconfirmed: reviews.TrackedViolation[] = [];
  const kept: reviews.TrackedViolation[] = [];
  const earlier = new Map(before.map((violation) => [violation.id, violation]));
  const others = mentions.filter(
    (one) => !earlier.has(one.id ?? "") && !before.some((known) => isAlike(known, one))
  );
  for (const violation of before) {
    if (violation.status !== "fixed") {
      kept.push(violation);
      continue;
    }
    const isNamed = options.isNamedFixed(violation.id);
    // At the line of a violation that the reviewer lists as fixed, one with other text is another one.
    const same = mentions.find(
      (one) => one.id === violation.id || isAlike(violation, one, isNamed)
    );
    const moved = same ?? others.find((other) => hasSameWords(violation, other));
    const open = { ...violation, status: "new", unconfirmed: true, judged: at } as const;
    if (moved === undefined) {
      if (options.isConfirmed(violation)) fixed.push(violation);
      else {
        unconfirmed.push(violation);
        kept.push(open);
      }
    } else if (same !== undefined) {
      const isHere = same.file === violation.file && same.line !== null;
      kept.push(isHere ? { ...open, line: same.line, at } : open);
    } else {
      const { file, line, unplaced } = moved;
      kept.push({ ...open, file, line, unplaced, outside: undefined, at });
    }
  }
  const outside: reviews.Violation[] = [];
  const dropped: reviews.Violation[] = [];
  const hidden: reviews.Violation[] = [];
  for (const { id, unplaced, isOutside, ...violation } of mentions) {
    const mention = { ...violation, id };
    const same = kept.filter((known) => isRepeated(known, mention, earlier.get(known.id)));
    const isOther = same.every((one) => one.id !== id && !hasSameWords(one, mention));
    if (same.length > 0 && isOther) hidden.push(violation);
    if (same.length > 0) continue;
    if (isOutside && isBelow(violation.priority, "high")) outside.push(violation);
    else if (options.isRerun && isBelow(violation.priority, options.threshold)) {
      dropped.push(violation);
    } else {
      const key = sha256(`${options.key} ${kept.length} ${violation.issue}`, 8);
      const where = { unplaced, outside: isOutside || undefined };
      kept.push({ id: key, ...violation, ...where, status: "new", at, judged: at });
    }
  }
  return { violations: kept, fixed, unconfirmed, outside, dropped, hidden };
}

/**
 * Returns whether a mention repeats a violation. An earlier violation may be repeated in other words, but one of the
 * same answer only literally.
 */
function isRepeated(
  known: reviews.TrackedViolation,
  mention: reviews.Violation & Mention,
  earlier: reviews.TrackedViolation | undefined
): boolean {
  if (earlier !== undefined) {
    // The reviewer received the IDs only of violations that were marked as fixed.
    if (earlier.status === "fixed" && mention.id === known.id) return true;
    // At the position of an earlier violation, a more serious one with other text is new.
    return isAlike(known, mention, isBelow(known.priority, mention.priority));
  }
  const { file, line, issue } = mention;
  return known.line === line && known.issue === issue && known.file === file;
}

function isBelow(priority: reviews.Priority, threshold: reviews.Priority): boolean {
  return reviews.PRIORITIES.indexOf(priority) > reviews.PRIORITIES.indexOf(threshold);
}

/** A possible reference to a known violation: one that a reviewer repeats, or an entry of an edited file. */
type Mention = Partial<Pick<reviews.TrackedViolation, "id">> &
  Pick<reviews.Violation, "file" | "line" | "issue">;

/** Compares file and text, or, unless `byWords`, file and line (G14a). */
function isAlike(known: Mention, mention: Mention, byWords = false): boolean {
  if (plain(mention).file !== plain(known).file) return false;
  return (!byWords && sameLine(known.line, mention.line)) || hasSameWords(known, mention);
}

/** Compares the texts, in any files. */
function hasSameWords(known: Mention, mention: Mention): boolean {
  return plain(known).issue === plain(mention).issue;
}

function sameLine(a: reviews.Violation["line"], b: reviews.Violation["line"]): boolean {
  return a !== null && b !== null && String(a).trim() === String(b).trim();
}

/** Removes the differences in how reviewers write a path. */
function plainPath(path: string): string {
  return path
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "");
}

/** Path and text as they are compared, computed once, because each violation is compared with all others. */
const PLAIN = new WeakMap<Mention, Pick<Mention, "file" | "issue">>();

function plain(violation: Mention): Pick<Mention, "file" | "issue"> {
  const known = PLAIN.get(violation);
  if (known !== undefined) return known;
  const { file, issue } = violation;
  const words = issue.trim().replaceAll(/\s+/g, " ").toLowerCase();
  const made = { file: plainPath(file), issue: words };
  PLAIN.set(violation, made);
  return made;
}

/**
 * Locates a violation. `elsewhere`: its file did not change, and its name resembles none that did.
 *
 * @param changed paths of the change, in addition to the files that the reviewer saw
 */
export function placeViolation(
  { file, line }: Pick<reviews.Violation, "file" | "line">,
  files: readonly reviews.DiffFile[],
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
  { file, line }: Pick<reviews.Violation, "file" | "line">,
  files: readonly reviews.DiffFile[]
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

function overlaps(ranges: readonly reviews.LineRange[], [first, last]: reviews.LineRange): boolean {
  return ranges.some(([from, to]) => from <= last && first <= to);
}

/** Matches a name that may be quoted as in a diff: `"src/a\tb"`. */
const QUOTED = /["\\]/;

/** Matches an absolute path, a path from another folder, a bare name, another case, or a text that is not a name. */
function isNearly(path: string, changed: readonly string[]): boolean {
  const wanted = path.toLowerCase();
  if (wanted === "" || /[\s,;:*]/.test(wanted)) return true;
  return changed.some((known) => isEndOfOther(known.toLowerCase(), wanted));
}

/** Returns whether one of two paths is the other one, or its end. */
export function isEndOfOther(a: string, b: string): boolean {
  return `/${a}`.endsWith(`/${b}`) || `/${b}`.endsWith(`/${a}`);
}

/** Parses `12`, `"12"` and `"12-15"`. */
export function lineRange(line: reviews.Violation["line"]): reviews.LineRange | undefined {
  const [, from = "", to = from] =
    /^(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?$/.exec(`${line}`.trim()) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first > 0 && last >= first ? [first, last] : undefined;
}
