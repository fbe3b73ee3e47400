/** Tracks when the turns of a workspace start to stream: from then on its machine is ready for hooks. */
import { deferred, type Deferred } from "@/common/abortable";

/** Promises for turns that begin to stream. By then the host has prepared the machine and the checkout. */
export class StreamStarts {
  readonly #waiting = new Map<string, Deferred<void>>();

  /** Resolves at the next start of a stream in the workspace, or when the turn ends without one. */
  next(workspaceId: string): Promise<void> {
    const start = this.#waiting.get(workspaceId) ?? deferred();
    this.#waiting.set(workspaceId, start);
    return start.promise;
  }

  /** Handles an event of the host's AI service. */
  onEvent(event: string, payload: unknown): void {
    if (!EVENTS.has(event) || typeof payload !== "object" || payload === null) return;
    const { workspaceId } = payload as { workspaceId?: unknown };
    if (typeof workspaceId === "string") this.settle(workspaceId);
  }

  settle(workspaceId: string): void {
    this.#waiting.get(workspaceId)?.resolve();
    this.#waiting.delete(workspaceId);
  }
}

/** The events after which a turn streams, or ends without a stream. */
const EVENTS = new Set(["stream-start", "stream-end", "stream-abort", "error"]);
