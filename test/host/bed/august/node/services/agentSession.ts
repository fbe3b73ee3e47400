/** What is typed while the agent works waits, message by message. */
import { Conversation } from "@test/host/bed/common/node/services/conversation";
import type { Internal, Result, SendOptions } from "@test/host/bed/common/node/types";

export class AgentSession extends Conversation {
  private readonly messageQueue = new MessageQueue();

  async sendMessage(message: string, options: SendOptions, internal?: Internal): Promise<Result> {
    return await this.say(message, options, internal);
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
