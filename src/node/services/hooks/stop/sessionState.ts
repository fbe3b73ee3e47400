/**
 * The state of a session between its stops: the count of continuations, with its limits (H25, H26, H45), and the work
 * in the background.
 */
import { clip, firstLine, plural } from "@/common/text";
import type * as contract from "@/node/services/hooks/contract/types";
import pTimeout from "p-timeout";
import { MAX_REASON_CHARS } from "@/common/limits";

/** Limits the continuations of one turn, and remembers which hooks requested them (H19a, H25, H26, H45). */
export class ContinuationLimit {
  #continuations = 0;
  /** Whether the hooks ended the last stop, and no limit did. */
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
  allowed({ runs = [] }: contract.StopHooksResult): void {
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
 * Returns the run, without any effect on the turn if its hook has requested as many continuations as it may.
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

/** The hooks of a session that run in the background, their texts for the agent, and the writes of records. */
export class BackgroundHooks {
  readonly #lifetime = new AbortController();
  readonly #trailing = new Set<Promise<unknown>>();
  #contexts: string[] = [];
  #records: Promise<unknown> = Promise.resolve();

  /** Aborted when the session ends, which ends all of them. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Keeps what a run returned for the agent until it is taken. Drops all but the latest texts. */
  keep({ finding, context }: contract.HookRun): void {
    if (this.signal.aborted) return;
    const texts = [finding, context].filter((text) => text !== undefined);
    this.#contexts = [...this.#contexts, ...texts].slice(-MAX_CONTEXTS);
  }

  /** Returns the kept texts and forgets them. */
  takeContext(): string | undefined {
    const text = [...new Set(this.#contexts)].join("\n\n");
    this.#contexts = [];
    return text === "" ? undefined : clip(text, MAX_REASON_CHARS);
  }

  /** Tracks work until it is done. No caller waits for it, so a rejection is caught at once. */
  finishDeferred(work: Promise<unknown>): void {
    const done = work.catch(() => undefined);
    this.#trailing.add(done);
    void done.then(() => this.#trailing.delete(done));
  }

  /** All writes of records so far. */
  get records(): Promise<unknown> {
    return this.#records;
  }

  /** Tracks the write of records, which does not reject. */
  record(written: Promise<void>): void {
    this.finishDeferred(written);
    this.#records = Promise.all([this.#records, written]);
  }

  /** Resolves when all records are on disk, or after a time limit, because a disk may not respond. */
  async recorded(): Promise<void> {
    await pTimeout(this.#records, { milliseconds: RECORD_LIMIT_MS, fallback: () => undefined });
  }

  /** Ends all running hooks, and resolves when the tracked work is done. */
  async dispose(): Promise<void> {
    this.#lifetime.abort();
    await Promise.all(this.#trailing);
  }
}

const MAX_CONTEXTS = 10;
const RECORD_LIMIT_MS = 2_000;

/** Emits an event. A listener that throws must not decide whether an agent stops. */
export function emitSafely(
  listener: ((event: contract.HookEvent) => void) | undefined,
  event: contract.HookEvent
): void {
  try {
    listener?.(event);
  } catch {
    // The progress display has failed, not the hooks.
  }
}
