import { appendFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ChatHistory } from "@/node/services/session/chatHistory";
import type { ChatMessage } from "@/common/chatMessage";
import { tempDir } from "@test/helpers/tempDir";

function row(historySequence: number, text = `message ${historySequence}`): ChatMessage {
  return {
    id: `user-${historySequence}`,
    role: "user",
    parts: [{ type: "text", text }],
    metadata: { historySequence, timestamp: 0 },
    workspaceId: "workspace-1",
  };
}

async function opened(path: string): Promise<ChatHistory> {
  return (await ChatHistory.open(path))._unsafeUnwrap();
}

async function newPath(): Promise<string> {
  return join(await tempDir(), "sessions", "chat.jsonl");
}

describe("ChatHistory", () => {
  test("reads appended rows again, one object per line, in a private file", async () => {
    const path = await newPath();
    const rows = [row(0), row(1, "line\nbreak \u2028 and \u{1f600}")];
    const history = await opened(path);
    await history.append(...rows);
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(3);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const again = await opened(path);
    expect(again.messages).toEqual(rows);
    expect(again.nextSequence).toBe(2);
  });

  test("skips a truncated last line, and starts the next row on a new line", async () => {
    const path = await newPath();
    await (await opened(path)).append(row(0), row(1));
    const text = await readFile(path, "utf8");
    await writeFile(path, text.slice(0, -20));
    const cut = await opened(path);
    expect(cut.messages).toEqual([row(0)]);
    await cut.append(row(1, "again"));
    expect((await opened(path)).messages).toEqual([row(0), row(1, "again")]);
  });

  test.each([
    ["text", "no json"],
    ["an array", "[1]"],
    ["another role", '{"id":"x","role":"root","parts":[],"metadata":{"historySequence":9}}'],
    ["no sequence", '{"id":"x","role":"user","parts":[],"metadata":{}}'],
    ["endless nesting", "[".repeat(200_000)],
  ])("skips a line that is not a row: %s", async (_what, line) => {
    const path = await newPath();
    await (await opened(path)).append(row(0));
    await appendFile(path, `${line}\n`);
    expect((await opened(path)).messages).toEqual([row(0)]);
  });

  test("keeps unknown fields", async () => {
    const path = await newPath();
    const newer = { ...row(0), extra: 1, metadata: { ...row(0).metadata, usage: { tokens: 7 } } };
    await (await opened(path)).append(newer);
    expect((await opened(path)).messages).toEqual([newer]);
  });

  test("returns an error with the path if the file cannot be read or written", async () => {
    const folder = await tempDir();
    const unreadable = await ChatHistory.open(folder);
    expect(unreadable._unsafeUnwrapErr().message).toContain(folder);

    const path = join(folder, "chat.jsonl");
    const history = await opened(path);
    await mkdir(path);
    const failed = await history.append(row(0));
    expect(failed._unsafeUnwrapErr().message).toMatch(/chat\.jsonl could not be written/);
    expect(history.messages).toEqual([]);
  });
});
