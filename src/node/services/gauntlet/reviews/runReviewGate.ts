/**
 * Runs a review gate: applies the agent's edits of its result files, runs those of its slots (its `num_reviews`
 * reviews) that need an answer, keeps the results of the others, and combines all results (G12 to G14a).
 */
import { posix } from "node:path";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import { runSlot } from "@/node/services/gauntlet/reviews/runSlot";
import { takeEdits } from "@/node/services/gauntlet/reviews/violations/resultFileEdits";
import {
  importReview,
  readResultFile,
} from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ReviewContext, ReviewJob } from "@/node/services/gauntlet/reviews/ReviewerPool";
import { promptDigest } from "@/node/services/gauntlet/reviews/buildPrompt";
import * as reviewSlots from "@/node/services/gauntlet/reviews/planSlots";
import * as messages from "@/node/services/gauntlet/messages/shared";

/** The result of a review, and its state for the next run. */
export interface ReviewDone {
  readonly result: GateResult;
  readonly state: reviews.ReviewState;
  /** The violations that were verified as fixed in this run. */
  readonly fixed: readonly reviews.TrackedViolation[];
}

/** Runs a review. Never rejects: a failure to get an answer is an `error` of the slot. */
export async function runReviewGate(
  job: ReviewJob,
  before: reviews.ReviewState | undefined,
  context: ReviewContext
): Promise<ReviewDone> {
  const { runtime, logDir, now } = context;
  const start = now().getTime();
  const known = reviewSlots.slotStates(before ?? (await importReview(runtime, logDir, job)));
  const facts = new Map<number, reviewSlots.SlotFacts>();
  for (const [slot, state] of known) facts.set(slot, await factsOf(job, state, context));

  const outcomes = await Promise.all(
    reviewSlots
      .planSlots(job.gate.numReviews, facts)
      .map(async (plan): Promise<reviewSlots.SlotUpdate> => {
        const fact = facts.get(plan.slot) ?? reviewSlots.NEVER_RUN;
        const keep = plan.kind === "prior_pass" ? reviewSlots.passPriorSlot : reviewSlots.carryOver;
        const outcome =
          plan.kind === "ask"
            ? await runSlot(job, plan, fact, context)
            : await keep(job, plan.slot, fact, context);
        context.emit({ type: "slot-end", job, slot: outcome.slot });
        return outcome;
      })
  );
  const states = outcomes.map(({ slot, state }) => [slot.slot, state] as const);
  const result = resultOf(job, outcomes, now().getTime() - start);
  const fixed = outcomes.flatMap(({ slot, state }) => {
    const before = known.get(slot.slot)?.fixed ?? [];
    return state.fixed.filter(({ id }) => before.every((earlier) => earlier.id !== id));
  });
  return { result, state: Object.fromEntries(states), fixed };
}

/** Returns the facts about a slot. Warns of edits of its file that do not count. */
async function factsOf(
  { id, gate }: ReviewJob,
  state: reviews.SlotState,
  context: ReviewContext
): Promise<reviewSlots.SlotFacts> {
  const { runtime, logDir, snapshot, reporter, scope } = context;
  const path = state.file === undefined ? undefined : posix.join(logDir, state.file);
  const edits =
    path === undefined
      ? { violations: state.violations, problems: [], isIntact: true }
      : takeEdits(state.violations, await readResultFile(runtime, path), path);
  for (const problem of edits.problems) reporter.warn(problem);
  const { covers, isNarrowed } = scope;
  const { snapshot: seen, ...rest } = state;
  const since = new Map<string, readonly string[] | undefined>();
  for (const tree of [seen, ...edits.violations.map(({ at }) => at)]) {
    if (tree === undefined || since.has(tree)) continue;
    // If git no longer has the snapshot, any file may have changed.
    const files = await changedFiles(runtime, context.git, tree, snapshot);
    since.set(tree, files.map(changedPaths).unwrapOr(undefined));
  }
  // A change that the user selected (`--commit`) is reviewed as a whole, and so is one after a change of the prompt.
  const isComparable = !isNarrowed && state.promptDigest === promptDigest(gate);
  const changed = isComparable && seen !== undefined ? since.get(seen) : undefined;
  const hasChanged = changed === undefined || changed.some((file) => covers(file));
  const violations = edits.violations.map(({ at, ...violation }): reviews.TrackedViolation => {
    // git may no longer have the tree.
    const known = { ...violation, at: at !== undefined && since.get(at) ? at : undefined };
    if (known.status !== "fixed" || known.judged !== snapshot) return known;
    reporter.warn(
      messages.editProblem(
        path ?? id,
        known.id,
        reviews.describeViolation(known),
        "is marked as fixed, but no file has changed since it was reviewed; it is still unresolved: fix it, or skip it with a reason"
      )
    );
    return { ...known, status: "new" };
  });
  return {
    state: { ...rest, snapshot: changed && seen },
    violations,
    isIntact: edits.isIntact,
    hasChanged,
  };
}

function resultOf(
  job: ReviewJob,
  outcomes: readonly reviewSlots.SlotUpdate[],
  durationMs: number
): GateResult {
  const slots = outcomes.map(({ slot }) => slot);
  const unresolved = outcomes.flatMap(fixableIn);
  const errors = slots.filter(({ outcome }) => outcome === "error");
  const { id, gate, entryPoint } = job;
  const common = { jobId: id, kind: gate.kind, gate: gate.name, entryPoint, durationMs, slots };
  if (unresolved.length > 0) {
    const message = messages.unresolvedViolations(unresolved.length, errors.length);
    return { ...common, outcome: "failed", message };
  }
  if (errors.length > 0) {
    const isOutOfReach = outcomes.every(
      ({ slot, unreachable: lost }) => slot.outcome !== "error" || lost
    );
    const message = [...new Set(errors.map((slot) => slot.message ?? "no answer"))].join("; ");
    return { ...common, outcome: "error", message, unreachable: isOutOfReach || undefined };
  }
  if (slots.some(({ outcome }) => outcome === "cancelled")) {
    return { ...common, outcome: "cancelled", message: messages.CANCELLED };
  }
  return { ...common, outcome: "passed" };
}

/**
 * Returns the violations that an agent can still fix. After a partial run, a slot that passed still lists what it
 * verified. In a slot without an answer, the violations marked as fixed are unknown and left out.
 */
function fixableIn({ slot, state }: reviewSlots.SlotUpdate): readonly reviews.TrackedViolation[] {
  if (slot.outcome === "passed") return [];
  const isAnswered = slot.outcome !== "error" && slot.outcome !== "cancelled";
  return state.violations.filter(
    (violation) => reviews.isOpen(violation) && (isAnswered || violation.status !== "fixed")
  );
}
