/** The messages still to be sent, in order. */
import type { OutgoingMessage } from "@/node/services/session/outgoing";

export class MessageQueue {
  #messages: OutgoingMessage[] = [];

  /** Adds a message. Consecutive messages that the user typed become one, with the options of the later one. */
  add(message: OutgoingMessage): void {
    const last = this.#messages.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(message)) {
      this.#messages.splice(-1, 1, { ...message, text: `${last.text}\n${message.text}` });
    } else this.#messages.push(message);
  }

  addFirst(messages: readonly OutgoingMessage[]): void {
    this.#messages.unshift(...messages);
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** Whether a message waits that takes precedence over the hooks' verdict (H28). A compaction is not input. */
  get hasInput(): boolean {
    return this.#messages.some(({ kind }) => kind === "user");
  }

  /** Removes and returns the next message. A continuation is dropped if input waits, which goes first. */
  take(): OutgoingMessage | undefined {
    if (this.hasInput)
      this.#messages = this.#messages.filter(({ kind }) => kind !== "continuation");
    return this.#messages.shift();
  }

  /** Drops the messages that the session itself created, and keeps all others. */
  dropOwn(): void {
    this.#messages = this.#messages.filter(
      ({ kind, afterOverflow }) => kind !== "continuation" && afterOverflow !== true
    );
  }

  /** Handles an interrupt: returns the messages that the user typed, and keeps only reports of events for the agent. */
  interrupt(): string[] {
    const typed = this.typed;
    this.#messages = this.#messages.filter(isNews);
    return typed;
  }

  /** The messages that the user typed and that still wait. */
  get typed(): string[] {
    return this.#messages.filter(isTyped).map(({ text }) => text);
  }
}

function isTyped({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  return kind === "user" && options.synthetic !== true && afterOverflow !== true;
}

/** Returns whether a message reports an event to the agent, such as the end of a background task. */
function isNews({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  return kind === "user" && options.synthetic === true && afterOverflow !== true;
}

/** Returns whether a message can be joined with another one. */
function isPlain(message: OutgoingMessage): boolean {
  return isTyped(message) && message.options.muxMetadata === undefined;
}
