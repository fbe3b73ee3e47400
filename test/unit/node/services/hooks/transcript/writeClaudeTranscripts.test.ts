import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { MuxChat, readRows, text, tool, type ClaudeRow } from "@test/helpers/hooks/muxChat";
import { putFile, tempDir } from "@test/helpers/tempDir";

let folder: string;
let chat: MuxChat;

beforeEach(async () => {
  folder = await tempDir();
  chat = new MuxChat(join(folder, "chat.jsonl"), folder);
});

const LOCAL = { stopHookActive: true };
const bash = (script: string, output: string) =>
  tool("bash", { script, timeout_secs: 10 }, { success: true, output, exitCode: 0 });

const contents = (rows: readonly ClaudeRow[]) => rows.map(({ message }) => message.content);

/** Finds the prompt of a turn as published hooks do. */
const lastPrompt = (rows: readonly ClaudeRow[]) =>
  rows.findLast(
    ({ type, isMeta, message }) =>
      type === "user" && isMeta !== true && typeof message.content === "string"
  )?.message.content;

test("a typed prompt is a string, and with images or documents a list of blocks (H37)", async () => {
  const file = (mediaType: string, url: string) => ({ type: "file", mediaType, url });
  await chat.write(
    chat.row("user", [text("Fix "), text("it")]),
    chat.row("user", [
      text("Look"),
      file("image/png", "data:image/png;base64,aGk="),
      file("application/pdf", "data:application/pdf;base64,cGRm"),
      file("image/png", "https://example.org/a.png"),
    ])
  );
  expect(contents(await chat.claudeRows())).toEqual([
    "Fix it",
    [
      { type: "text", text: "Look" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "cGRm" } },
    ],
  ]);
});

test("each block of an answer is a row, and the result of a tool follows its call (H37)", async () => {
  await chat.write(
    chat.assistant([
      { type: "reasoning", text: "Hm" },
      { type: "reasoning", text: "m.", signature: "s" },
      text("Test"),
      text("ing."),
      bash("npm test", "ok"),
      text("Green."),
      tool("bash", { script: "sleep 1", timeout_secs: 2, display_name: "Wait" }),
    ])
  );
  const rows = await chat.claudeRows();
  const types = rows.map(({ type }) => type).join(" ");
  expect(types).toBe("assistant assistant assistant user assistant assistant");
  expect(contents(rows).flat()).toMatchObject([
    { type: "thinking", thinking: "Hmm.", signature: "s" },
    { type: "text", text: "Testing." },
    { type: "tool_use", name: "Bash", input: { command: "npm test" } },
    { type: "tool_result", content: "ok", is_error: false },
    { type: "text", text: "Green." },
    { type: "tool_use", name: "Bash" },
  ]);
  expect(rows[3]).toMatchObject({ sourceToolAssistantUUID: rows[2]?.uuid });
});

test("every row has a uuid and the fields of a session (H37)", async () => {
  await putFile(join(folder, ".git", "HEAD"), "ref: refs/heads/feature/a\n");
  await chat.write(chat.user("Go"), chat.assistant([text("1"), bash("a", "b"), text("2")]));
  const rows = await chat.claudeRows();
  expect(rows).toHaveLength(5);
  const uuid = /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  for (const row of rows) {
    expect(row).toMatchObject({
      uuid: expect.stringMatching(uuid) as string,
      sessionId: "w",
      cwd: folder,
      version: expect.stringMatching(/^2\.1\.\d+$/) as string,
      isSidechain: false,
      userType: "external",
      gitBranch: "feature/a",
      timestamp: expect.stringMatching(/^2026-01-01T00:00:0[01]\.000Z$/) as string,
    });
  }
});

test("the branch is that of a linked worktree, and empty outside a repository (H37)", async () => {
  await chat.write(chat.user("Go"));
  expect((await chat.claudeRows())[0]).toMatchObject({ gitBranch: "" });
  chat = new MuxChat(join(folder, "other.jsonl"), folder);
  const gitDir = join(folder, "main", ".git", "worktrees", "w");
  await writeFile(join(folder, ".git"), `gitdir: ${gitDir}\n`);
  await putFile(join(gitDir, "HEAD"), "0123456789abcdef0123456789abcdef01234567\n");
  await chat.write(chat.user("Go"));
  expect((await chat.claudeRows())[0]).toMatchObject({ gitBranch: "HEAD" });
});

