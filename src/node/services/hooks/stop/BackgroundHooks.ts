/** Tracks hooks that no caller waits for, over the life of a session: `async` hooks (H11, H41) and interrupted ones. */
import { MAX_REASON_CHARS } from "@/common/limits";
import { clip } from "@/common/text";
import type { HookRun } from "@/node/services/hooks/contract/types";

export class BackgroundHooks {
  readonly #lifetime = new AbortController();
  readonly #trailing = new Set<Promise<unknown>>();
  #contexts: string[] = [];

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

  /** Ends all running hooks, and resolves when the tracked work is done. */
  async dispose(): Promise<void> {
    this.#lifetime.abort();
    await Promise.all(this.#trailing);
  }
}

const MAX_CONTEXTS = 10;
