/**
 * Keeps the history of a session in its `chat.jsonl` (`ChatHistory`): messages, edits and summaries. `Conversation`
 * makes its rows, and emits the events for most of them once they are on disk.
 */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as z from "zod/mini";
import * as chat from "@/common/chatMessage";
import { definedOnly } from "@/common/definedOnly";
import { describeError, errorCode } from "@/common/errors";
import { parseJson } from "@/common/json";
import type { ChatEvent } from "@/node/services/session/chatEvents";
import type { SendMessageOptions } from "@/node/services/session/messageQueue";
import { createRuntime } from "@/wiring";

type Extra = Omit<Partial<chat.MessageMetadata>, "historySequence" | "timestamp">;

export class Conversation {
  constructor(
    readonly history: ChatHistory,
    private readonly workspaceId: string,
    private readonly emit: (event: ChatEvent) => void
  ) {}

  /** Adds a message of the user, or of the session on the user's behalf. `preface` is a synthetic message before it. */
  async addUser(
    text: string,
    { synthetic, muxMetadata, editMessageId }: SendMessageOptions,
    preface?: string
  ): Promise<Result<void, HistoryFailure>> {
    const before = preface === undefined ? [] : [this.#userRow(preface, 0, { synthetic: true })];
    const row = this.#userRow(text, before.length, definedOnly({ synthetic, muxMetadata }));
    const rows = [...before, row];
    const { messages } = this.history;
    const from = editMessageId === undefined ? -1 : this.#editableIndex(editMessageId);
    const written =
      from === -1
        ? await this.history.append(...rows)
        : await this.#replace([...messages.slice(0, from), ...rows], messages.slice(from));
    return written.map(() => {
      for (const added of rows) this.emit({ type: "message", ...added });
    });
  }

  /** Adds a message of the agent, which the chat has already received as a stream. */
  async addAssistant(
    messageId: string,
    parts: readonly chat.MessagePart[],
    metadata: Extra
  ): Promise<Result<void, HistoryFailure>> {
    return await this.history.append(this.#row(messageId, "assistant", parts, metadata));
  }

  /** Replaces all rows with a summary. */
  async summarize(
    messageId: string,
    parts: readonly chat.MessagePart[],
    metadata: Extra
  ): Promise<Result<void, HistoryFailure>> {
    const row = this.#row(messageId, "assistant", parts, { ...metadata, compacted: true });
    const written = await this.#replace([row], this.history.messages);
    return written.map(() => {
      this.emit({ type: "message", ...row });
    });
  }

  /** Returns whether the user wrote the message. Messages of hooks or the session cannot be edited. */
  canEdit(messageId: string): boolean {
    return this.#editableIndex(messageId) !== -1;
  }

  #editableIndex(messageId: string): number {
    return this.history.messages.findIndex(
      ({ id, role, metadata }) => id === messageId && role === "user" && metadata.synthetic !== true
    );
  }

  async #replace(
    rows: readonly chat.ChatMessage[],
    removed: readonly chat.ChatMessage[]
  ): Promise<Result<void, HistoryFailure>> {
    const historySequences = removed.map(({ metadata }) => metadata.historySequence);
    const written = await this.history.replace(rows);
    return written.map(() => {
      this.emit({ type: "delete", workspaceId: this.workspaceId, historySequences });
    });
  }

  #userRow(text: string, offset: number, metadata: Extra): chat.ChatMessage {
    return this.#row(chat.newMessageId("user"), "user", [{ type: "text", text }], metadata, offset);
  }

  #row(
    id: string,
    role: chat.ChatMessage["role"],
    parts: readonly chat.MessagePart[],
    metadata: Extra,
    offset = 0
  ): chat.ChatMessage {
    const historySequence = this.history.nextSequence + offset;
    const timestamp = Date.now();
    const { workspaceId } = this;
    return { id, role, parts, metadata: { historySequence, timestamp, ...metadata }, workspaceId };
  }
}

/** The reason why the history could not be read or written. */
export interface HistoryFailure {
  readonly message: string;
}

/** The fields that this program needs. Parts and metadata of later versions are kept. */
const rowSchema = z.looseObject({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
  metadata: z.looseObject({ historySequence: z.number() }),
});

export class ChatHistory {
  /** @param cut whether the file ends within a line, so that the next one must begin on a new line */
  private constructor(
    readonly path: string,
    private rows: chat.ChatMessage[],
    private cut: boolean
  ) {}

  /** Reads the history, and creates its folder. A missing file is an empty history. Skips invalid lines. */
  static async open(path: string): Promise<Result<ChatHistory, HistoryFailure>> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const text = await readFile(path, "utf8").catch((thrown: unknown) => {
        if (errorCode(thrown) === "ENOENT") return "";
        throw thrown;
      });
      const cut = text !== "" && !text.endsWith("\n");
      return ok(new ChatHistory(path, text.split("\n").flatMap(parseRow), cut));
    } catch (thrown) {
      return err({ message: `${path} could not be read: ${describeError(thrown)}` });
    }
  }

  get messages(): readonly chat.ChatMessage[] {
    return this.rows;
  }

  /** The sequence number of the next row. */
  get nextSequence(): number {
    return this.rows.reduce((next, row) => Math.max(next, row.metadata.historySequence + 1), 0);
  }

  /** Appends rows. When it resolves, they are flushed to disk, not only passed to the system. */
  append(...messages: readonly chat.ChatMessage[]): Promise<Result<void, HistoryFailure>> {
    return this.#write(async () => {
      const lines = `${this.cut ? "\n" : ""}${messages.map(toLine).join("")}`;
      this.cut = true;
      await appendFile(this.path, lines, { mode: 0o600, flush: true });
      this.rows.push(...messages);
    });
  }

  /** Writes a new history after an edit or a compaction. The write is atomic: the file is never half new. */
  replace(messages: readonly chat.ChatMessage[]): Promise<Result<void, HistoryFailure>> {
    return this.#write(async () => {
      const written = await createRuntime(process.env).writeFile(
        this.path,
        messages.map(toLine).join("")
      );
      written.mapErr(({ message }) => {
        throw new Error(message);
      });
      this.rows = [...messages];
    });
  }

  async #write(write: () => Promise<void>): Promise<Result<void, HistoryFailure>> {
    try {
      await write();
      this.cut = false;
      return ok(undefined);
    } catch (thrown) {
      return err({ message: `${this.path} could not be written: ${describeError(thrown)}` });
    }
  }
}

function toLine(message: chat.ChatMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function parseRow(line: string): chat.ChatMessage[] {
  const row = parseJson(line).map((value) => rowSchema.safeParse(value));
  return row.isOk() && row.value.success ? [row.value.data as unknown as chat.ChatMessage] : [];
}