test("the feedback of blocking hooks is marked, so that the last prompt is the user's (H37)", async () => {
  const demand = "[Stop hook requested continuation]\nRun the tests\n\nand the linter";
  await chat.write(
    chat.user("Fix it"),
    chat.assistant([text("Done.")]),
    chat.user(demand, { muxMetadata: LOCAL, synthetic: true }),
    chat.assistant([text("Tested.")])
  );
  const rows = await chat.claudeRows();
  expect(rows[2]).toMatchObject({
    type: "user",
    isMeta: true,
    message: { role: "user", content: "Stop hook feedback:\nRun the tests\n\nand the linter" },
  });
  expect(lastPrompt(rows)).toBe("Fix it");
  // A text of the user is a prompt, even with the heading of hooks.
  await chat.append(chat.user(demand));
  expect(lastPrompt(await chat.claudeRows())).toBe(demand);
});

test("additional context is an attachment (H37)", async () => {
  const rows = [
    ["Stop", { muxMetadata: LOCAL }],
    ["SubagentStop", { muxMetadata: LOCAL }],
    ["Stop", { synthetic: true }],
  ] as const;
  await chat.write(
    ...rows.map(([event, metadata]) => chat.user(`[${event} hook feedback]\nSlow`, metadata))
  );
  const type = "hook_additional_context";
  expect(await chat.claudeRows()).toMatchObject(
    rows.map(([event]) => ({
      type: "attachment",
      attachment: { type, content: ["Slow"], hookName: event, hookEvent: event },
    }))
  );
});

test("a row that was written in the user's place is not a prompt (H37)", async () => {
  await chat.write(
    chat.user("Go"),
    chat.user("<file>…</file>", { synthetic: true }),
    chat.user("Summarize the conversation", { muxMetadata: { type: "compaction-request" } })
  );
  const rows = await chat.claudeRows();
  expect(rows.map(({ isMeta = false }) => isMeta)).toEqual([false, true, true]);
  expect(lastPrompt(rows)).toBe("Go");
});

test("todos have the old and the new list, across answers (H37)", async () => {
  const todos = [{ content: "Test it", status: "pending" }];
  const done = [{ content: "Tested it", status: "completed" }];
  const ok = { success: true, count: 1 };
  await chat.write(
    chat.assistant([tool("todo_write", { todos }, ok)]),
    chat.assistant([tool("todo_write", { todos: [] }, { success: false, error: "too many" })]),
    chat.assistant([tool("todo_write", { todos: done }, ok)])
  );
  const rows = await chat.claudeRows();
  const claude = (list: typeof todos) =>
    list.map((item) => ({ ...item, activeForm: item.content }));
  expect(contents(rows)[0]).toMatchObject([{ name: "TodoWrite", input: { todos: claude(todos) } }]);
  expect(rows.flatMap(({ toolUseResult }) => toolUseResult ?? [])).toEqual([
    { oldTodos: [], newTodos: claude(todos) },
    "Error: too many",
    { oldTodos: claude(todos), newTodos: claude(done) },
  ]);
});

test("the model has no provider, and unknown usage is 0 (H37)", async () => {
  await chat.write(
    chat.assistant([text("a")], { model: "mux-gateway:anthropic/claude-opus-4-5" }),
    chat.assistant([text("b")], { model: undefined, finishReason: "length" })
  );
  expect((await chat.claudeRows()).map(({ message }) => message)).toMatchObject([
    { model: "claude-opus-4-5", type: "message", stop_reason: "end_turn", stop_sequence: null },
    { model: "unknown", stop_reason: "max_tokens", usage: { input_tokens: 0, output_tokens: 0 } },
  ]);
});

test("usage counted once per message.id is that of the answer, and the last is the context (H37)", async () => {
  const metadata = {
    usage: { inputTokens: 1_000, outputTokens: 90, cachedInputTokens: 600 },
    providerMetadata: { anthropic: { cacheCreationInputTokens: 100 } },
    contextUsage: { inputTokens: 500, outputTokens: 20, cachedInputTokens: 400 },
    contextProviderMetadata: { anthropic: { cacheCreationInputTokens: 50 } },
  };
  await chat.write(
    chat.user("Go"),
    chat.assistant([text("a"), bash("b", "c"), bash("d", "e"), text("f")], metadata)
  );
  const answers = (await chat.claudeRows()).filter(({ type }) => type === "assistant");
  const messages = answers.map(({ message }) => message);
  expect(answers.map(({ requestId }) => requestId)).toEqual(
    messages.map(({ id }) => id?.replace("msg_", "req_"))
  );
  const byId = new Map(messages.map(({ id, usage }) => [id, usage as Record<string, number>]));
  expect([...byId.values()]).toEqual([
    usage(250, 50, 200, 70),
    usage(0, 0, 0, 0),
    usage(50, 50, 400, 20),
  ]);
  expect(messages.at(-1)).toMatchObject({ stop_reason: "end_turn" });
  expect(messages[0]).toMatchObject({
    id: expect.stringMatching(/^msg_[\da-f]{24}$/) as string,
    stop_reason: "tool_use",
  });
});

