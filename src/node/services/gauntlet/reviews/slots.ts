/** Plans which slots of a review run, on which diff, and which keep their results (G14, G14a). */
import {
  isOpen,
  type ReviewState,
  type SlotState,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";

/** The facts about a slot at the beginning of a run. */
export interface SlotFacts {
  readonly state: SlotState;
  /** Includes the agent's edits. */
  readonly violations: readonly TrackedViolation[];
  /** False if the agent's work is unknown, because its file is missing or broken. */
  readonly isIntact: boolean;
  /** Whether a file that the gate covers changed since the slot's last answer. */
  readonly hasChanged: boolean;
}

export type SlotPlan =
  /** `whole`: the slot sees the whole change, not only the changes since its last answer. */
  | { readonly kind: "ask"; readonly slot: number; readonly whole: boolean }
  /** The slot passed and does not run again. If files changed, another slot of its gate reviews them. */
  | { readonly kind: "prior_pass"; readonly slot: number }
  /** The slot keeps its violations: no file changed, and none of them is marked as fixed. */
  | { readonly kind: "stand"; readonly slot: number };

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
    ([slot, { violations }]) => slot > numReviews && violations.some(isOpen)
  );
  const slots = [...wanted, ...beyond.map(([slot]) => slot)].sort((a, b) => a - b);
  const plans = slots.map((slot) => planSlot(slot, facts.get(slot)));
  if (plans.some(({ kind }) => kind !== "prior_pass")) return plans;
  // All slots passed: one of them reviews the changes since.
  const [first = 1] = slots;
  if (facts.get(first)?.hasChanged !== true) return plans;
  return [{ kind: "ask", slot: first, whole: false }, ...plans.slice(1)];
}

function planSlot(slot: number, facts: SlotFacts | undefined): SlotPlan {
  if (facts === undefined) return { kind: "ask", slot, whole: true };
  const { state, violations, isIntact, hasChanged } = facts;
  if (state.snapshot === undefined || (!isIntact && hasChanged)) {
    return { kind: "ask", slot, whole: true };
  }
  if (!violations.some(isOpen)) return { kind: "prior_pass", slot };
  const waits = violations.some(({ status }) => status === "fixed");
  return hasChanged || waits ? { kind: "ask", slot, whole: false } : { kind: "stand", slot };
}

/** Returns the order in which the available reviewers are tried for a slot (round robin). */
export function reviewersFor(slot: number, reviewers: readonly string[]): readonly string[] {
  if (reviewers.length === 0) return [];
  const first = (slot - 1) % reviewers.length;
  return [...reviewers.slice(first), ...reviewers.slice(0, first)];
}

export function slotStates(state: ReviewState | undefined): ReadonlyMap<number, SlotState> {
  return new Map(
    Object.entries(state ?? {}).flatMap(([slot, of]): [number, SlotState][] => {
      const number = Number(slot);
      return Number.isSafeInteger(number) && number > 0 ? [[number, of]] : [];
    })
  );
}
