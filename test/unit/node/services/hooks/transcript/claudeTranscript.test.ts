import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { completeInput } from "@/node/services/hooks/contract/input";
import { projectClaudeTranscripts } from "@/node/services/hooks/transcript/claudeTranscript";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalRuntime();
let folder: string;

beforeEach(async () => {
  folder = await tempDir();
});

const row = (role: string, parts: unknown, metadata: unknown = {}): unknown => ({
  id: `${role}-1`,
  role,
  parts,
  metadata,
  workspaceId: "w",
});

const bash = (output?: unknown) => ({
  type: "dynamic-tool",
  toolCallId: "call-1",
  toolName: "bash",
  input: { script: "npm test" },
  ...(output === undefined ? { state: "input-available" } : { state: "output-available", output }),
});

async function transcript(name: string, rows: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(
    path,
    rows.map((r) => (typeof r === "string" ? r : JSON.stringify(r))).join("\n")
  );
  return path;
}

async function project(path: string, more: Partial<StopHookInput> = {}) {
  const transcripts = await projectClaudeTranscripts(
    files,
    completeInput({
      session_id: "w",
      transcript_path: path,
      cwd: folder,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
      ...more,
    })
  );
  return transcripts;
}

async function lines(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("messages have type, message.role and message.content blocks (H9)", async () => {
  const path = await transcript("chat.jsonl", [
    row("user", [{ type: "text", text: "Fix it" }], { timestamp: 0 }),
    row("assistant", [
      { type: "text", text: "I " },
      { type: "text", text: "did." },
    ]),
  ]);
  const { own } = await project(path);
  expect(own).not.toBe(path);
  expect(await lines(own)).toEqual([
    {
      type: "user",
      uuid: "user-1",
      sessionId: "w",
      timestamp: "1970-01-01T00:00:00.000Z",
      message: { role: "user", content: [{ type: "text", text: "Fix it" }] },
    },
    {
      type: "assistant",
      uuid: "assistant-1",
      sessionId: "w",
      message: { role: "assistant", content: [{ type: "text", text: "I did." }] },
    },
  ]);
});

test("a tool call ends the assistant's message, and its result comes from the user (H9)", async () => {
  const path = await transcript("chat.jsonl", [
    row("assistant", [
      { type: "text", text: "Testing" },
      bash({ ok: true }),
      { type: "text", text: "Green." },
      bash(),
    ]),
  ]);
  const { own } = await project(path);
  const messages = (await lines(own)).map((line) => line.message);
  const use = { type: "tool_use", id: "call-1", name: "bash", input: { script: "npm test" } };
  expect(messages).toEqual([
    { role: "assistant", content: [{ type: "text", text: "Testing" }, use] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call-1", content: '{"ok":true}' }],
    },
    { role: "assistant", content: [{ type: "text", text: "Green." }, use] },
  ]);
});

test("skips invalid rows, and rows that are not messages", async () => {
  const path = await transcript("chat.jsonl", [
    "{ cut",
    '"text"',
    "",
    row("system", []),
    row("assistant", "no list"),
    row("user", [null, 3, { type: "text", text: 4 }, { type: "text", text: "Hi" }], {
      timestamp: 1e300,
    }),
  ]);
  const { own } = await project(path);
  const written = await lines(own);
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({ message: { content: [{ type: "text", text: "Hi" }] } });
});

test("projects the transcripts of a sub-agent and of its parent (H13)", async () => {
  const child = await transcript("child.jsonl", [row("user", [{ type: "text", text: "child" }])]);
  const parent = await transcript("chat.jsonl", [row("user", [{ type: "text", text: "parent" }])]);
  const made = await project(child, {
    hook_event_name: "SubagentStop",
    session_id: "task",
    parent_session_id: "w",
    parent_transcript_path: parent,
  });
  expect((await lines(made.own))[0]).toMatchObject({ sessionId: "task" });
  expect((await lines(made.parent ?? ""))[0]).toMatchObject({ sessionId: "w" });
});

test("returns Mux's own path if there is no transcript", async () => {
  const path = join(folder, "nothing", "chat.jsonl");
  expect(await project(path)).toEqual({ own: path });
});
