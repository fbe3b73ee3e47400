/**
 * Detects who requested a turn of Mux: a user, which resets the count of continuations (H25), or an agent that
 * delegated it to another workspace (H7, H28). Also detects which messages a person typed, and removes the mark of a
 * delegation from the end of a turn that continues.
 */
import { isJsonObject, objectOf } from "@/common/json";
import type * as mux from "@/host/muxTypes";

/** The message that hosts send to an agent after they compacted its history during its work. */
const RESUME = "Continue";

export class UserTurns {
  /** Sessions whose next turn was requested by a user. */
  readonly #asked = new WeakSet<mux.HostAgentSession>();
  /** Sessions whose work continues after a compaction. */
  readonly #resuming = new WeakSet<mux.HostAgentSession>();

  /** Handles a message to the agent. Returns whether it is a message that the user wrote. */
  messageSent(
    session: mux.HostAgentSession,
    message: string,
    options?: mux.HostSendOptions,
    internal?: mux.HostInternal
  ): boolean {
    if (internal?.synthetic === true || isContinuation(options)) return false;
    const summary = summaryRequest(options);
    if (summary !== undefined) {
      // A user interface requests the compaction for the user, together with the message that follows it.
      if (summary === "resumes") this.#resuming.add(session);
      else if (summary === "carries a message") this.#asked.add(session);
      return false;
    }
    if (this.#resuming.delete(session) && message.trim() === RESUME) return false;
    this.#asked.add(session);
    return true;
  }

  /** Handles a retry by the user. */
  retried(session: mux.HostAgentSession): void {
    this.#asked.add(session);
  }

  /** Handles a retry that failed or has started. */
  retryOver(session: mux.HostAgentSession): void {
    this.#asked.delete(session);
  }

  /** Returns whether the turn that begins now is the user's. */
  begins(session: mux.HostAgentSession): boolean {
    return this.#asked.delete(session);
  }
}

/** Returns whether a person typed a message: no goal, heartbeat, monitor, tool or other agent sent it. */
export function isTyped(
  options: mux.HostSendOptions | undefined,
  { synthetic, agentInitiated }: mux.HostInternal = {}
): boolean {
  const isSent = synthetic !== true && agentInitiated !== true && !isContinuation(options);
  return isSent && delegationOf(options?.muxMetadata) === undefined;
}

function isContinuation(options: mux.HostSendOptions | undefined): boolean {
  const metadata = options?.muxMetadata;
  return isJsonObject(metadata) && "stopHookActive" in metadata;
}

/** Returns what follows a compaction, if a message requests one. */
function summaryRequest(
  options: mux.HostSendOptions | undefined
): "resumes" | "carries a message" | "alone" | undefined {
  const metadata = options?.muxMetadata;
  if (!isJsonObject(metadata) || metadata.type !== "compaction-request") return undefined;
  const parsed = objectOf(metadata.parsed);
  // Hosts of January 2026 use the second name.
  const next = parsed.followUpContent ?? parsed.continueMessage;
  if (!isJsonObject(next)) return "alone";
  const { text, ...others } = next;
  const lists = [others.fileParts, others.imageParts, others.reviews];
  const hasMore = lists.some((list) => Array.isArray(list) && list.length > 0);
  const resumes = typeof text === "string" && text.trim() === RESUME && !hasMore;
  return resumes ? "resumes" : "carries a message";
}

/** The type of the metadata by which the host marks delegated turns. */
const TYPE = "workspace-turn-task";

/** A turn that an agent has delegated to another workspace. The host reports its end to that agent (H7, H28). */
export interface Delegation {
  readonly type: typeof TYPE;
  /** The workspace of the agent that awaits the report. */
  readonly ownerWorkspaceId: string;
}

/** Returns the delegation of a turn, if it is one. @param metadata of a message, or of the stream that answers it */
export function delegationOf(metadata: unknown): Delegation | undefined {
  if (!isJsonObject(metadata) || metadata.type !== TYPE) return undefined;
  const { ownerWorkspaceId, ...more } = metadata;
  return typeof ownerWorkspaceId === "string"
    ? { ...more, type: TYPE, ownerWorkspaceId }
    : undefined;
}

/**
 * Returns the end of a stream whose turn continues, without the mark by which the host would report it. Without any
 * metadata the host would consider the task interrupted, so other metadata replaces it.
 */
export function withoutDelegation(end: mux.HostStreamEnd): mux.HostStreamEnd {
  if (delegationOf(end.metadata?.muxMetadata) === undefined) return end;
  return { ...end, metadata: { ...end.metadata, muxMetadata: { stopHookActive: true } } };
}
