/** The embedded session without its hooks: queue, interrupt, errors, edits, compaction, restart. */
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { ok } from "neverthrow";
import { expect, test } from "vitest";
import type { AIService } from "@/node/services/session/aiServiceTypes";
import { group, says } from "@test/helpers/hooks/hookProject";
import { makeGate } from "@test/helpers/process/processes";
import { blocks, keepsInput, readTranscript, SessionRig } from "@test/helpers/hooks/session";

/** A model that never answers, and rejects a stop. */
const silent: AIService = {
  streamMessage: () => Promise.resolve(ok(undefined)),
  stopStream: () => Promise.reject(new Error("no")),
  onEvent: () => () => undefined,
};

test("queues a message that is sent during a turn until the turn ends", async () => {
  const rig = await SessionRig.open({
    turns: [[{ bash: "echo > running; read -r _ < go" }, { say: "One." }], "Two."],
  });
  const go = await makeGate(rig.project.dir, "go");
  await rig.sendUntilRunning("First.");
  await rig.session.sendMessage("Second.");
  expect(rig.all("queued-message-changed").at(-1)?.queuedMessages).toEqual(["Second."]);
  await go.open();
  await rig.session.idle();
  expect(rig.sent).toEqual(["First.", "Second."]);
  expect(rig.all("queued-message-changed").at(-1)?.queuedMessages).toEqual([]);
});

test("keeps a message queued while idle until sendQueuedMessages is called", async () => {
  const rig = await SessionRig.open();
  rig.session.queueMessage("Later.");
  expect(await rig.session.idle()).toBeUndefined();
  expect(rig.sent).toEqual([]);
  await rig.session.sendQueuedMessages();
  await rig.session.idle();
  expect(rig.sent).toEqual(["Later."]);
});

test("sends a message that is typed just as a turn ends", async () => {
  const rig = await SessionRig.open({ turns: ["One.", "Two."] });
  let typed = false;
  rig.session.onChatEvent(({ type }) => {
    if (type !== "stream-end" || typed) return;
    typed = true;
    void rig.session.sendMessage("And that.");
  });
  await rig.turn("Fix it.");
  expect(rig.sent).toEqual(["Fix it.", "And that."]);
});

test("keeps the partial answer and restores the queued messages on an interrupt (H22)", async () => {
  const rig = await SessionRig.open({
    turns: [[{ say: "I begin." }, { bash: "echo > running; sleep 60" }], "Never said."],
  });
  await rig.sendUntilRunning("First.");
  rig.session.queueMessage("Second.");
  rig.session.queueMessage("Third.");
  await rig.session.interruptStream();
  await rig.session.idle();
  expect(rig.all("restore-to-input")).toMatchObject([{ text: "Second.\nThird." }]);
  expect(rig.sent).toEqual(["First."]);
  expect(rig.session.messages[1]).toMatchObject({
    parts: [{ text: "I begin." }, { toolName: "bash" }],
    metadata: { partial: true },
  });
});

test.each([
  ["rejects the stop", silent],
  ["never confirms the stop", { ...silent, stopStream: () => new Promise<never>(() => undefined) }],
])("ends the turn on an interrupt even if the model %s", async (_, aiService) => {
  const rig = await SessionRig.open({ options: { aiService } });
  await rig.session.sendMessage("Fix it.");
  await rig.session.interruptStream();
  expect(await rig.session.idle()).toMatchObject({ finish: "interrupted" });
});

test("drops a verdict that arrives at the same moment as an interrupt (H22)", async () => {
  const verdict = { decision: "block", reason: "Go on.", systemMessage: "Not yet." };
  const rig = await SessionRig.open({ turns: ["One.", "Sum."], stop: [says(verdict)] });
  rig.session.onChatEvent(({ type }) => {
    if (type === "notice") void rig.session.interruptStream();
  });
  expect((await rig.turn()).finish).toBe("interrupted");
  expect(rig.all("stream-end")).toMatchObject([{ interrupted: true }]);
  await rig.session.compact();
  await rig.session.idle();
  expect(rig.said).toEqual(["Sum."]);
});

