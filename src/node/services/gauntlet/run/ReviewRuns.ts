/** The reviews of one run: what they start from, and what they leave (G14). */
import { definedOnly } from "@/common/definedOnly";
import { visible } from "@/common/text";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import {
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

  constructor(
    private readonly given: GauntletRunContext,
    private readonly before: Pick<ExecutionState, "reviews" | "cooldown">
  ) {}

  /** Loaded where there is a review: most runs have checks alone. */
  async run({ gate, ...rest }: Job, plan: Plan, emit: RunListener): Promise<GateResult> {
    if (gate.kind !== "review") throw new Error(`${rest.id} is no review`);
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
      warn: (text) => {
        reporter.report("warning", text);
      },
      ...(signal === undefined ? {} : { signal }),
    });
    this.#after.set(job.id, done.state);
    this.#fixed.push(...done.fixed);
    return done.result;
  }

  /** For the next run. What a partial run finds is added; nothing is closed by one (G20a). */
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

  /** Verified in this run, by place and text. */
  get fixed(): string[] {
    return this.#fixed.map(describeViolation);
  }

  /** Of all reviews of the episode. */
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

/** Place and text on one line. */
export function describeViolation({ file, line, issue }: TrackedViolation): string {
  return visible(`${file}${line === null ? "" : `:${line}`} - ${issue}`);
}

/** A whole run asks again, from where the last whole one was. */
function addedTo(before: ReviewState, after: ReviewState): ReviewState {
  const slots = Object.entries(after).map(([slot, now]): [string, SlotState] => {
    const { passIteration, ...found } = now;
    const { snapshot, promptDigest } = before[slot] ?? {};
    return [slot, { ...found, ...definedOnly({ snapshot, promptDigest }) }];
  });
  return { ...before, ...Object.fromEntries(slots) };
}
