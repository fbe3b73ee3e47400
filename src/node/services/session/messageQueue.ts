/** What is still to be sent, in order. */
import type { OutgoingMessage } from "@/node/services/session/outgoing";

export class MessageQueue {
  #messages: OutgoingMessage[] = [];

  /** Two messages that a user types one after the other become one, with the later one's options. */
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

  /** Whether something waits that goes before whatever hooks say (H28). A compaction is no input. */
  get hasInput(): boolean {
    return this.#messages.some(({ kind }) => kind === "user");
  }

  /** The next one to send. What hooks asked for is dropped where a message waits: that one goes first. */
  take(): OutgoingMessage | undefined {
    if (this.hasInput)
      this.#messages = this.#messages.filter(({ kind }) => kind !== "continuation");
    return this.#messages.shift();
  }

  /** Forgets what the session itself had in mind; what others sent stays. */
  dropOwn(): void {
    this.#messages = this.#messages.filter(
      ({ kind, afterOverflow }) => kind !== "continuation" && afterOverflow !== true
    );
  }

  /** The user stops everything: what they typed is handed back, what the session had in mind is forgotten. */
  interrupt(): string[] {
    const typed = this.typed;
    this.#messages = this.#messages.filter(isNews);
    return typed;
  }

  /** What a person typed and still waits. */
  get typed(): string[] {
    return this.#messages.filter(isTyped).map(({ text }) => text);
  }
}

function isTyped({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  return kind === "user" && options.synthetic !== true && afterOverflow !== true;
}

/** Something that happened meanwhile and that the agent has yet to hear of. */
function isNews({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  return kind === "user" && options.synthetic === true && afterOverflow !== true;
}

/** Whether it says nothing that another message could not say as well. */
function isPlain(message: OutgoingMessage): boolean {
  return isTyped(message) && message.options.muxMetadata === undefined;
}
