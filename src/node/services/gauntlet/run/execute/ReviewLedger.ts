/**
 * Runs the reviews of one run, and merges their findings into the state of earlier runs for the next one (G14). Also
 * counts the calls of each reviewer, and lists the violations that were fixed or skipped.
 */
import { visible } from "@/common/safeText";
import type { RunListener, SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import type { ReviewerPool } from "@/node/services/gauntlet/reviews/ReviewerPool";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { comparesOtherwise, isFullRun } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

export class ReviewLedger {
  readonly #after = new Map<string, reviews.ReviewState>();
  readonly #fixed: reviews.TrackedViolation[] = [];
  readonly #isFullRun: boolean;
  #pool: ReviewerPool | undefined;
  /** The calls of each reviewer, including those of earlier runs. */
  calls: ExecutionState["calls"];

  constructor(
    private readonly given: GauntletRunContext,
    private readonly before: ExecutionState
  ) {
    this.#isFullRun = isFullRun(given.options);
    this.calls = before.calls;
  }

  /** Runs a review. Imports the review modules only now, because most runs only have checks. */
  async run({ gate, ...rest }: Job, plan: Plan, emit: RunListener): Promise<GateResult> {
    if (gate.kind !== "review") throw new Error(`${rest.id} is not a review`);
    const job = { ...rest, gate };
    const { given, before } = this;
    const { run, snapshot } = plan;
    const { runReviewGate } = await import("@/node/services/gauntlet/reviews/runReviewGate");
    const { ReviewerPool } = await import("@/node/services/gauntlet/reviews/ReviewerPool");
    this.#pool ??= new ReviewerPool(given, before.cooldown);
    const scope = plan.scopes.get(job.id) ?? { from: snapshot, to: snapshot, covers: () => false };
    const done = await runReviewGate(job, before.reviews[job.id], {
      ...{ ...given, git: given.context, pool: this.#pool, emit, run, snapshot },
      iteration: plan.before.attempt + 1,
      scope: { ...scope, isNarrowed: given.options.scope !== undefined },
      isFullRun: this.#isFullRun,
      noteCall: (name, more) => {
        const { count, tokens } = this.calls?.[name] ?? { count: 0, tokens: 0 };
        this.calls = { ...this.calls, [name]: { count: count + 1, tokens: tokens + more } };
      },
    });
    this.#after.set(job.id, done.state);
    this.#fixed.push(...done.fixed);
    return done.result;
  }

  /** Returns the reviews for the next run. A partial run only adds findings and closes none (G20a). */
  get reviews(): ExecutionState["reviews"] {
    const merged: Record<string, reviews.ReviewState> = { ...this.before.reviews };
    const isOther = comparesOtherwise(this.given.options);
    for (const [id, after] of this.#after) {
      const isLast = this.#isFullRun && !isOther;
      merged[id] = isLast ? after : addPartial(this.before.reviews[id] ?? {}, after, isOther);
    }
    return merged as ExecutionState["reviews"];
  }

  get cooldown(): ExecutionState["cooldown"] {
    return this.#pool?.cooldown ?? this.before.cooldown;
  }

  /** Returns the violations whose fix was verified in this run, each as location and text. */
  get fixed(): string[] {
    return this.#fixed.map(reviews.describeViolation);
  }

  /** Returns the skipped violations of all reviews of the episode. */
  get skipped(): SkippedIssue[] {
    return Object.values(this.reviews)
      .flatMap((slots) => Object.values(slots))
      .flatMap(({ violations }) => violations.filter((violation) => !reviews.isOpen(violation)))
      .map((violation) => ({
        issue: reviews.describeViolation(violation),
        reason: visible(violation.result ?? ""),
      }));
  }
}

/**
 * Adds a partial run's findings. The next full run still reviews from the snapshot of the last full one.
 *
 * @param isOther whether the run compared with something else, so that its reviewers may not have seen the whole change
 */
function addPartial(
  before: reviews.ReviewState,
  after: reviews.ReviewState,
  isOther: boolean
): reviews.ReviewState {
  const slots = Object.entries(after).map(([slot, now]): [string, reviews.SlotState] => {
    const { passIteration: _, ...found } = now;
    const seen = isOther ? undefined : now;
    const { snapshot = seen?.snapshot, promptDigest = seen?.promptDigest } = before[slot] ?? {};
    return [slot, { ...found, snapshot, promptDigest }];
  });
  return { ...before, ...Object.fromEntries(slots) };
}
