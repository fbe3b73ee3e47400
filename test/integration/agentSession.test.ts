/** The embedded session besides its hooks: queue, interrupt, errors, edits, compaction, restart. */
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { ok } from "neverthrow";
import { describe, expect, test } from "vitest";
import type { AIService } from "@/node/services/session/aiService";
import { group, says } from "@test/helpers/hooks/hookProject";
import { makeGate } from "@test/helpers/process/processes";
import {
  blocks,
  keepsInput,
  passed,
  readTranscript,
  scripted,
  SessionRig,
} from "@test/helpers/hooks/session";

/** A model that never says anything, and may not even stop. */
const silent: AIService = {
  streamMessage: () => Promise.resolve(ok(undefined)),
  stopStream: () => Promise.reject(new Error("no")),
  onEvent: () => () => undefined,
};

describe("AgentSession", () => {
  test("a message that is sent while the agent is at work waits for the end of its turn", async () => {
    const rig = await SessionRig.open({
      turns: [[{ bash: "echo > running; read -r _ < go" }, { say: "One." }], "Two."],
    });
    const { dir } = rig.project;
    const [running, go] = [await makeGate(dir, "running"), await makeGate(dir, "go")];
    await rig.session.sendMessage("First.");
    await passed(running);
    await rig.session.sendMessage("Second.");
    expect(rig.all("queued-message-changed").at(-1)?.queuedMessages).toEqual(["Second."]);
    await go.open();
    await rig.session.idle();
    expect(rig.sent).toEqual(["First.", "Second."]);
    expect(rig.all("queued-message-changed").at(-1)?.queuedMessages).toEqual([]);
  });

  test("a message that is queued at rest waits until it is called for", async () => {
    const rig = await SessionRig.open();
    rig.session.queueMessage("Later.");
    expect(await rig.session.idle()).toBeUndefined();
    expect(rig.sent).toEqual([]);
    await rig.session.sendQueuedMessages();
    await rig.session.idle();
    expect(rig.sent).toEqual(["Later."]);
  });

  test("a message typed at the very end of a turn is not lost", async () => {
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

  test("an interrupt keeps what was said, and hands back what was queued (H22)", async () => {
    const rig = await SessionRig.open({
      turns: [[{ say: "I begin." }, { bash: "echo > running; sleep 60" }], "Never said."],
    });
    const running = await makeGate(rig.project.dir, "running");
    await rig.session.sendMessage("First.");
    await passed(running);
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

  test("an interrupt ends a turn even where the model does not", async () => {
    const rig = await SessionRig.open({ options: { aiService: silent } });
    await rig.session.sendMessage("Fix it.");
    await rig.session.interruptStream();
    expect(await rig.session.idle()).toMatchObject({ finish: "interrupted" });
  });

  test("an interrupt at the very moment of a verdict forgets the verdict (H22)", async () => {
    const verdict = { decision: "block", reason: "Go on.", systemMessage: "Not yet." };
    const rig = await SessionRig.open({ turns: ["One.", "Sum."], stop: [says(verdict)] });
    rig.session.onChatEvent(({ type }) => {
      if (type === "notice") void rig.session.interruptStream();
    });
    expect((await rig.turn()).finish).toBe("interrupted");
    await rig.session.compact();
    await rig.session.idle();
    expect(rig.said).toEqual(["Sum."]);
  });

  test("sessions may share a model, and hear of their own messages alone", async () => {
    const aiService = scripted([
      [{ bash: "echo > running; read -r _ < go" }, { say: "First." }],
      "Second.",
    ]);
    const first = await SessionRig.open({ options: { aiService } });
    const second = await SessionRig.open({ options: { aiService, workspaceId: "workspace-2" } });
    const { dir } = first.project;
    const [running, go] = [await makeGate(dir, "running"), await makeGate(dir, "go")];
    await first.session.sendMessage("Go.");
    await passed(running);
    expect((await second.turn()).text).toBe("Second.");
    expect(first.types).not.toContain("stream-delta");
    await go.open();
    expect(await first.session.idle()).toMatchObject({ text: "First." });
    expect(second.types).not.toContain("tool-call-end");
  });

  test("a model that throws is an error of the turn", async () => {
    const aiService = { ...silent, streamMessage: () => Promise.reject(new Error("no key")) };
    const rig = await SessionRig.open({ options: { aiService } });
    expect(await rig.turn()).toMatchObject({ finish: "error", error: "no key" });
    expect(rig.all("stream-error")).toMatchObject([{ error: "no key" }]);
  });

  test("after an error what was queued waits, and goes before the next message", async () => {
    const rig = await SessionRig.open({ turns: [[{ fail: "overloaded" }], "One."] });
    const sending = rig.session.sendMessage("First.");
    rig.session.queueMessage("Second.");
    await sending;
    expect(await rig.session.idle()).toMatchObject({ finish: "error" });
    expect(rig.sent).toEqual(["First."]);
    await rig.turn("Third.");
    expect(rig.sent).toEqual(["First.", "Second.\nThird."]);
  });

  test("a listener that throws harms nobody", async () => {
    const rig = await SessionRig.open({ stop: [blocks("Go on.", 1)] });
    rig.session.onChatEvent(() => {
      throw new Error("listener");
    });
    expect((await rig.turn()).finish).toBe("stop");
    expect(rig.said).toHaveLength(2);
  });

  test("a listener that is gone hears nothing more", async () => {
    const rig = await SessionRig.open();
    const heard: string[] = [];
    const stop = rig.session.onChatEvent(({ type }) => heard.push(type));
    stop();
    await rig.turn();
    expect(heard).toEqual([]);
  });

  test("an edit forgets what followed, and says so", async () => {
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

  test("a compaction leaves a summary in the place of everything, and runs no hooks", async () => {
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

  test("a compaction that is cut short leaves the history as it was", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", [{ say: "What" }, { finish: "length" }]],
    });
    await rig.turn("First.");
    await rig.session.compact();
    await rig.session.idle();
    expect(rig.sent[0]).toBe("First.");
    expect(rig.said).toEqual(["One.", "What"]);
  });

  test("a compaction that is asked for while hooks run does not lose what they ask for", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", "What was.", "Two."],
      stop: [
        `[ "$MUX_CONTINUATION" = 0 ] && echo > running && read -r _ < go; ${blocks("Go on.", 1)}`,
      ],
    });
    const { dir } = rig.project;
    const [running, go] = [await makeGate(dir, "running"), await makeGate(dir, "go")];
    await rig.session.sendMessage("Fix it.");
    await passed(running);
    await rig.session.compact();
    await go.open();
    await rig.session.idle();
    expect(rig.sent).toEqual(["[Stop hook requested continuation]\nGo on."]);
    expect(rig.said).toEqual(["What was.", "Two."]);
  });

  test("a message of a user that does not fit is sent again after a compaction", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", [{ fail: { error: "too long", type: "context_exceeded" } }], "Sum.", "Two."],
    });
    await rig.turn("First.");
    expect((await rig.turn("Second.")).text).toBe("Two.");
    expect(rig.sent).toEqual(["Second."]);
    expect(rig.said).toEqual(["Sum.", "Two."]);
  });

  test("hooks that an agent makes before an overflow wait for the next message all the same (H7)", async () => {
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

  test("what a hook in the background found goes with the next message", async () => {
    const hookSpecificOutput = { hookEventName: "Stop", additionalContext: "The build is red." };
    const command = `printf %s '${JSON.stringify({ hookSpecificOutput, systemMessage: "Built." })}'`;
    const rig = await SessionRig.open({ stop: [{ command, async: true }] });
    await rig.turn("First.");
    await rig.event("notice", ({ text }) => text === "Built.");
    await rig.turn("Second.");
    expect(rig.sent).toEqual(["First.", "[Stop hook feedback]\nThe build is red.", "Second."]);
  });

  test("a session goes on with the conversation that it finds", async () => {
    const rig = await SessionRig.open({ turns: ["One."] });
    await rig.turn("First.");
    await rig.session.dispose();
    const again = await SessionRig.open({ project: rig.project, turns: ["Two."] });
    await again.turn("Second.");
    expect(again.said).toEqual(["One.", "Two."]);
    const sequences = again.session.messages.map(({ metadata }) => metadata.historySequence);
    expect(sequences).toEqual([0, 1, 2, 3]);
  });

  test("a message that cannot be kept is refused, and handed back", async () => {
    const rig = await SessionRig.open();
    await rm(rig.session.transcriptPath);
    await mkdir(rig.session.transcriptPath);
    const refused = await rig.session.sendMessage("Fix it.");
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: "history" });
    expect(refused._unsafeUnwrapErr().message).toContain(rig.session.transcriptPath);
    expect(await rig.session.idle()).toMatchObject({ finish: "error" });
    expect(rig.all("restore-to-input")).toMatchObject([{ text: "Fix it." }]);
  });

  test("an answer that cannot be kept meets no hooks: they would not find it", async () => {
    const rig = await SessionRig.open({
      turns: [
        [{ bash: "rm ../session/chat.jsonl; mkdir ../session/chat.jsonl" }, { say: "Done." }],
      ],
      stop: [keepsInput],
    });
    await rig.turn();
    expect(rig.all("stream-error")).toHaveLength(1);
    expect(await rig.inputs()).toEqual([]);
  });

  test("a message that cannot be sent again after an overflow is not sent later, unasked", async () => {
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
    ["an edit of nothing", "x", { editMessageId: "user-0" }, "unknownMessage"],
  ])("%s is refused", async (_what, text, options, type) => {
    const rig = await SessionRig.open();
    expect((await rig.session.sendMessage(text, options))._unsafeUnwrapErr().type).toBe(type);
    expect(rig.session.queueMessage(text, options)._unsafeUnwrapErr().type).toBe(type);
  });

  test("there is nothing to retry before the first message, nor while the agent is at work", async () => {
    const rig = await SessionRig.open();
    expect((await rig.session.resumeStream())._unsafeUnwrapErr().type).toBe("unknownMessage");
    const sending = rig.session.sendMessage("First.");
    expect((await rig.session.resumeStream())._unsafeUnwrapErr().type).toBe("busy");
    await sending;
  });

  test("closing a session ends what its hooks left in the background", async () => {
    const command = "exec 9> held; echo > running; sleep 60";
    const rig = await SessionRig.open({ stop: [{ command, async: true }] });
    const { dir } = rig.project;
    const [running, held] = [await makeGate(dir, "running"), await makeGate(dir, "held")];
    const gone = passed(held);
    await rig.turn();
    await passed(running);
    await rig.session.dispose();
    await gone;
  });

  test("a closed session takes nothing more, and may be closed twice", async () => {
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
});
