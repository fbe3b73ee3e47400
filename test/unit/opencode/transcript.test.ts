/** The transcripts of sessions in opencode. */
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { continuationsInTurn } from "@/node/services/hooks/index";
import type { Message } from "@/opencode/opencodeTypes";
import * as transcript from "@/opencode/transcript";
import { tempDir } from "@test/helpers/tempDir";

const user = (parts: Message["parts"]): Message => ({ info: { id: "u", role: "user" }, parts });
const assistant = (parts: Message["parts"]): Message => ({
  info: { id: "a", role: "assistant", finish: "stop" },
  parts,
});

test("have the messages, the tool calls and the continuations of a turn (H13, H27)", () => {
  const said = user([{ type: "text", text: "Do it." }]);
  const messages = [
    said,
    assistant([
      { type: "reasoning", text: "Hm." },
      { type: "tool", tool: "bash", callID: "c", state: { input: { command: "ls" }, output: "a" } },
      { type: "tool", tool: "bash", callID: "d", state: { input: {} } },
      { type: "text", text: "Done." },
    ]),
    user(transcript.continuationOf([said], "Fix it.").parts),
    user([{ type: "text", text: "A task has ended.", synthetic: true }]),
  ];
  const rows = transcript.toRows("s", messages);
  const bash = { type: "dynamic-tool", toolName: "bash" };
  const ended = { input: { command: "ls" }, state: "output-available", output: "a" };
  expect(rows[1]?.parts).toEqual([
    { ...bash, toolCallId: "c", ...ended },
    { ...bash, toolCallId: "d", input: {}, state: "input-available" },
    { type: "text", text: "Done." },
  ]);
  expect(continuationsInTurn(rows)).toBe(1);
});

test("are kept for the last 200 sessions, in folders that only the user can read", async () => {
  const home = await tempDir();
  const place = { env: {}, home };
  const root = join(home, ".local/state/mux-stop-hooks/opencode");
  for (let i = 0; i < 201; i++) {
    await mkdir(join(root, `ses_${i}`), { recursive: true });
    if (i === 0) await writeFile(join(root, "ses_0/chat.jsonl"), "");
    await utimes(join(root, `ses_${i}`), i + 1, i + 1);
  }
  expect(
    (await transcript.writeTranscript(place, "ses_new", transcript.toRows("s", []))).isOk()
  ).toBe(true);
  const kept = await readdir(root);
  expect(kept).toHaveLength(200);
  const names = ["ses_0", "ses_1", "ses_2", "ses_new"];
  expect(names.filter((name) => kept.includes(name))).toEqual(["ses_0", "ses_new"]);
});

test.each(["../../escaped", "/etc", "", "a".repeat(300)])(
  "stay in their folder for the session ID %j",
  async (id) => {
    const state = await tempDir();
    const place = { env: { XDG_STATE_HOME: state }, home: "/nowhere" };
    expect((await transcript.writeTranscript(place, id, [])).isOk()).toBe(true);
    const path = transcript.transcriptPath(place, id);
    expect(path.startsWith(join(state, "mux-stop-hooks/opencode/"))).toBe(true);
    expect(await readFile(path, "utf8")).toBe("");
  }
);

test.each([
  ["stop", "stop"],
  ["unknown", "stop"],
  ["length", "length"],
  ["content-filter", "refusal"],
  ["tool-calls", "toolCalls"],
  ["error", "error"],
  [undefined, "error"],
])("a model that ends with %j has the finish %j (H28)", (finish, expected) => {
  const end = transcript.turnEnd([{ info: { id: "a", role: "assistant", finish }, parts: [] }]);
  expect(end?.finish).toBe(expected);
});

test("a session that ends with a message of the user has no answer", () => {
  expect(transcript.turnEnd([user([])])).toBeUndefined();
  expect(transcript.turnEnd([])).toBeUndefined();
});
