/** Which turns are the user's own: with them the count of continuations begins anew (H25). */
import { isJsonObject } from "@/common/json";
import type { HostAgentSession, HostInternal, HostSendOptions } from "@/host/muxTypes";

/** What hosts say to an agent whose history they have summed up in the middle of its work. */
const RESUME = "Continue";

export class UserTurns {
  /** Sessions whose next turn was asked for by a user. */
  readonly #asked = new WeakSet<HostAgentSession>();
  /** Sessions whose work goes on once their history is summed up. */
  readonly #resuming = new WeakSet<HostAgentSession>();

  /** A message goes to the agent. */
  messageSent(
    session: HostAgentSession,
    message: string,
    options?: HostSendOptions,
    internal?: HostInternal
  ): void {
    if (internal?.synthetic === true || isContinuation(options)) return;
    const summary = summaryRequest(options);
    if (summary !== undefined) {
      // A user interface asks for it in the user's place, and says what is to come after it.
      if (summary.resumes) this.#resuming.add(session);
      else if (summary.carriesMessage) this.#asked.add(session);
      return;
    }
    if (this.#resuming.delete(session) && message.trim() === RESUME) return;
    this.#asked.add(session);
  }

  /** The user has the agent try once more. */
  retried(session: HostAgentSession): void {
    this.#asked.add(session);
  }

  /** What was to be tried once more has come to nothing, or is under way. */
  retryOver(session: HostAgentSession): void {
    this.#asked.delete(session);
  }

  /** Whether the turn that begins now is the user's. */
  begins(session: HostAgentSession): boolean {
    return this.#asked.delete(session);
  }
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
  // The second is what hosts of January 2026 call it.
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
