/**
 * Counts the continuations of a turn, and applies the limits of the turn and of each hook (H25, H26, H45). A new turn
 * of the host begins a new count unless a limit ended the last one, and a transcript can restore the count (H27). Also
 * remembers which hooks requested continuations, and which launch failures have blocked in the turn (H19a).
 */
import { firstLine, plural } from "@/common/safeText";
import type * as contract from "@/node/services/hooks/contract/types";

/** Limits the continuations of one turn, and remembers which hooks requested them (H19a, H25, H26, H45). */
export class ContinuationLimit {
  #continuations = 0;
  /** Whether the last turn ended without a limit, so that the host's next turn begins a new count. */
  #mayRenew = false;
  #blockingHooks: ReadonlySet<string> = new Set();
  /** Launch failures that have blocked in this turn. None of them blocks twice. */
  readonly launchFailures = new Set<string>();
  /** Number of continuations that each hook has requested in this turn, by its name. */
  readonly requests = new Map<string, number>();

  get continuations(): number {
    return this.#continuations;
  }

  /** Names of the hooks that requested the current continuation. */
  get blockingHooks(): ReadonlySet<string> {
    return this.#blockingHooks;
  }

  reset(): void {
    this.#mayRenew = false;
    this.#continuations = 0;
    this.requests.clear();
    this.#blockingHooks = new Set();
    this.launchFailures.clear();
  }

  /** Handles a stop without a continuation. If a `loop_limit` ignored a request, a limit ended the turn. */
  noteAllowedStop({ runs = [] }: contract.StopHooksResult): void {
    this.#mayRenew = runs.every(({ outcome }) => outcome !== "ignored");
  }

  /** Begins a new count for a turn of the host itself, unless a limit ended the last turn (H25). */
  renew(): void {
    if (this.#mayRenew) this.reset();
  }

  /** Restores the count from a transcript if it is higher than the count in memory (H27). NaN is ignored. */
  restore(continuations: number): void {
    if (continuations > this.#continuations) this.#continuations = continuations;
  }

  /** Counts one more continuation, or returns the reason why there is none. */
  tryContinue(
    { runs = [] }: contract.StopHooksResult,
    maxContinuations: number
  ): string | undefined {
    const blocking = runs.filter(({ outcome }) => outcome === "block" || outcome === "feedback");
    for (const { launchFailure } of blocking) {
      if (launchFailure !== undefined) this.launchFailures.add(launchFailure);
    }
    this.#mayRenew = false;
    if (this.#continuations >= maxContinuations) {
      const continuations = plural(maxContinuations, "continuation");
      const requests = blocking.map(
        ({ name, title, reason, context }) =>
          `${name} (${title}): ${firstLine(reason ?? context ?? "")}`
      );
      return `the agent stops now, after ${continuations} in this turn, which is the limit (stopHooks.maxContinuations); hooks that still request a continuation: ${requests.join("; ")}`;
    }
    this.#continuations++;
    this.#blockingHooks = new Set(blocking.map(({ name }) => name));
    for (const name of this.#blockingHooks) {
      this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
    }
    return undefined;
  }
}

/**
 * Returns the run, marked as `ignored` if its hook has requested as many continuations as its `loop_limit` allows.
 *
 * @param requests number of continuations of this turn that each hook has requested, by its name
 */
export function applyLoopLimit(
  run: contract.HookRun,
  { name, handler, source }: contract.ConfiguredHook,
  requests: ReadonlyMap<string, number> = new Map()
): contract.HookRun {
  const { loop_limit: limit } = handler;
  if (limit === undefined || (requests.get(name) ?? 0) < limit) return run;
  const { outcome, reason, context, stopReason } = run;
  if (outcome !== "block" && outcome !== "feedback" && outcome !== "end") return run;
  const where = source === undefined ? "" : ` at ${source.file}:${source.line}`;
  const request = firstLine(reason ?? context ?? stopReason ?? "");
  const warning = `its decision has no effect, because it has requested ${plural(limit, "continuation")} in this turn, which is its limit ("loop_limit"${where}); it still returned${request === "" ? " a decision" : `: ${request}`}`;
  return { ...run, outcome: "ignored", warnings: [...run.warnings, warning] };
}
