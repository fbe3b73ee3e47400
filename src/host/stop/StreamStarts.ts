/**
 * `StreamStarts` tracks when the turns of a workspace start to stream: from then on its machine is ready for hooks.
 * `Handover` tracks which workspaces have a continuation that is queued but has not started, so that older versions of
 * Mux start no second turn at the same time.
 */
import { deferred, type Deferred } from "@/common/abort";
import type { HostAgentSession } from "@/host/muxTypes";

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

/**
 * Reports a workspace as streaming from the end of a turn until its continuation starts. Hosts of January 2026 take a
 * message from the queue before they register its stream, so a message of the user would start a second turn at the same
 * time. Newer hosts track this state themselves (`isBusy`).
 */
export class Handover {
  readonly #pending = new Map<string, { session: HostAgentSession; isSending: boolean }>();

  /** Records that a continuation was added to the session's queue. */
  queued(session: HostAgentSession): void {
    if (session.isBusy !== undefined) return;
    this.#pending.set(session.workspaceId, { session, isSending: false });
  }

  /** Records that the continuation is being sent. @param sent settles when the turn has started or failed to start */
  sends({ workspaceId }: HostAgentSession, sent: Promise<unknown>): void {
    const pending = this.#pending.get(workspaceId);
    if (pending === undefined || pending.isSending) return;
    pending.isSending = true;
    const onOver = (): void => {
      if (this.#pending.get(workspaceId) === pending) this.#pending.delete(workspaceId);
    };
    void sent.then(onOver, onOver);
  }

  /** Returns whether the continuation is queued or being sent; false if the queue was emptied before that. */
  isUnderWay(workspaceId: string): boolean {
    const pending = this.#pending.get(workspaceId);
    if (pending === undefined) return false;
    return pending.isSending || pending.session.messageQueue?.isEmpty() === false;
  }

  forget(workspaceId: string): void {
    this.#pending.delete(workspaceId);
  }
}
