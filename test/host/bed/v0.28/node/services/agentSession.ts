/** A session that queues messages typed during a turn, and compacts a history that grows too long. */
import * as chat from "@test/host/bed/common/node/services/conversation";
import type { Internal, MuxMetadata, Result, SendOptions } from "@test/host/bed/common/node/types";

/** Above the first limit, the history is compacted before the next message; above the second, during a turn. */
const MANY_TOKENS = 140_000;
const MAX_TOKENS = 150_000;

export class AgentSession extends chat.Conversation {
  private readonly messageQueue = new MessageQueue();
  #options: SendOptions | undefined;
  /** The number of turns that have not begun to stream. */
  #preparing = 0;

  /** The number of tokens that the model read last. */
  #tokens = 0;

  constructor(parts: chat.ConversationParts) {
    super(parts);
    this.listen("usage-delta", ({ tokens = 0 }) => {
      this.#tokens = tokens;
      if (tokens > MAX_TOKENS && this.activeCompactionRequest === undefined) void this.#cutShort();
    });
    this.listen("stream-start", () => (this.#tokens = 0));
  }

  async sendMessage(message: string, options: SendOptions, internal?: Internal): Promise<Result> {
    this.#preparing++;
    try {
      return await this.#send(message, options, internal);
    } finally {
      this.#preparing--;
    }
  }

  isBusy(): boolean {
    return this.#preparing > 0 || this.aiService.isStreaming(this.workspaceId);
  }

  async #send(message: string, options: SendOptions, internal?: Internal): Promise<Result> {
    this.#options = options;
    const isSummary = options.muxMetadata?.type === "compaction-request";
    if (this.#tokens > MANY_TOKENS && !isSummary) return await this.#sumUp(message, options);
    return await this.say(message, options, internal);
  }

  /** Retries a turn, as the host does by itself. */
  private async retryActiveStream(): Promise<void> {
    if (this.#options !== undefined) await this.resumeStream(this.#options);
  }

  protected async summedUp({ parsed }: MuxMetadata): Promise<void> {
    const next = parsed?.followUpContent;
    if (next === undefined) return;
    const { text, ...options } = next;
    await this.sendMessage(text, options, { synthetic: true });
  }

  async #cutShort(): Promise<void> {
    await this.aiService.stopStream(this.workspaceId, { abortReason: "system" });
    if (this.#options !== undefined) await this.#sumUp("Continue", this.#options);
  }

  async #sumUp(
    text: string,
    { model, agentId = "exec", muxMetadata }: SendOptions
  ): Promise<Result> {
    this.#tokens = 0;
    const isOurs = text !== "Continue" && muxMetadata !== undefined;
    const next = { text, model, agentId, ...(isOurs ? { muxMetadata } : {}) };
    const request = { type: "compaction-request", parsed: { followUpContent: next } };
    const options = { model, agentId: "compact", muxMetadata: request };
    return await this.say("Summarize this conversation.", options, { synthetic: true });
  }

  queueMessage(message: string, options: SendOptions, internal?: Internal): string {
    this.messageQueue.add({ message, options, ...(internal === undefined ? {} : { internal }) });
    this.emitChatEvent({ type: "queued-message-changed" });
    return "tool-end";
  }

  clearQueue(): void {
    this.messageQueue.clear();
  }

  sendQueuedMessages(): void {
    const next = this.messageQueue.take();
    if (next === undefined) return;
    this.emitChatEvent({ type: "queued-message-changed" });
    void this.sendMessage(next.message, next.options, next.internal);
  }
}

interface Entry {
  message: string;
  options: SendOptions;
  internal?: Internal;
}

class MessageQueue {
  readonly #entries: Entry[] = [];

  isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  take(): Entry | undefined {
    return this.#entries.shift();
  }

  clear(): void {
    this.#entries.length = 0;
  }
}
