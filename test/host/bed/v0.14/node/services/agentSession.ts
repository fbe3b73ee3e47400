/** A session that joins messages typed during a turn into one. */
import { Conversation } from "@test/host/bed/common/node/services/conversation";
import type { Result, SendOptions } from "@test/host/bed/common/node/types";

export class AgentSession extends Conversation {
  private readonly messageQueue = new MessageQueue();

  async sendMessage(message: string, options: SendOptions): Promise<Result> {
    const next = options.muxMetadata?.parsed?.continueMessage;
    if (next !== undefined) {
      this.messageQueue.add(next.text, { model: next.model, agentId: next.agentId ?? "exec" });
    }
    return await this.say(message, options);
  }

  queueMessage(message: string, options: SendOptions): void {
    this.messageQueue.add(message, options);
    this.emitChatEvent({ type: "queued-message-changed" });
  }

  /** Does nothing, since the follow-up is already in the queue. */
  protected async summedUp(): Promise<void> {
    await Promise.resolve();
  }

  clearQueue(): void {
    this.messageQueue.take();
  }

  sendQueuedMessages(): void {
    const queued = this.messageQueue.take();
    if (queued === undefined) return;
    this.emitChatEvent({ type: "queued-message-changed" });
    void this.sendMessage(queued.texts.join("\n"), queued.options);
  }
}

interface Queued {
  readonly texts: string[];
  options: SendOptions;
}

/** Joins queued messages. The newest options apply, except `muxMetadata`, of which the first applies. */
class MessageQueue {
  #queued: Queued | undefined;

  isEmpty(): boolean {
    return this.#queued === undefined;
  }

  add(text: string, options: SendOptions): void {
    const { muxMetadata = options.muxMetadata } = this.#queued?.options ?? {};
    const merged = muxMetadata === undefined ? options : { ...options, muxMetadata };
    this.#queued = { texts: [...(this.#queued?.texts ?? []), text], options: merged };
  }

  take(): Queued | undefined {
    const queued = this.#queued;
    this.#queued = undefined;
    return queued;
  }
}
