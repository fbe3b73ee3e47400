/** Detects the turns that a user started. They reset the count of continuations (H25). */
import { isJsonObject } from "@/common/json";
import { delegationOf } from "@/host/stop/delegation";
import type { HostAgentSession, HostInternal, HostSendOptions } from "@/host/muxTypes";

/** The message that hosts send to an agent after they compacted its history during its work. */
const RESUME = "Continue";

export class UserTurns {
  /** Sessions whose next turn was requested by a user. */
  readonly #asked = new WeakSet<HostAgentSession>();
  /** Sessions whose work continues after a compaction. */
  readonly #resuming = new WeakSet<HostAgentSession>();

  /** Handles a message to the agent. Returns whether it is a message that the user wrote. */
  messageSent(
    session: HostAgentSession,
    message: string,
    options?: HostSendOptions,
    internal?: HostInternal
  ): boolean {
    if (internal?.synthetic === true || isContinuation(options)) return false;
    const summary = summaryRequest(options);
    if (summary !== undefined) {
      // A user interface requests the compaction for the user, together with the message that follows it.
      if (summary.resumes) this.#resuming.add(session);
      else if (summary.carriesMessage) this.#asked.add(session);
      return false;
    }
    if (this.#resuming.delete(session) && message.trim() === RESUME) return false;
    this.#asked.add(session);
    return true;
  }

  /** Handles a retry by the user. */
  retried(session: HostAgentSession): void {
    this.#asked.add(session);
  }

  /** Handles a retry that failed or has started. */
  retryOver(session: HostAgentSession): void {
    this.#asked.delete(session);
  }

  /** Returns whether the turn that begins now is the user's. */
  begins(session: HostAgentSession): boolean {
    return this.#asked.delete(session);
  }
}

/** Returns whether a person typed a message: no goal, heartbeat, monitor, tool or other agent sent it. */
export function isTyped(
  options: HostSendOptions | undefined,
  { synthetic, agentInitiated }: HostInternal = {}
): boolean {
  const isSent = synthetic !== true && agentInitiated !== true && !isContinuation(options);
  return isSent && delegationOf(options?.muxMetadata) === undefined;
}

function isContinuation(options: HostSendOptions | undefined): boolean {
  const metadata = options?.muxMetadata;
  return isJsonObject(metadata) && "stopHookActive" in metadata;
}

interface SummaryRequest {
  readonly resumes: boolean;
  readonly carriesMessage: boolean;
}

function summaryRequest(options: HostSendOptions | undefined): SummaryRequest | undefined {
  const metadata = options?.muxMetadata;
  if (!isJsonObject(metadata) || metadata.type !== "compaction-request") return undefined;
  const parsed = isJsonObject(metadata.parsed) ? metadata.parsed : {};
  // Hosts of January 2026 use the second name.
  const next = parsed.followUpContent ?? parsed.continueMessage;
  if (!isJsonObject(next)) return { resumes: false, carriesMessage: false };
  const { text, ...others } = next;
  const hasMore = ["fileParts", "imageParts", "reviews"].some((key) => isFull(others[key]));
  const resumes = typeof text === "string" && text.trim() === RESUME && !hasMore;
  return { resumes, carriesMessage: !resumes };
}

function isFull(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