function usage(input: number, created: number, read: number, output: number) {
  return {
    ...{ input_tokens: input, output_tokens: output },
    ...{ cache_creation_input_tokens: created, cache_read_input_tokens: read },
  };
}

test.each([
  [{ source: "auto-compaction" }, "user", "auto"],
  [{}, "user", "manual"],
  [{}, "idle", "auto"],
  [{}, true, "manual"],
])(
  "a compaction is a boundary and a summary: %j, %j (H37)",
  async (request, compacted, trigger) => {
    await chat.write(
      chat.user("Go"),
      chat.user("Summarize", { muxMetadata: { type: "compaction-request", ...request } }),
      chat.assistant([text("The user wants …")], {
        compacted,
        usage: { inputTokens: 180_000, outputTokens: 900 },
      }),
      chat.user("And now?")
    );
    const rows = await chat.claudeRows();
    const content = /^This session is being continued[^]*\n\nThe user wants …$/;
    expect(rows.slice(2)).toMatchObject([
      {
        ...{ type: "system", subtype: "compact_boundary" },
        ...{ parentUuid: null, logicalParentUuid: rows[1]?.uuid },
        compactMetadata: { trigger, preTokens: 180_000 },
      },
      {
        ...{ type: "user", parentUuid: rows[2]?.uuid },
        ...{ isCompactSummary: true, isVisibleInTranscriptOnly: true },
        message: { content: expect.stringMatching(content) as string },
      },
      { type: "user", parentUuid: rows[3]?.uuid },
    ]);
  }
);

test("rows that the host moved to its archive stay in the copy (H37)", async () => {
  const old = [chat.user("Go"), chat.assistant([text("Done.")])];
  const boundary = { compacted: "user", compactionBoundary: true };
  const summary = chat.assistant([text("Summary")], boundary);
  await chat.write(...old, summary);
  const { own } = await chat.project();
  const before = await readFile(own, "utf8");
  await new MuxChat(join(folder, "chat-archive.jsonl"), folder).write(...old);
  await chat.write(summary, chat.user("Next"));
  await chat.project();
  const after = await readFile(own, "utf8");
  expect(after.startsWith(before)).toBe(true);
  expect(await readRows(own)).toHaveLength(5);
});

test("rows of a sub-agent are a sidechain of the parent's session (H37)", async () => {
  const parent = new MuxChat(join(folder, "parent.jsonl"), folder);
  await parent.write(parent.user("Go"));
  await chat.write(chat.user("Explore"), chat.assistant([text("Found it.")]));
  const made = await chat.project({
    hook_event_name: "SubagentStop",
    session_id: "task-1",
    agent_id: "task-1",
    agent_type: "explore",
    parent_session_id: "w",
    parent_transcript_path: parent.path,
  });
  for (const row of await readRows(made.own)) {
    expect(row).toMatchObject({ isSidechain: true, agentId: "task-1", sessionId: "w" });
  }
  const [row] = await readRows(made.parent ?? "");
  expect(row).toMatchObject({ isSidechain: false, sessionId: "w", message: { content: "Go" } });
  expect(row).not.toHaveProperty("agentId");
});

test("skips invalid rows, and rows that are not messages", async () => {
  await chat.write(
    "{ cut",
    '"text"',
    "",
    chat.row("system", []),
    chat.assistant("no list" as never),
    chat.row("user", [null, 3, { type: "text", text: 4 }, text("Hi")], { timestamp: 1e300 }),
    '{"role":"user"}',
    '{"role":"assistant","parts":[{"type":"dynamic-tool","output":null}],"metadata":3}'
  );
  const rows = await chat.claudeRows();
  const call = [[{ type: "tool_use" }], [{ type: "tool_result" }]];
  expect(contents(rows)).toMatchObject(["Hi", "", ...call]);
  expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(4);
  expect(rows[0]).not.toHaveProperty("timestamp");
});

test("skips a row that is nested too deeply to be written", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const nested = JSON.stringify(chat.assistant([text("a"), tool("own", "DEEP", "DEEP")]));
  await chat.write(chat.user("Go"), nested.replaceAll('"DEEP"', deep), chat.user("Next"));
  const rows = await chat.claudeRows();
  expect(contents(rows)).toEqual(["Go", "Next"]);
  expect(rows[1]?.parentUuid).toBe(rows[0]?.uuid);
});

test("returns Mux's own path if there is no transcript, or the copy cannot be written (H37)", async () => {
  const missing = new MuxChat(join(folder, "nothing", "chat.jsonl"), folder);
  expect(await missing.project()).toEqual({ own: missing.path });
  await chat.write(chat.user("Go"));
  await mkdir(join(folder, "chat.claude.jsonl", "folder"), { recursive: true });
  expect(await chat.project()).toEqual({ own: chat.path });
});
