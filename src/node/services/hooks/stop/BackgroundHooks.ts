/** What of the hooks nobody waits for, over the life of a session: `async` ones (H11), and interrupted ones. */
import { MAX_REASON_CHARS } from "@/common/limits";
import { clip } from "@/common/text";
import type { HookRun } from "@/node/services/hooks/contract/types";

export class BackgroundHooks {
  readonly #lifetime = new AbortController();
  readonly #trailing = new Set<Promise<unknown>>();
  #contexts: string[] = [];

  /** Ends them all when the session does. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Keeps what a run has to say to the agent; the latest, where nobody asks for it for long. */
  keep({ context }: HookRun): void {
    if (context !== undefined && !this.signal.aborted) {
      this.#contexts = [...this.#contexts, context].slice(-MAX_CONTEXTS);
    }
  }

  takeContext(): string | undefined {
    const text = [...new Set(this.#contexts)].join("\n\n");
    this.#contexts = [];
    return text === "" ? undefined : clip(text, MAX_REASON_CHARS);
  }

  /** Remembers work until it is done. Nobody waits for it, so nobody but this would see it reject. */
  finishDeferred(work: Promise<unknown>): void {
    const done = work.catch(() => undefined);
    this.#trailing.add(done);
    void done.then(() => this.#trailing.delete(done));
  }

  /** Ends what runs, and resolves when nothing of it is left. */
  async dispose(): Promise<void> {
    this.#lifetime.abort();
    await Promise.all(this.#trailing);
  }
}

const MAX_CONTEXTS = 10;
