/**
 * Plans which slots of a review gate run, and whether they see the whole change. Carries over the results of the
 * others, and writes their result files (G14, G14a). A slot is one of the `num_reviews` reviews of a gate.
 */
import { posix } from "node:path";
import type { SlotResult } from "@/node/services/gauntlet/domain/gate";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import type { ReviewContext, ReviewJob } from "@/node/services/gauntlet/reviews/ReviewerPool";
import { writeResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import { unresolvedViolations } from "@/node/services/gauntlet/messages/shared";

/** The facts about a slot at the beginning of a run. */
export interface SlotFacts {
  readonly state: reviews.SlotState;
  /** Includes the agent's edits. */
  readonly violations: readonly reviews.TrackedViolation[];
  /** False if the agent's work is unknown, because its file is missing or broken. */
  readonly isIntact: boolean;
  /** Whether a file that the gate covers changed since the slot's last answer. */
  readonly hasChanged: boolean;
}

export const NEVER_RUN: SlotFacts = {
  state: { reviewer: "", outcome: "error", violations: [], fixed: [] },
  violations: [],
  isIntact: true,
  hasChanged: true,
};

export type SlotPlan =
  /** `whole`: the slot sees the whole change, not only the changes since its last answer. */
  | { readonly kind: "ask"; readonly slot: number; readonly whole: boolean }
  /** The slot passed and does not run again. If files changed, another slot of its gate reviews them. */
  | { readonly kind: "prior_pass"; readonly slot: number }
  /** The slot keeps its violations: no file changed, and none of them is marked as fixed. */
  | { readonly kind: "keep"; readonly slot: number };

export interface SlotUpdate {
  readonly slot: SlotResult;
  /** The state for the next run. */
  readonly state: reviews.SlotState;
  /** No reviewer could be reached, which an agent cannot fix. */
  readonly unreachable?: boolean;
}

/**
 * Plans the slots of a gate.
 *
 * @param numReviews the number of slots; slots beyond it are included while they have unresolved violations
 */
export function planSlots(
  numReviews: number,
  facts: ReadonlyMap<number, SlotFacts>
): readonly SlotPlan[] {
  const wanted = Array.from({ length: numReviews }, (_, i) => i + 1);
  const beyond = [...facts].filter(
    ([slot, { violations }]) => slot > numReviews && violations.some(reviews.isOpen)
  );
  const slots = [...wanted, ...beyond.map(([slot]) => slot)].sort((a, b) => a - b);
  const plans = slots.map((slot) => planSlot(slot, facts.get(slot) ?? NEVER_RUN));
  if (plans.some(({ kind }) => kind !== "prior_pass")) return plans;
  // All slots passed: one of them reviews the changes since.
  const [first = 1] = slots;
  if (facts.get(first)?.hasChanged !== true) return plans;
  return [{ kind: "ask", slot: first, whole: false }, ...plans.slice(1)];
}

function planSlot(slot: number, { state, violations, isIntact, hasChanged }: SlotFacts): SlotPlan {
  if (state.snapshot === undefined || (!isIntact && hasChanged)) {
    return { kind: "ask", slot, whole: true };
  }
  if (!violations.some(reviews.isOpen)) return { kind: "prior_pass", slot };
  const hasClaims = violations.some(({ status }) => status === "fixed");
  return hasChanged || hasClaims ? { kind: "ask", slot, whole: false } : { kind: "keep", slot };
}

/** Returns the states of a review by the number of the slot. */
export function slotStates(state: reviews.ReviewState): ReadonlyMap<number, reviews.SlotState> {
  const states = Object.entries(state).map(([slot, one]) => [Number(slot), one] as const);
  return new Map(states.filter(([slot]) => Number.isSafeInteger(slot) && slot > 0));
}

/** Returns the result of a slot for which this run has no answer. */
export function unanswered(
  slot: number,
  state: reviews.SlotState,
  result: Pick<SlotResult, "outcome" | "message">,
  { logDir }: ReviewContext
): SlotUpdate {
  const { reviewer, file } = state;
  const jsonPath = file && posix.join(logDir, file);
  return { slot: { slot, reviewer, durationMs: 0, ...result, jsonPath }, state };
}

/**
 * Keeps the result of a slot. Its unresolved violations are in the file of the last run that reviewed it, which is
 * written again if it is missing or broken.
 */
export async function carryOver(
  job: ReviewJob,
  slot: number,
  { state, violations, isIntact }: SlotFacts,
  context: ReviewContext
): Promise<SlotUpdate> {
  const { reviewer } = state;
  const report = { reviewer, outcome: "failed", rawOutput: "", violations } as const;
  const written = isIntact ? undefined : await writeResultFile(context, job, slot, report);
  const file = (written?.failure === undefined ? written?.name : undefined) ?? state.file;
  const unresolved = violations.filter(reviews.isOpen).length;
  const message = `${unresolvedViolations(unresolved, 0)}; no file has changed since the last review`;
  const outcome = unresolved > 0 ? "failed" : "passed";
  return unanswered(slot, { ...state, violations, file }, { outcome, message }, context);
}

/** Records in a new result file that the slot was skipped because it passed before. */
export async function passPriorSlot(
  job: ReviewJob,
  slot: number,
  { state, violations }: SlotFacts,
  context: ReviewContext
): Promise<SlotUpdate> {
  const { reviewer, passIteration } = state;
  const outcome = "prior_pass";
  const report = { reviewer, outcome, rawOutput: "", violations, passIteration } as const;
  const { name, failure } = await writeResultFile(context, job, slot, report);
  return {
    slot: { slot, reviewer, outcome, durationMs: 0 },
    state: { ...state, violations, outcome, file: failure ? state.file : name },
  };
}
