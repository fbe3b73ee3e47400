/**
 * Tracks work over the life of a session that a stop does not wait for: `async` hooks (H11, H41), interrupted hooks, and
 * the records of a stop after which the agent continues (H24).
 */
import pTimeout from "p-timeout";
import { MAX_REASON_CHARS } from "@/common/limits";
import { clip } from "@/common/text";
import type { HookRun } from "@/node/services/hooks/contract/types";

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
  keep({ finding, context }: HookRun): void {
    if (this.signal.aborted) return;
    const texts = [finding, context].filter((text) => text !== undefined);
    this.#contexts = [...this.#contexts, ...texts].slice(-MAX_CONTEXTS);
  }

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
