/** The reviews of one run: the state before them and the state after them (G14). */
import { definedOnly } from "@/common/definedOnly";
import { visible } from "@/common/text";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import {
  describeViolation,
  isOpen,
  type ReviewState,
  type SlotState,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";
import type { SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import type { ReviewerPool } from "@/node/services/gauntlet/reviews/ReviewerPool";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { isFullRun } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

type Reviews = ExecutionState["reviews"];

export class ReviewRuns {
  readonly #after = new Map<string, ReviewState>();
  readonly #fixed: TrackedViolation[] = [];
  #pool: ReviewerPool | undefined;
  /** Includes the calls of earlier runs. */
  calls: ExecutionState["calls"];

  constructor(
    private readonly given: GauntletRunContext,
    private readonly before: Pick<ExecutionState, "reviews" | "cooldown" | "calls">
  ) {
    this.calls = before.calls;
  }

  /** Runs a review. Imports the review modules only now, because most runs only have checks. */
  async run({ gate, ...rest }: Job, plan: Plan, emit: RunListener): Promise<GateResult> {
    if (gate.kind !== "review") throw new Error(`${rest.id} is not a review`);
    const job = { ...rest, gate };
    const { options, config, context, logDir, now, signal, reporter } = this.given;
    const { runtime, projectDir } = options;
    const { runReview } = await import("@/node/services/gauntlet/reviews/runReview");
    const { ReviewerPool } = await import("@/node/services/gauntlet/reviews/ReviewerPool");
    this.#pool ??= new ReviewerPool({
      runtime,
      projectDir,
      config,
      now,
      cooldown: this.before.cooldown,
    });
    const done = await runReview(job, this.before.reviews[job.id], {
      ...{ runtime, config, projectDir, logDir, now, emit, git: context, pool: this.#pool },
      run: plan.run,
      iteration: plan.before.attempt + 1,
      snapshot: plan.snapshot,
      scopeOf: (id) => ({
        ...(plan.scopes.get(id) ?? { from: plan.snapshot, to: plan.snapshot, covers: () => false }),
        isNarrowed: options.scope !== undefined,
      }),
      isFullRun: isFullRun(options),
      noteCall: (name, more) => {
        const { count, tokens } = this.calls?.[name] ?? { count: 0, tokens: 0 };
        this.calls = { ...this.calls, [name]: { count: count + 1, tokens: tokens + more } };
      },
      warn: (text) => {
        reporter.report("warning", text);
      },
      ...(signal === undefined ? {} : { signal }),
    });
    this.#after.set(job.id, done.state);
    this.#fixed.push(...done.fixed);
    return done.result;
  }

  /** Returns the reviews for the next run. A partial run only adds findings and closes none (G20a). */
  get reviews(): Reviews {
    const merged: Record<string, ReviewState> = { ...this.before.reviews };
    const whole = isFullRun(this.given.options);
    for (const [id, after] of this.#after) {
      merged[id] = whole ? after : addedTo(this.before.reviews[id] ?? {}, after);
    }
    return merged as Reviews;
  }

  get cooldown(): ExecutionState["cooldown"] {
    return this.#pool?.cooldown ?? this.before.cooldown;
  }

  /** Returns the violations whose fix was verified in this run, each as location and text. */
  get fixed(): string[] {
    return this.#fixed.map(describeViolation);
  }

  /** Returns the skipped violations of all reviews of the episode. */
  get skipped(): SkippedIssue[] {
    return Object.values(this.reviews)
      .flatMap((slots) => Object.values(slots))
      .flatMap(({ violations }) => violations.filter((violation) => !isOpen(violation)))
      .map((violation) => ({
        issue: describeViolation(violation),
        reason: visible(violation.result ?? ""),
      }));
  }
}

/** Adds a partial run's findings. The next full run still reviews from the snapshot of the last full one. */
function addedTo(before: ReviewState, after: ReviewState): ReviewState {
  const slots = Object.entries(after).map(([slot, now]): [string, SlotState] => {
    const { passIteration, ...found } = now;
    const { snapshot, promptDigest } = before[slot] ?? {};
    return [slot, { ...found, ...definedOnly({ snapshot, promptDigest }) }];
  });
  return { ...before, ...Object.fromEntries(slots) };
}
