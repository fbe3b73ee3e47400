/** How checks ended in earlier runs: for the order in which they start (G41), and to show flaky ones (G36). */
import * as z from "zod/mini";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

/** Beyond this number of checks, those that ran least recently are removed. */
const MAX_CHECKS = 500;
/** The number of outcomes that are kept of each check. */
const MAX_OUTCOMES = 20;
/** The number of passes whose durations are kept. */
const MAX_PASSES = 5;
/** The number of digits of a snapshot's ID that are kept. */
const TREE_DIGITS = 12;

const outcomeSchema = z.enum(["passed", "failed", "flaky"]);
const checkSchema = z.object({
  /** The duration of its last run in milliseconds. */
  ms: z.number(),
  /** The durations of its last passes. */
  passes: z.catch(z.optional(z.array(z.number())), undefined),
  /** The tree and the outcome of each run, the latest last. */
  outcomes: z.array(z.tuple([z.string(), outcomeSchema])),
});
export const historySchema = z.array(z.tuple([z.string(), checkSchema]));

type Outcome = z.output<typeof outcomeSchema>;
type CheckRecord = z.output<typeof checkSchema>;

/** A check that had different outcomes for the same tree. */
export interface UnstableCheck {
  readonly jobId: string;
  readonly passed: number;
  readonly failed: number;
}

export class CheckHistory {
  /** By job ID, the check that ran last at the end. */
  readonly #checks: Map<string, CheckRecord>;
  #isChanged = false;

  constructor(entries: readonly (readonly [string, CheckRecord])[] = []) {
    this.#checks = new Map(entries);
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  get entries(): readonly (readonly [string, CheckRecord])[] {
    return [...this.#checks];
  }

  /** Adds the result of a check that ran on a tree. Results from the cache and of checks that did not end are ignored. */
  add(result: GateResult, tree: string): void {
    const { jobId, kind, durationMs, cachedSince } = result;
    const outcome = outcomeOf(result);
    if (kind !== "check" || outcome === undefined || cachedSince !== undefined) return;
    const { outcomes: earlier = [], passes = [] } = this.#checks.get(jobId) ?? {};
    const entry: [string, Outcome] = [tree.slice(0, TREE_DIGITS), outcome];
    this.#checks.delete(jobId);
    this.#checks.set(jobId, {
      ms: Math.round(durationMs),
      passes: [...passes, ...(outcome === "passed" ? [Math.round(durationMs)] : [])].slice(
        -MAX_PASSES
      ),
      outcomes: [...earlier, entry].slice(-MAX_OUTCOMES),
    });
    this.#isChanged = true;
    for (const oldest of this.#checks.keys()) {
      if (this.#checks.size <= MAX_CHECKS) break;
      this.#checks.delete(oldest);
    }
  }

  /** Returns whether the last run of a check failed. A flaky pass counts as a failure. */
  hasFailed(jobId: string): boolean {
    const last = this.#checks.get(jobId)?.outcomes.at(-1);
    return last !== undefined && last[1] !== "passed";
  }

  /** Returns the duration of the last run in milliseconds, or infinity if there was none. */
  durationOf(jobId: string): number {
    return this.#checks.get(jobId)?.ms ?? Infinity;
  }

  /** Returns the longest of the last passes in milliseconds, or infinity if there was none (G27c). */
  usualMs(jobId: string): number {
    const { passes = [] } = this.#checks.get(jobId) ?? {};
    return passes.length === 0 ? Infinity : Math.max(...passes);
  }

  /** Lists the checks that had different outcomes for the same tree. It is displayed only and decides nothing. */
  get unstable(): UnstableCheck[] {
    return [...this.#checks].flatMap(([jobId, { outcomes }]) => {
      const mixed = outcomes.map(([tree]) => tree).filter((tree) => isMixed(outcomes, tree));
      if (mixed.length === 0) return [];
      const all = outcomes.filter(([tree]) => mixed.includes(tree)).map(([, outcome]) => outcome);
      const failed = all.filter((outcome) => outcome !== "passed").length;
      // A flaky run has failed and passed.
      const passed = all.filter((outcome) => outcome !== "failed").length;
      return [{ jobId, passed, failed }];
    });
  }
}

function isMixed(outcomes: CheckRecord["outcomes"], wanted: string): boolean {
  const all = new Set(outcomes.flatMap(([tree, outcome]) => (tree === wanted ? [outcome] : [])));
  return all.has("flaky") || all.size > 1;
}

function outcomeOf({ outcome, flaky, overLimit }: GateResult): Outcome | undefined {
  if (outcome === "passed") return flaky === true ? "flaky" : "passed";
  return outcome === "failed" && overLimit !== true ? "failed" : undefined;
}
