/** Reconciles a reviewer's answer with the violations of its slot (G12, G14, G14a). */
import { sha256 } from "@/common/hash";
import {
  PRIORITIES,
  type Priority,
  type TrackedViolation,
  type Violation,
} from "@/node/services/gauntlet/domain/review";
import {
  hasSameWords,
  isSameViolation,
  plainPath,
  type Mention,
} from "@/node/services/gauntlet/reviews/violations/sameViolation";

/** The position of a violation relative to the change that the reviewer saw. */
export type Placement =
  | { readonly kind: "inside"; readonly file: string }
  | { readonly kind: "outside" }
  | { readonly kind: "unplaced" };

export interface ReconcileOptions {
  readonly place: (violation: Violation) => Placement;
  /** The reviewer saw only the changes since its last answer: new violations count from the threshold up. */
  readonly isRerun: boolean;
  readonly threshold: Priority;
  /** Unique among the answers of an episode: `review:.:security@1#2`. */
  readonly key: string;
}

export interface Reconciliation {
  /** The violations that are not settled, and those that were skipped. */
  readonly violations: readonly TrackedViolation[];
  /** Marked as fixed, and no longer found. */
  readonly fixed: readonly TrackedViolation[];
  /** The number of new violations outside the change. */
  readonly outsideDiff: number;
  /** The number of new violations below the threshold. */
  readonly dropped: number;
}

export function reconcileViolations(
  before: readonly TrackedViolation[],
  found: readonly (Violation & { readonly id?: string })[],
  options: ReconcileOptions
): Reconciliation {
  const fixed: TrackedViolation[] = [];
  const kept: TrackedViolation[] = [];
  const isKnown = (mention: Mention): boolean =>
    before.some((known) => isSameViolation(known, mention));
  for (const violation of before) {
    if (violation.status !== "fixed") {
      kept.push(violation);
      continue;
    }
    const same = found.find((mention) => isSameViolation(violation, mention));
    const moved = same ?? found.find((other) => hasSameWords(violation, other) && !isKnown(other));
    if (moved === undefined) fixed.push(violation);
    else if (same !== undefined) kept.push({ ...violation, status: "new" });
    else kept.push({ ...violation, ...placed(moved, options.place(moved)), status: "new" });
  }
  const counts = { outsideDiff: 0, dropped: 0 };
  for (const { id, ...violation } of found) {
    const mention: Violation & Mention = id === undefined ? violation : { ...violation, id };
    if (kept.some((known) => isRepeated(known, mention, before))) continue;
    const placement = options.place(violation);
    if (placement.kind === "outside") counts.outsideDiff++;
    else if (options.isRerun && isBelow(violation.priority, options.threshold)) counts.dropped++;
    else kept.push(track(violation, placement, `${options.key} ${kept.length}`));
  }
  return { violations: kept, fixed, ...counts };
}

/**
 * Returns whether a mention repeats a violation. An earlier violation may be repeated in other words, but one of the
 * same answer only literally.
 */
function isRepeated(
  known: TrackedViolation,
  mention: Violation & Mention,
  before: readonly TrackedViolation[]
): boolean {
  const earlier = before.find(({ id }) => id === known.id);
  const { id, ...said } = mention;
  if (earlier !== undefined) {
    // The reviewer received the IDs only of violations that were marked as fixed.
    const named = earlier.status === "fixed" ? mention : said;
    return isSameViolation(known, named) && !isHidden(known, mention);
  }
  const { file, line, issue } = mention;
  return known.line === line && known.issue === issue && known.file === plainPath(file);
}

/** Returns whether a mention at the position of a skipped violation is a new and more serious one. */
function isHidden(known: TrackedViolation, { issue, priority }: Violation): boolean {
  const isWorse = PRIORITIES.indexOf(priority) < PRIORITIES.indexOf(known.priority);
  return known.status === "skipped" && isWorse && !hasSameWords(known, { issue });
}

function isBelow(priority: Priority, threshold: Priority): boolean {
  return PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(threshold);
}

function track(violation: Violation, placement: Placement, key: string): TrackedViolation {
  const id = sha256(`${key} ${violation.issue}`, 8);
  return {
    id,
    ...violation,
    ...placed(violation, placement),
    status: "new",
    ...(placement.kind === "unplaced" ? { unplaced: true } : {}),
  };
}

function placed({ file, line }: Violation, placement: Placement): Pick<Violation, "file" | "line"> {
  return { file: placement.kind === "inside" ? placement.file : plainPath(file), line };
}
