/**
 * Counts a workspace as streaming from the end of a turn until its continuation has begun. Hosts of January 2026 send
 * what is in their queue without any sign of it: a message that the user types in that moment would start a second turn
 * beside the continuation. Newer hosts know by themselves that a turn is being prepared.
 */
import type { HostAgentSession } from "@/host/hostTypes";

interface Pending {
  readonly session: HostAgentSession;
  isSending: boolean;
}

export class Handover {
  readonly #pending = new Map<string, Pending>();

  /** The session's queue has a continuation now. */
  queued(session: HostAgentSession): void {
    if (session.isBusy !== undefined) return;
    this.#pending.set(session.workspaceId, { session, isSending: false });
  }

  /** @param sent settles once the host has begun the turn, or has failed to */
  sends({ workspaceId }: HostAgentSession, sent: Promise<unknown>): void {
    const pending = this.#pending.get(workspaceId);
    if (pending === undefined || pending.isSending) return;
    pending.isSending = true;
    const over = (): void => {
      if (this.#pending.get(workspaceId) === pending) this.#pending.delete(workspaceId);
    };
    void sent.then(over, over);
  }

  /** False again where the queue was emptied and nothing was sent. */
  isUnderWay(workspaceId: string): boolean {
    const pending = this.#pending.get(workspaceId);
    if (pending === undefined) return false;
    return pending.isSending || pending.session.messageQueue?.isEmpty() === false;
  }

  forget(workspaceId: string): void {
    this.#pending.delete(workspaceId);
  }
}
