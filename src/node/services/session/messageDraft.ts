import type { MessagePart } from "@/node/services/session/chatMessage";
import type { StreamProgressEvent } from "@/node/services/session/streamEvents";

/** An incomplete message, assembled from the events of its stream. */
export class MessageDraft {
  #parts: MessagePart[] = [];

  get parts(): readonly MessagePart[] {
    return this.#parts;
  }

  apply(event: StreamProgressEvent): void {
    switch (event.type) {
      case "stream-start":
        return;
      case "stream-delta":
        this.#parts.push({ type: "text", text: event.delta });
        return;
      case "tool-call-start":
        this.#parts.push({
          type: "dynamic-tool",
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          input: event.args,
          state: "input-available",
        });
        return;
      case "tool-call-end":
        this.#parts = this.#parts.map((part) =>
          part.type === "dynamic-tool" && part.toolCallId === event.toolCallId
            ? { ...part, state: "output-available", output: event.result }
            : part
        );
    }
  }
}
