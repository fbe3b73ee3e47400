/** Promises for turns that begin to stream. By then the host has prepared the machine and the checkout. */
export class StreamStarts {
  readonly #waiting = new Map<string, { promise: Promise<void>; resolve: () => void }>();

  /** Resolves at the next start of a stream in the workspace, or when the turn ends without one. */
  next(workspaceId: string): Promise<void> {
    const known = this.#waiting.get(workspaceId);
    if (known !== undefined) return known.promise;
    let resolve = (): void => undefined;
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    this.#waiting.set(workspaceId, { promise, resolve });
    return promise;
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

const EVENTS = new Set(["stream-start", "stream-end", "stream-abort", "error"]);
