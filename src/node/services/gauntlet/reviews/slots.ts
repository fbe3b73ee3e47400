/** Which slots of a review are asked, about what, and which stand as they are (G14, G14a). */
import {
  isOpen,
  type ReviewState,
  type SlotState,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";

/** What is known of a slot when a run begins. */
export interface SlotFacts {
  readonly state: SlotState;
  /** With what the agent says of them now. */
  readonly violations: readonly TrackedViolation[];
  /** False: what the agent did is not known, since its file is gone or broken. */
  readonly isIntact: boolean;
  /** Something that concerns the gate changed since its last answer. */
  readonly hasChanged: boolean;
}

export type SlotPlan =
  /** `whole`: it sees the whole change, not only what came since its last answer. */
  | { readonly kind: "ask"; readonly slot: number; readonly whole: boolean }
  /** It passed, and another slot of its gate speaks for it. */
  | { readonly kind: "prior_pass"; readonly slot: number }
  /** What is open of it stays so: nothing changed, and nothing is said to be fixed. */
  | { readonly kind: "stand"; readonly slot: number };

/** @param numReviews how many the gate asks for; what is open of a slot beyond them is open all the same */
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
  // All have passed: one of them looks at what has come since.
  const [first = 1] = slots;
  if (facts.get(first)?.hasChanged !== true) return plans;
  return [{ kind: "ask", slot: first, whole: false }, ...plans.slice(1)];
}

function planSlot(slot: number, facts: SlotFacts | undefined): SlotPlan {
  if (facts === undefined) return { kind: "ask", slot, whole: true };
  const { state, violations, isIntact, hasChanged } = facts;
  if (state.snapshot === undefined || !isIntact) return { kind: "ask", slot, whole: true };
  if (!violations.some(isOpen)) return { kind: "prior_pass", slot };
  const waits = violations.some(({ status }) => status === "fixed");
  return hasChanged || waits ? { kind: "ask", slot, whole: false } : { kind: "stand", slot };
}

/** Round robin: who is asked in which order for a slot, given those that can be asked. */
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
