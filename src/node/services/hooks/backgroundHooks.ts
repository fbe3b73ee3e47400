/** Hooks that nobody waits for, over the life of a session (`async`, H11). */
import { setMaxListeners } from "node:events";
import { MAX_REASON_CHARS } from "@/common/limits";
import { clip } from "@/common/text";
import type { HookRun } from "@/node/services/hooks/types";

export class BackgroundHooks {
  readonly #lifetime = new AbortController();
  #contexts: string[] = [];

  constructor() {
    // Every hook in the background listens to it; Node would take eleven of them for a leak.
    setMaxListeners(0, this.#lifetime.signal);
  }

  /** Ends them all when the session does. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Keeps what a run has to say to the agent; the latest, where nobody asks for it for long. */
  keep({ context }: HookRun): void {
    if (context !== undefined && !this.signal.aborted) {
      this.#contexts = [...this.#contexts, context].slice(-MOST_KEPT);
    }
  }

  takeContext(): string | undefined {
    const text = [...new Set(this.#contexts)].join("\n\n");
    this.#contexts = [];
    return text === "" ? undefined : clip(text, MAX_REASON_CHARS);
  }

  dispose(): void {
    this.#lifetime.abort();
  }
}

const MOST_KEPT = 10;
