/** The transcript of one workspace: `chat.jsonl`, one row per message. */
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "@test/host/bed/common/node/config";
import type { Part, Row } from "@test/host/bed/common/node/types";

export class HistoryService {
  constructor(private readonly sessionDir: string) {}

  async rows(): Promise<Row[]> {
    const text = await readFile(this.#chat, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => {
      try {
        return [JSON.parse(line) as Row];
      } catch {
        // A crash has cut the line off.
        return [];
      }
    });
  }

  async append(
    role: Row["role"],
    parts: Part[],
    { id = `${role}-${newId()}`, ...metadata }: Partial<Row["metadata"]> & { id?: string } = {}
  ): Promise<Row> {
    await mkdir(this.sessionDir, { recursive: true });
    const { length: historySequence } = await this.rows();
    const row: Row = { id, role, parts, metadata: { historySequence, ...metadata } };
    const isCut = !(await readFile(this.#chat, "utf8").catch(() => "\n")).endsWith("\n");
    await appendFile(this.#chat, `${isCut ? "\n" : ""}${JSON.stringify(row)}\n`);
    return row;
  }

  async replace(rows: readonly Row[]): Promise<void> {
    await writeFile(this.#chat, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }

  /** Writes the message that is still being streamed. */
  async keepPartial(id: string, parts: Part[]): Promise<void> {
    await mkdir(this.sessionDir, { recursive: true });
    const partial = { id, role: "assistant", parts, metadata: { partial: true } };
    await writeFile(join(this.sessionDir, "partial.json"), JSON.stringify(partial));
  }

  get #chat(): string {
    return join(this.sessionDir, "chat.jsonl");
  }
}
