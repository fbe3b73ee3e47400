/** The task tool, which runs sub-agents as sessions of their own. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTask, taskTool } from "@/node/services/tools/task";
import { makeGate } from "@test/helpers/process/processes";
import * as rigs from "@test/helpers/hooks/session";
import { putFile } from "@test/helpers/tempDir";

const noAbort = new AbortController().signal;

async function childTranscripts(rig: rigs.SessionRig) {
  const folder = join(rig.project.session, "subagents");
  return await Promise.all(
    (await readdir(folder)).map((id) => rigs.readTranscript(join(folder, id)))
  );
}

test("runs a sub-agent in the project, with its own transcript", async () => {
  const turns = [[{ write: { path: "found.txt", content: "here" } }, { say: "It is here." }]];
  const rig = await rigs.SessionRig.open({
    turns: [[{ task: { agent: "explore", prompt: "Find it.", turns } }, { say: "Good." }]],
  });
  await rig.turn();
  expect(await rig.project.read("found.txt")).toBe("here");
  const [child] = await childTranscripts(rig);
  expect(child).toMatchObject([
    { role: "user", parts: [{ type: "text", text: "Find it." }] },
    { role: "assistant", metadata: { agentId: "explore", model: "scripted:agent" } },
  ]);
  const parent = await rigs.readTranscript(rig.project.session);
  expect(parent).toHaveLength(2);
  expect(parent[1]?.parts[0]).toMatchObject({
    toolName: "task",
    input: { subagent_type: "explore", prompt: "Find it." },
    output: { status: "completed", agentType: "explore", reportMarkdown: "It is here." },
  });
});

test("gives a sub-agent the model of its parent's turn", async () => {
  const rig = await rigs.SessionRig.open({
    turns: [[{ task: { agent: "explore", prompt: "Find it." } }]],
  });
  await rig.turn("Go.", { model: "other:model", thinkingLevel: "high", mode: "plan" });
  const [child] = await childTranscripts(rig);
  const { metadata } = child!.at(-1)!;
  expect(metadata).toMatchObject({ model: "other:model", thinkingLevel: "high" });
  expect(metadata.mode).toBeUndefined();
});

test("returns an error if a sub-agent fails after its hooks sent it back", async () => {
  const turns = ["A guess.", [{ fail: "the model is gone" }]];
  const rig = await rigs.SessionRig.open({ subagentStop: [rigs.blocks("Look closer.")] });
  const result = await runTask(
    rig.session,
    { subagent_type: "explore", prompt: "Find it." },
    { abortSignal: noAbort, subagentService: rigs.scripted(turns) }
  );
  expect(result).toMatchObject({ success: false });
  expect(result).toHaveProperty("error", "the sub-agent failed: the model is gone");
  expect(await rig.inputs()).toHaveLength(1);
});

test("uses the parent's service if the sub-agent has none of its own", async () => {
  const rig = await rigs.SessionRig.open({ turns: ["From the same script."] });
  const args = { subagent_type: "explore", prompt: "Find it." };
  const result = await runTask(rig.session, args, { abortSignal: noAbort });
  expect(result).toMatchObject({ reportMarkdown: "From the same script." });
});

test("returns an error if the session of a sub-agent cannot be created", async () => {
  const rig = await rigs.SessionRig.open();
  await putFile(join(rig.project.session, "subagents"), "in the way");
  const args = { subagent_type: "explore", prompt: "Find it." };
  const result = await runTask(rig.session, args, { abortSignal: noAbort });
  expect(result).toMatchObject({ success: false });
  expect(result).toHaveProperty("error", expect.stringContaining("could not be started"));
});

test.each([false, true])(
  "starts nothing if it was interrupted before, in the background: %s (H22)",
  async (background) => {
    const rig = await rigs.SessionRig.open({ subagentStop: [rigs.keepsInput] });
    const args = { subagent_type: "explore", prompt: "Find it.", run_in_background: background };
    const result = await runTask(rig.session, args, { abortSignal: AbortSignal.abort() });
    expect(result).toHaveProperty("error", "the sub-agent was interrupted");
    expect(await rig.inputs()).toEqual([]);
  }
);

test("cancels a background task of a closed session at once (H22)", async () => {
  const rig = await rigs.SessionRig.open();
  await rig.session.dispose();
  const task = { id: "task-1", type: "subagent", description: "Find it.", agent_type: "explore" };
  const isCancelled = await new Promise<boolean>((resolve) => {
    rig.session.runInBackground({ ...task, type: "subagent" }, (signal) => {
      resolve(signal.aborted);
      return Promise.resolve("");
    });
  });
  expect(isCancelled).toBe(true);
});

test("rejects invalid input", async () => {
  const rig = await rigs.SessionRig.open();
  const context = { toolCallId: "call-1", abortSignal: noAbort };
  for (const input of [null, {}, { prompt: "x" }, { subagent_type: "", prompt: "x" }]) {
    expect(await taskTool(rig.session).execute(input, context)).toMatchObject({ success: false });
  }
});

test("ends a background sub-agent on the parent's interrupt, without a further message", async () => {
  const task = {
    agent: "exec",
    prompt: "Build it.",
    turns: [[{ bash: "exec 9> held; echo > running; sleep 60" }]],
    background: true,
  };
  const rig = await rigs.SessionRig.open({ turns: [[{ task }, { say: "It builds." }]] });
  const { dir } = rig.project;
  const [running, held] = [await makeGate(dir, "running"), await makeGate(dir, "held")];
  const gone = rigs.passed(held);
  await rig.turn();
  await rigs.passed(running);
  await rig.session.interruptStream();
  await gone;
  await rig.session.idle();
  expect(rig.sent).toEqual(["Do it."]);
});
