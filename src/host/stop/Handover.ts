/**
 * Tracks which workspaces have a continuation that is queued but has not started, so that older versions of Mux start no
 * second turn at the same time.
 */
import type { HostAgentSession } from "@/host/muxTypes";

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
