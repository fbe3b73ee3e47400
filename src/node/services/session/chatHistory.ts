/** `chat.jsonl`: the conversation of one session, one JSON object per line. Only this session writes it. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { err, ok, type Result } from "neverthrow";
import writeFileAtomic from "write-file-atomic";
import * as z from "zod/mini";
import { describeError, errorCode } from "@/common/errors";
import { parseJson } from "@/common/json";
import type { ChatMessage } from "@/node/services/session/chatMessage";

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
  readonly path: string;
  #messages: ChatMessage[];
  /** Whether the file does not end with a line break: a line was cut off, and the next one must begin on a new line. */
  #cut: boolean;

  private constructor(path: string, messages: ChatMessage[], cut: boolean) {
    this.path = path;
    this.#messages = messages;
    this.#cut = cut;
  }

  /** Creates the folder. A missing file is an empty history. Skips invalid lines. */
  static async open(path: string): Promise<Result<ChatHistory, HistoryFailure>> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const text = await readIfThere(path);
      const cut = text !== "" && !text.endsWith("\n");
      return ok(new ChatHistory(path, text.split("\n").flatMap(parseRow), cut));
    } catch (thrown) {
      return err({ message: `${path} could not be read: ${describeError(thrown)}` });
    }
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** The sequence number of the next row. */
  get nextSequence(): number {
    return this.#messages.reduce(
      (next, row) => Math.max(next, row.metadata.historySequence + 1),
      0
    );
  }

  /** Appends rows. When it resolves, they are flushed to disk, not only passed to the system. */
  async append(...messages: readonly ChatMessage[]): Promise<Result<void, HistoryFailure>> {
    try {
      const lines = `${this.#cut ? "\n" : ""}${messages.map(toLine).join("")}`;
      this.#cut = true;
      await appendFile(this.path, lines, { mode: 0o600, flush: true });
      this.#cut = false;
      this.#messages.push(...messages);
      return ok(undefined);
    } catch (thrown) {
      return err({ message: `${this.path} could not be written: ${describeError(thrown)}` });
    }
  }

  /** Writes a new history after an edit or a compaction. The write is atomic: the file is never half new. */
  async replace(messages: readonly ChatMessage[]): Promise<Result<void, HistoryFailure>> {
    try {
      await writeFileAtomic(this.path, messages.map(toLine).join(""), { mode: 0o600 });
      this.#cut = false;
      this.#messages = [...messages];
      return ok(undefined);
    } catch (thrown) {
      return err({ message: `${this.path} could not be written: ${describeError(thrown)}` });
    }
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

function toLine(message: ChatMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function parseRow(line: string): ChatMessage[] {
  const row = parseJson(line).map((value) => rowSchema.safeParse(value));
  return row.isOk() && row.value.success ? [row.value.data as unknown as ChatMessage] : [];
}
