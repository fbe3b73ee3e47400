/** The history of a session, with events for its chat. Every change is written to disk before its event is emitted. */
import type { Result } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import type { ChatEvent } from "@/node/services/session/chatEvents";
import type { ChatHistory, HistoryFailure } from "@/node/services/session/chatHistory";
import {
  newMessageId,
  type ChatMessage,
  type MessageMetadata,
  type MessagePart,
} from "@/node/services/session/chatMessage";
import type { SendMessageOptions } from "@/node/services/session/sendOptions";

type Extra = Omit<Partial<MessageMetadata>, "historySequence" | "timestamp">;

export class Conversation {
  constructor(
    private readonly history: ChatHistory,
    private readonly workspaceId: string,
    private readonly emit: (event: ChatEvent) => void
  ) {}

  get transcriptPath(): string {
    return this.history.path;
  }

  get messages(): readonly ChatMessage[] {
    return this.history.messages;
  }

  get nextSequence(): number {
    return this.history.nextSequence;
  }

  /** Adds a message of the user, or of the session on the user's behalf. `preface` is a synthetic message before it. */
  async addUser(
    text: string,
    { synthetic, muxMetadata, editMessageId }: SendMessageOptions,
    preface?: string
  ): Promise<Result<void, HistoryFailure>> {
    const before = preface === undefined ? [] : [this.#userRow(preface, 0, { synthetic: true })];
    const row = this.#userRow(text, before.length, definedOnly({ synthetic, muxMetadata }));
    const rows = [...before, row];
    const from = editMessageId === undefined ? -1 : this.#editable(editMessageId);
    const written =
      from === -1
        ? await this.history.append(...rows)
        : await this.#replace(
            [...this.messages.slice(0, from), ...rows],
            this.messages.slice(from)
          );
    return written.map(() => {
      for (const added of rows) this.emit({ type: "message", ...added });
    });
  }

  /** Adds a message of the agent, which the chat has already received as a stream. */
  async addAssistant(
    messageId: string,
    parts: readonly MessagePart[],
    metadata: Extra
  ): Promise<Result<void, HistoryFailure>> {
    return await this.history.append(this.#row(messageId, "assistant", parts, metadata));
  }

  /** Replaces all rows with a summary. */
  async summarize(
    messageId: string,
    parts: readonly MessagePart[],
    metadata: Extra
  ): Promise<Result<void, HistoryFailure>> {
    const row = this.#row(messageId, "assistant", parts, { ...metadata, compacted: true });
    const written = await this.#replace([row], this.messages);
    return written.map(() => {
      this.emit({ type: "message", ...row });
    });
  }

  /** Returns whether the user wrote the message. Messages of hooks or the session cannot be edited. */
  canEdit(messageId: string): boolean {
    return this.#editable(messageId) !== -1;
  }

  #editable(messageId: string): number {
    return this.messages.findIndex(
      ({ id, role, metadata }) => id === messageId && role === "user" && metadata.synthetic !== true
    );
  }

  async #replace(
    rows: readonly ChatMessage[],
    gone: readonly ChatMessage[]
  ): Promise<Result<void, HistoryFailure>> {
    const historySequences = gone.map(({ metadata }) => metadata.historySequence);
    const written = await this.history.replace(rows);
    return written.map(() => {
      this.emit({ type: "delete", workspaceId: this.workspaceId, historySequences });
    });
  }

  #userRow(text: string, offset: number, metadata: Extra): ChatMessage {
    return this.#row(newMessageId("user"), "user", [{ type: "text", text }], metadata, offset);
  }

  #row(
    id: string,
    role: ChatMessage["role"],
    parts: readonly MessagePart[],
    metadata: Extra,
    offset = 0
  ): ChatMessage {
    const historySequence = this.nextSequence + offset;
    const timestamp = Date.now();
    const { workspaceId } = this;
    return { id, role, parts, metadata: { historySequence, timestamp, ...metadata }, workspaceId };
  }
}