test("reports a model that throws as an error of the turn", async () => {
  const aiService = { ...silent, streamMessage: () => Promise.reject(new Error("no key")) };
  const rig = await SessionRig.open({ options: { aiService } });
  expect(await rig.turn()).toMatchObject({ finish: "error", error: "no key" });
  expect(rig.all("stream-error")).toMatchObject([{ error: "no key" }]);
});

test("keeps queued messages after an error, and sends them before the next message", async () => {
  const rig = await SessionRig.open({ turns: [[{ fail: "overloaded" }], "One."] });
  const sending = rig.session.sendMessage("First.");
  rig.session.queueMessage("Second.");
  await sending;
  expect(await rig.session.idle()).toMatchObject({ finish: "error" });
  expect(rig.sent).toEqual(["First."]);
  await rig.turn("Third.");
  expect(rig.sent).toEqual(["First.", "Second.\nThird."]);
});

test("ignores a listener that throws", async () => {
  const rig = await SessionRig.open({ stop: [blocks("Go on.", 1)] });
  rig.session.onChatEvent(() => {
    throw new Error("listener");
  });
  expect((await rig.turn()).finish).toBe("stop");
  expect(rig.said).toHaveLength(2);
});

test("sends a removed listener no more events", async () => {
  const rig = await SessionRig.open();
  const heard: string[] = [];
  const stop = rig.session.onChatEvent(({ type }) => heard.push(type));
  stop();
  await rig.turn();
  expect(heard).toEqual([]);
});

test("removes the later messages on an edit, and emits a delete event", async () => {
  const rig = await SessionRig.open({ turns: ["One.", "Two.", "Three."] });
  await rig.turn("First.");
  await rig.turn("Second.");
  const second = rig.session.messages[2]!;
  await rig.turn("Second, better.", { editMessageId: second.id });
  expect(rig.sent).toEqual(["First.", "Second, better."]);
  expect(rig.said).toEqual(["One.", "Three."]);
  expect(rig.all("delete")).toMatchObject([{ historySequences: [2, 3] }]);
  expect(await readTranscript(rig.project.session)).toEqual(rig.session.messages);
});

test("sends a queued edit on its own, before the messages that follow it", async () => {
  const rig = await SessionRig.open({ turns: ["One.", "Two.", "Three."] });
  await rig.turn("First.");
  rig.session.queueMessage("Edited.", { editMessageId: rig.session.messages[0]!.id });
  rig.session.queueMessage("And more.");
  await rig.session.sendQueuedMessages();
  await rig.session.idle();
  expect(rig.sent).toEqual(["Edited.", "And more."]);
});

test("replaces the history by a summary on a compaction, and runs no hooks", async () => {
  const rig = await SessionRig.open({ turns: ["One.", "What was."], stop: [keepsInput] });
  await rig.turn();
  await rig.session.compact();
  await rig.session.idle();
  expect(await readTranscript(rig.project.session)).toMatchObject([
    { role: "assistant", metadata: { compacted: true, agentId: "compact" } },
  ]);
  expect(rig.said).toEqual(["What was."]);
  expect(await rig.inputs()).toHaveLength(1);
});

test("keeps the history if a compaction is cut off", async () => {
  const rig = await SessionRig.open({ turns: ["One.", [{ say: "What" }, { finish: "length" }]] });
  await rig.turn("First.");
  await rig.session.compact();
  await rig.session.idle();
  expect(rig.sent[0]).toBe("First.");
  expect(rig.said).toEqual(["One.", "What"]);
});

test("keeps the history if a compaction has no summary, and ends with an error", async () => {
  const overflow = { fail: { error: "too long", type: "context_exceeded" } };
  const empty = [{ say: " \n" }];
  const rig = await SessionRig.open({ turns: ["One.", empty, [overflow], empty, "Again."] });
  await rig.turn("First.");
  await rig.session.compact();
  expect(await rig.session.idle()).toMatchObject({ finish: "error" });
  expect(await rig.turn("Second.")).toMatchObject({ finish: "error" });
  expect(rig.sent.filter((text) => !text.startsWith("Summarize"))).toEqual(["First.", "Second."]);
  expect(rig.said).toEqual(["One."]);
});

