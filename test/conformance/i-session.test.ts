/** Conformance, section I: Stop hooks in a session. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeGate } from "@test/helpers/process/processes";
import {
  blocks,
  keepsInput,
  readJsonLines,
  readTranscript,
  SessionRig,
} from "@test/helpers/hooks/session";
import { whereHooksFind } from "@test/helpers/remote/testRuntime";

const HEADING = "[Stop hook requested continuation]";

test("case 130: runs no hook after an interrupt of the stream", async () => {
  const rig = await SessionRig.open({
    turns: [[{ say: "A long answer that comes in more than one piece, as they do." }]],
    stop: [keepsInput],
  });
  rig.session.onChatEvent(({ type }) => {
    if (type === "stream-delta") void rig.session.interruptStream();
  });
  expect((await rig.turn()).finish).toBe("interrupted");
  expect(rig.all("stream-delta")).toHaveLength(1);
  expect(await rig.inputs()).toEqual([]);
  expect(rig.types).not.toContain("hooks-start");
});

test("case 131: an interrupt while hooks run ends their processes and the turn", async () => {
  const rig = await SessionRig.open({
    stop: [blocks("Go on."), "exec 9> held; echo > running; sleep 60 & sleep 60"],
  });
  const { gone } = await rig.sendUntilHeld();
  await rig.event("hook-end");
  await rig.session.interruptStream();
  expect(await rig.session.idle()).toMatchObject({ finish: "interrupted" });
  await gone;
  expect(rig.sent).toEqual(["Fix it."]);
  expect(rig.notices).toEqual([]);
  expect(rig.session.isBusy).toBe(false);
});

test("case 131: sends a message typed after the interrupt", async () => {
  const rig = await SessionRig.open({
    stop: [`${keepsInput}; [ -e once ] && exit 0; touch once; echo > running; exec sleep 60`],
  });
  await rig.sendUntilRunning();
  void rig.session.interruptStream();
  await rig.session.sendMessage("No, this way.");
  expect(await rig.session.idle()).toMatchObject({ finish: "stop" });
  expect(rig.sent).toEqual(["Fix it.", "No, this way."]);
});

test("case 132: sends a message typed while hooks run, and drops their verdict", async () => {
  const rig = await SessionRig.open({
    turns: ["One.", "Two.", "Three."],
    stop: [
      `${keepsInput}; [ -e once ] && exit 0; touch once; echo > running; read -r _ < go; echo no >&2; exit 2`,
    ],
  });
  const go = await makeGate(rig.project.dir, "go");
  await rig.sendUntilRunning();
  await rig.session.sendMessage("And");
  await rig.session.sendMessage("that.");
  expect(rig.session.isBusy).toBe(true);
  await go.open();
  await rig.session.idle();
  expect(rig.sent).toEqual(["Fix it.", "And\nthat."]);
  expect(rig.said).toEqual(["One.", "Two."]);
  expect((await rig.inputs()).map((input) => input.stop_hook_active)).toEqual([false, false]);
});

test("case 132: sends a message queued during the turn before it runs hooks", async () => {
  const rig = await SessionRig.open({ turns: ["One.", "Two."], stop: [keepsInput] });
  rig.session.onChatEvent((event) => {
    if (event.type === "stream-start" && event.historySequence === 1) {
      rig.session.queueMessage("And that.");
    }
  });
  await rig.turn("Fix it.");
  expect(rig.sent).toEqual(["Fix it.", "And that."]);
  const answers = (await rig.inputs()).map((input) => input.last_assistant_message);
  expect(answers).toEqual(["Two."]);
});

test.each([
  ["an error of the API", [{ fail: "overloaded" }], "error"],
  ["a refusal", [{ say: "I" }, { finish: "refusal" }], "refusal"],
  ["a length limit", [{ say: "I" }, { finish: "length" }], "length"],
  ["a stream that ends in an error", [{ say: "I" }, { finish: "error" }], "error"],
  ["a question, while the agent waits for the answer", [{ ask: "Which one?" }], "question"],
])("case 133, 135: no hook runs after %s", async (_what, turn, finish) => {
  const rig = await SessionRig.open({ turns: [turn], stop: [blocks("Go on.")] });
  expect((await rig.turn()).finish).toBe(finish);
  expect(await rig.inputs()).toEqual([]);
  expect(rig.sent).toHaveLength(1);
});

test("case 134: sends a continuation again after a compaction if it did not fit", async () => {
  const rig = await SessionRig.open({
    turns: [
      "One.",
      [{ fail: { error: "the prompt is too long", type: "context_exceeded" } }],
      "The summary.",
      "Two.",
    ],
    stop: [blocks("Go on.", 1)],
  });
  expect((await rig.turn()).text).toBe("Two.");
  expect(rig.said).toEqual(["The summary.", "Two."]);
  expect(rig.sent).toEqual([`${HEADING}\nGo on.`]);
  expect((await rig.inputs()).map((input) => input.stop_hook_active)).toEqual([false, true]);
});

test("case 134: ends the turn if the continuation does not fit after the compaction either", async () => {
  const tooLong = [{ fail: { error: "the prompt is too long", type: "context_exceeded" } }];
  const rig = await SessionRig.open({
    turns: ["One.", tooLong, "The summary.", tooLong, "Never said."],
    stop: [blocks("Go on.", 1)],
  });
  expect((await rig.turn()).finish).toBe("error");
  expect(rig.all("stream-error")).toHaveLength(2);
});

test("case 129, 136, 137: a hook starts after all tool calls, and finds the final message in the transcript of its dialect", async () => {
  const text = "All done, and here is what I did, in more words than one delta holds.";
  const rig = await SessionRig.open({
    turns: [[{ bash: "true" }, { bash: "[ ! -e inputs.jsonl ]" }, { say: text }]],
    stop: [
      `cp "$MUX_TRANSCRIPT_PATH" seen.jsonl; ${keepsInput}`,
      { command: 'cp "$MUX_TRANSCRIPT_PATH" claude.jsonl', dialect: "claude" },
    ],
  });
  await rig.turn("Fix it.");
  const called = rig.all("tool-call-end").map(({ result }) => result);
  expect(called).toMatchObject([{ success: true }, { success: true }]);
  const started = rig.types.indexOf("hooks-start");
  expect(started).toBeGreaterThan(rig.types.lastIndexOf("tool-call-end"));
  expect(await rig.inputs()).toMatchObject([
    { transcript_path: whereHooksFind(rig.session.transcriptPath), last_assistant_message: text },
  ]);

  const seen = await readJsonLines(rig.project.path("seen.jsonl"));
  expect(seen).toEqual(await readTranscript(rig.project.session));
  const [call, , ...said] = seen.at(-1)!.parts as { type: string; text?: string }[];
  expect(call).toMatchObject({
    type: "dynamic-tool",
    toolName: "bash",
    input: { script: "true" },
    state: "output-available",
  });
  expect(said.map((part) => part.text).join("")).toBe(text);
  const rows = await readJsonLines(rig.project.path("claude.jsonl"));
  expect([rows[0], rows.at(-1)]).toMatchObject([
    { type: "user", message: { role: "user", content: "Fix it." } },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } },
  ]);
});

test("case 138, 139: a continuation is synthetic, keeps model, mode, thinking level and agent, and cannot be edited", async () => {
  const rig = await SessionRig.open({ stop: [blocks("Go on.", 1)] });
  const options = { model: "other:model", mode: "exec", thinkingLevel: "high", agentId: "exec" };
  await rig.turn("Fix it.", { ...options, muxMetadata: { type: "skill" } });
  const [, continuation] = rig.all("message");
  expect(continuation).toMatchObject({ role: "user", metadata: { synthetic: true } });
  expect(continuation!.metadata.muxMetadata).toEqual({ stopHookActive: true });
  const answers = rig.session.messages.filter(({ role }) => role === "assistant");
  expect(answers.map(({ metadata }) => metadata)).toMatchObject([options, options]);
  const models = rig.all("stream-start").map(({ model }) => model);
  expect(models).toEqual(["other:model", "other:model"]);
  const edited = await rig.session.sendMessage("Mine.", { editMessageId: continuation!.id });
  expect(edited._unsafeUnwrapErr().type).toBe("unknownMessage");
});

test("case 140, 145: reports to the chat which hook runs, of how many, and how it ended", async () => {
  const rig = await SessionRig.open({
    stop: [
      { command: "exit 0", statusMessage: "Looking at the tests" },
      "echo no disk >&2; exit 1",
    ],
  });
  const outcome = await rig.turn();
  expect(rig.all("hooks-start")).toMatchObject([{ event: "Stop", total: 2 }]);
  expect(rig.all("hook-start")).toMatchObject([
    { name: "project:Stop[0]", label: "Looking at the tests", index: 1, total: 2 },
    { name: "project:Stop[1]", label: "echo no disk >&2; exit 1", index: 2, total: 2 },
  ]);
  const ends = rig.all("hook-end").sort((a, b) => a.index - b.index);
  expect(ends.map(({ run }) => run)).toMatchObject([
    { outcome: "pass", end: { kind: "exited", code: 0 } },
    { outcome: "failed", end: { kind: "exited", code: 1 } },
  ]);
  expect(rig.types.at(-1)).toBe("stream-end");
  // A warning does not change how the run ended.
  expect(outcome.finish).toBe("stop");
  expect(rig.notices).toEqual([expect.stringContaining("no disk")]);
});

test("case 128, 141: runs each handler once at each natural end, and records every run", async () => {
  const rig = await SessionRig.open({ stop: [blocks("Go on.", 1), "echo >> second"] });
  await rig.turn();
  await rig.session.dispose();
  expect(await rig.project.read("second")).toBe("\n\n");
  const records = await readJsonLines(join(rig.project.session, "hook-runs.jsonl"));
  expect(records).toHaveLength(4);
  expect(records.filter(({ name }) => name === "project:Stop[0]")).toMatchObject([
    {
      event: "Stop",
      name: "project:Stop[0]",
      source: { file: rig.project.path(".mux", "settings.json") },
      end: { kind: "exited", code: 2 },
      outcome: "block",
      reason: "Go on.",
    },
    { end: { kind: "exited", code: 0 }, outcome: "pass" },
  ]);
});

test("case 143: a shutdown ends running hooks, and a restart does not resume the turn", async () => {
  const rig = await SessionRig.open({
    stop: [`${keepsInput}; exec 9> held; echo > running; sleep 60`],
  });
  const { gone } = await rig.sendUntilHeld();
  await rig.session.dispose();
  await gone;

  const again = await SessionRig.open({ project: rig.project });
  expect(again.session.isBusy).toBe(false);
  expect(await again.session.idle()).toBeUndefined();
  expect(again.sent).toEqual(["Fix it."]);
  expect(await rig.inputs()).toHaveLength(1);
  expect((await rig.session.sendMessage("More."))._unsafeUnwrapErr().type).toBe("disposed");
});

test("case 144: two concurrent workspaces do not affect each other", async () => {
  const [first, second] = await Promise.all([
    SessionRig.open({ stop: [blocks("First.", 2)] }),
    SessionRig.open({ stop: [blocks("Second.", 1)], options: { workspaceId: "workspace-2" } }),
  ]);
  await Promise.all([first.turn(), second.turn()]);
  expect(first.sent.slice(1)).toEqual(Array(2).fill(`${HEADING}\nFirst.`));
  expect(second.sent.slice(1)).toEqual([`${HEADING}\nSecond.`]);
  const ids = (await second.inputs()).map((input) => input.session_id);
  expect(new Set(ids)).toEqual(new Set(["workspace-2"]));
});
