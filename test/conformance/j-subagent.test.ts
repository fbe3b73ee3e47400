/** Conformance, section J: SubagentStop. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { says } from "@test/helpers/hooks/hookProject";
import { makeGate } from "@test/helpers/process/processes";
import { blocks, keepsInput, readTranscript, SessionRig } from "@test/helpers/hooks/session";
import { isRemote, whereHooksFind } from "@test/helpers/remote/testRuntime";

const HEADING = "[SubagentStop hook requested continuation]";
const done = { say: "The parent is done." };

const task = (agent: string, ...turns: unknown[]) => ({ agent, prompt: "Look around.", turns });
const explore = (...turns: unknown[]) => ({ task: task("explore", ...turns) });

/** Returns the results of the parent's tool calls, in the order in which they ended. */
function results(rig: SessionRig): unknown[] {
  return rig.all("tool-call-end").map(({ result }) => result);
}

/** Returns the messages that the only sub-agent received. */
async function sentToChild(rig: SessionRig): Promise<string[]> {
  const folder = join(rig.project.session, "subagents");
  const [taskId] = await readdir(folder);
  const rows = await readTranscript(join(folder, taskId!));
  return rows
    .filter(({ role }) => role === "user")
    .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

/** Interrupts the parent while a program holds a pipe open, and waits for the end of that program. */
async function interruptWhileHeld(rig: SessionRig): Promise<void> {
  const { gone } = await rig.sendUntilHeld();
  await rig.session.interruptStream();
  expect(await rig.session.idle()).toMatchObject({ finish: "interrupted" });
  await gone;
}

test("case 147: sends a block to the sub-agent, while its parent waits and does not see it", async () => {
  const rig = await SessionRig.open({
    turns: [[explore("A guess.", "What I found."), done]],
    subagentStop: [blocks("Look closer.", 1)],
  });
  await rig.turn("Fix it.");
  expect(await sentToChild(rig)).toEqual(["Look around.", `${HEADING}\nLook closer.`]);
  expect(results(rig)).toMatchObject([{ status: "completed", reportMarkdown: "What I found." }]);
  expect(rig.sent).toEqual(["Fix it."]);
  expect(JSON.stringify(rig.session.messages)).not.toContain("Look closer.");
});

test("case 148: the input identifies the sub-agent and its parent, whose session and transcript the claude dialect has", async () => {
  const claude = 'cat >> "$MUX_PROJECT_DIR/claude.jsonl"';
  const rig = await SessionRig.open({
    turns: [[explore("Nothing here."), done]],
    subagentStop: [keepsInput, { command: claude, dialect: "claude" }],
  });
  await rig.turn();
  const [input] = await rig.inputs();
  const id = input!.session_id as string;
  const transcript = whereHooksFind(join(rig.project.session, "subagents", id, "chat.jsonl"));
  expect(input).toMatchObject({
    hook_event_name: "SubagentStop",
    agent_id: id,
    agent_type: "explore",
    transcript_path: transcript,
    agent_transcript_path: transcript,
    parent_session_id: "workspace-1",
    parent_transcript_path: whereHooksFind(rig.session.transcriptPath),
    last_assistant_message: "Nothing here.",
  });
  const other = JSON.parse(await rig.project.read("claude.jsonl")) as Record<string, string>;
  expect(other).toMatchObject({ session_id: "workspace-1", agent_type: "explore", agent_id: id });
  if (!isRemote) expect(other.transcript_path).toContain(rig.project.session);
  expect(other.agent_transcript_path).not.toBe(other.transcript_path);
});

test("case 146, 149: runs SubagentStop hooks when a sub-agent is done, never Stop hooks, with the permission mode of each", async () => {
  const tell = `echo "$MUX_HOOK_EVENT $MUX_SESSION_ID" >> events; ${keepsInput}`;
  const rig = await SessionRig.open({
    turns: [[{ task: task("plan", "A plan.") }, { task: task("exec", "Did it.") }, done]],
    stop: [tell],
    subagentStop: [tell],
  });
  await rig.turn("Fix it.", { mode: "plan" });
  expect(await rig.project.read("events")).toMatch(
    /^(SubagentStop task-\w+\n){2}Stop workspace-1\n$/
  );
  const modes = (await rig.inputs()).map((input) => [input.agent_type, input.permission_mode]);
  expect(modes).toEqual([
    ["plan", "plan"],
    ["exec", "default"],
    [undefined, "plan"],
  ]);
});

test("case 150: each sub-agent has its own counter and flag", async () => {
  const rig = await SessionRig.open({
    turns: [[explore("A.", "B."), explore("C.", "D."), done]],
    stop: [keepsInput],
    subagentStop: [blocks("Look closer.", 1)],
  });
  await rig.turn();
  const flags = (await rig.inputs()).map((input) => input.stop_hook_active);
  expect(flags).toEqual([false, true, false, true, false]);
  expect(rig.session.stopHookActive).toBe(false);
});

test("case 150: a message of the parent resets a sub-agent's count (H28a)", async () => {
  const rig = await SessionRig.open({ subagentStop: [blocks("Look closer.", 1)] });
  const child = (await rig.session.openSubagent({ agentType: "explore" }))._unsafeUnwrap();
  for (const prompt of ["Look around.", "Look there, too."]) {
    await child.sendMessage(prompt);
    await child.idle();
  }
  await child.dispose();
  const flags = (await rig.inputs()).map((input) => input.stop_hook_active);
  expect(flags).toEqual([false, true, false, true]);
});

test("case 151: delivers the report at the limit", async () => {
  const rig = await SessionRig.open({
    turns: [[explore("1.", "2.", "3.", "4.", "5."), done]],
    subagentStop: [blocks("Never enough.")],
  });
  await rig.turn();
  expect(results(rig)).toMatchObject([{ status: "completed", reportMarkdown: "4." }]);
  expect(rig.notices.join("\n")).toContain("Never enough.");
});

test.each([
  ["failed", [{ fail: "the model is gone" }], "the model is gone"],
  ["reached the length limit", [{ say: "I" }, { finish: "length" }], "length limit"],
  ["was refused", [{ finish: "refusal" }], "refused"],
  ["asked a question", [{ ask: "Which one?" }], "question"],
])(
  "case 152: runs no hooks for a sub-agent that %s, and reports it to the parent",
  async (_what, turn, why) => {
    const rig = await SessionRig.open({
      turns: [[explore(turn), done]],
      subagentStop: [blocks("Look closer.")],
    });
    expect((await rig.turn()).text).toBe("The parent is done.");
    expect(await rig.inputs()).toEqual([]);
    const [result] = results(rig) as { success: boolean; error: string }[];
    expect(result!.success).toBe(false);
    expect(result!.error).toContain(why);
  }
);

test("case 152: runs no hooks for a sub-agent that is interrupted with its parent", async () => {
  const rig = await SessionRig.open({
    turns: [[explore([{ bash: "exec 9> held; echo > running; sleep 60" }]), done]],
    subagentStop: [keepsInput],
  });
  await interruptWhileHeld(rig);
  expect(await rig.inputs()).toEqual([]);
  expect(rig.said).toEqual([""]);
});

test("case 153: an interrupt of the parent ends a sub-agent's hooks", async () => {
  const rig = await SessionRig.open({
    turns: [[explore("Nothing here.", "Never said."), done]],
    subagentStop: [blocks("Look closer."), "exec 9> held; echo > running; sleep 60"],
  });
  await interruptWhileHeld(rig);
  expect(await sentToChild(rig)).toEqual(["Look around."]);
});

test("case 154: continue: false ends only the sub-agent", async () => {
  const rig = await SessionRig.open({
    turns: [[explore("Nothing here.", "Never said."), { bash: "echo on > went" }, done]],
    subagentStop: [says({ continue: false, stopReason: "Enough." }), blocks("Look closer.")],
  });
  expect((await rig.turn()).text).toBe("The parent is done.");
  expect(results(rig)).toMatchObject([{ reportMarkdown: "Nothing here." }, { success: true }]);
  expect(await rig.project.read("went")).toBe("on\n");
  expect(rig.notices).toContain("Enough.");
});

test("case 155: runs hooks on a sub-agent's own report before the parent receives it", async () => {
  const rig = await SessionRig.open({
    turns: [
      [explore([{ report: "One." }, { say: "I have reported." }], [{ report: "Two." }]), done],
    ],
    subagentStop: [blocks("Say more.", 1)],
  });
  await rig.turn();
  const reports = (await rig.inputs()).map((input) => input.last_assistant_message);
  expect(reports).toEqual(["One.", "Two."]);
  expect(results(rig)).toMatchObject([{ reportMarkdown: "Two." }]);
});

test("case 156: parallel sub-agents do not wait for each other's hooks", async () => {
  // Each hook opens the pipe of the other, so both have to run at the same time.
  const rig = await SessionRig.open({
    turns: [[{ task: [task("left", "L."), task("right", "R.")] }, done]],
    subagentStop: [
      `input=$(tee -a inputs.jsonl); case $input in *left*) echo > a; read -r _ < b ;; *) read -r _ < a; echo > b ;; esac`,
    ],
  });
  await makeGate(rig.project.dir, "a");
  await makeGate(rig.project.dir, "b");
  await rig.turn();
  const types = (await rig.inputs()).map((input) => input.agent_type);
  expect(types.sort()).toEqual(["left", "right"]);
  expect(results(rig)).toHaveLength(2);
});

test("case 156: runs hooks once for a nested sub-agent as well", async () => {
  const inner = [{ task: task("inner", "Deep.") }, { say: "Found it." }];
  const rig = await SessionRig.open({
    turns: [[explore(inner), done]],
    subagentStop: [keepsInput],
  });
  await rig.turn();
  const inputs = await rig.inputs();
  expect(inputs.map((input) => input.agent_type)).toEqual(["inner", "explore"]);
  expect(inputs[0]!.parent_session_id).toBe(inputs[1]!.agent_id);
  expect(results(rig)).toMatchObject([{ reportMarkdown: "Found it." }]);
});

test("case 157: reports a background sub-agent to the parent's hooks, and its end to the parent", async () => {
  const builds = {
    ...task("exec", [{ bash: "read -r _ < go" }, { say: "Built." }]),
    ...{ prompt: "Build it.\nAll of it.", background: true },
  };
  const rig = await SessionRig.open({
    turns: [[{ task: builds }, { say: "It builds." }], "Good."],
    stop: [keepsInput],
  });
  const go = await makeGate(rig.project.dir, "go");
  await rig.turn();
  const [first] = await rig.inputs();
  expect(first!.background_tasks).toMatchObject([
    { type: "subagent", status: "running", description: "Build it.", agent_type: "exec" },
  ]);

  await go.open();
  await rig.event("stream-end", ({ metadata }) => metadata.historySequence === 3);
  await rig.session.idle();
  expect(rig.sent[1]).toMatch(/^\[Background task task-\w+ ended\]\nBuilt\.$/);
  const second = (await rig.inputs())[1];
  expect(second).toMatchObject({ background_tasks: [], last_assistant_message: "Good." });
});

test("case 158: runs no hooks for an internal agent or for a sub-agent's compaction", async () => {
  const helper = await SessionRig.open({
    turns: ["A title."],
    stop: [keepsInput],
    options: { internalAgent: true },
  });
  await helper.turn();
  expect(await helper.inputs()).toEqual([]);

  const tooLong = [{ fail: { error: "too long", type: "context_exceeded" } }];
  const rig = await SessionRig.open({
    turns: [[explore(tooLong, "The summary.", "Found it."), done]],
    subagentStop: [keepsInput],
  });
  await rig.turn();
  const answers = (await rig.inputs()).map((input) => input.last_assistant_message);
  expect(answers).toEqual(["Found it."]);
});