test("sends a continuation after a compaction that was requested while hooks ran", async () => {
  const rig = await SessionRig.open({
    turns: ["One.", "What was.", "Two."],
    stop: [
      `[ "$MUX_CONTINUATION" = 0 ] && echo > running && read -r _ < go; ${blocks("Go on.", 1)}`,
    ],
  });
  const go = await makeGate(rig.project.dir, "go");
  await rig.sendUntilRunning();
  await rig.session.compact();
  await go.open();
  await rig.session.idle();
  expect(rig.sent).toEqual(["[Stop hook requested continuation]\nGo on."]);
  expect(rig.said).toEqual(["What was.", "Two."]);
});

test("keeps new hooks for the next message if the turn overflows and is compacted (H7)", async () => {
  const settings = JSON.stringify({ hooks: { Stop: [group(["echo ran >> ran"])] } });
  const rig = await SessionRig.open({
    turns: [
      [
        { write: { path: ".mux/settings.json", content: settings } },
        { fail: { error: "too long", type: "context_exceeded" } },
      ],
      "Sum.",
      "Two.",
    ],
  });
  await rig.turn();
  await expect(rig.project.read("ran")).rejects.toThrow("ENOENT");
  await rig.turn();
  expect(await rig.project.read("ran")).toBe("ran\n");
});

test("rejects and restores a message that cannot be saved", async () => {
  const rig = await SessionRig.open();
  await rm(rig.session.transcriptPath);
  await mkdir(rig.session.transcriptPath);
  const refused = await rig.session.sendMessage("Fix it.");
  expect(refused._unsafeUnwrapErr()).toMatchObject({ type: "history" });
  expect(refused._unsafeUnwrapErr().message).toContain(rig.session.transcriptPath);
  expect(await rig.session.idle()).toMatchObject({ finish: "error" });
  expect(rig.all("restore-to-input")).toMatchObject([{ text: "Fix it." }]);
});

test("runs no hooks if the answer cannot be saved", async () => {
  const rig = await SessionRig.open({
    turns: [[{ bash: "rm ../session/chat.jsonl; mkdir ../session/chat.jsonl" }, { say: "Done." }]],
    stop: [keepsInput],
  });
  await rig.turn();
  expect(rig.all("stream-error")).toHaveLength(1);
  expect(await rig.inputs()).toEqual([]);
});

test("does not send a message later if sending it again after an overflow failed", async () => {
  const rig = await SessionRig.open({
    turns: [
      [
        { bash: "mv ../session/chat.jsonl ../kept; mkdir ../session/chat.jsonl" },
        { fail: { error: "too long", type: "context_exceeded" } },
      ],
      "One.",
    ],
  });
  expect((await rig.turn("First.")).finish).toBe("error");
  const { transcriptPath } = rig.session;
  await rmdir(transcriptPath);
  await rename(rig.project.path("..", "kept"), transcriptPath);
  await rig.turn("Second.");
  expect(rig.sent).toEqual(["First.", "Second."]);
});

test.each([
  ["an empty message", "  \n", {}, "empty"],
  ["an edit of an unknown message", "x", { editMessageId: "user-0" }, "unknownMessage"],
])("rejects %s", async (_what, text, options, type) => {
  const rig = await SessionRig.open();
  expect((await rig.session.sendMessage(text, options))._unsafeUnwrapErr().type).toBe(type);
  expect(rig.session.queueMessage(text, options)._unsafeUnwrapErr().type).toBe(type);
});

test("rejects a retry before the first message and during a turn", async () => {
  const rig = await SessionRig.open();
  expect((await rig.session.resumeStream())._unsafeUnwrapErr().type).toBe("unknownMessage");
  const sending = rig.session.sendMessage("First.");
  expect((await rig.session.resumeStream())._unsafeUnwrapErr().type).toBe("busy");
  await sending;
});

test("rejects all calls after dispose, which may be repeated", async () => {
  const rig = await SessionRig.open();
  await rig.session.dispose();
  await rig.session.dispose();
  for (const refused of [
    await rig.session.sendMessage("x"),
    rig.session.queueMessage("x"),
    await rig.session.resumeStream(),
    await rig.session.compact(),
  ]) {
    expect(refused._unsafeUnwrapErr().type).toBe("disposed");
  }
  expect((await rig.session.openSubagent({ agentType: "x" })).isErr()).toBe(true);
});
