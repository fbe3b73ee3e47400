/**
 * Tracks the work of a session that no stop waits for: hooks in the background, whose texts for the agent it keeps
 * until the next turn, and the writes of records. Ends these hooks with the session.
 */
import pTimeout from "p-timeout";
import type * as contract from "@/node/services/hooks/contract/types";

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

  /** Keeps what a run returned for the agent, whose length is limited, until it is taken. Drops the oldest of many. */
  keep({ finding, context }: contract.HookRun): void {
    if (this.signal.aborted) return;
    const texts = [finding, context].filter((text) => text !== undefined);
    this.#contexts = [...this.#contexts, ...texts].slice(-MAX_CONTEXTS);
  }

  /** Returns the kept texts and forgets them. */
  takeContext(): string | undefined {
    const text = [...new Set(this.#contexts)].join("\n\n");
    this.#contexts = [];
    return text === "" ? undefined : text;
  }

  /** Tracks work until it is done. No caller waits for it, so a rejection is caught at once. */
  track(work: Promise<unknown>): void {
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
    this.track(written);
    this.#records = this.#records.then(() => written);
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
