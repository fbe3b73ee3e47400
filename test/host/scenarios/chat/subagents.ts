/** Sub-agents, whose reports wait for SubagentStop hooks, and an agent that delegates work to another workspace. */
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { group } from "@test/helpers/hooks/hookProject";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import type { HostRig } from "@test/host/rig/HostRig";
import type { Host } from "@test/host/rig/hosts";
import type { OpenChat } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

const PROMPT = "Count the files of this project.";
const TASK = { prompt: PROMPT, title: "Count", run_in_background: false };

/** Returns whether a request is that of the other agent. */
const isOther = ({ opening }: ModelRequest): boolean => opening.includes(PROMPT);

/** @param order a part of the message for which the agent calls its tool for tasks */
function script(
  order: string,
  task: object,
  report = (text: string): Reply => ({ text })
): Reply[] {
  const input = { ...TASK, ...task };
  return [
    { when: (request) => isOther(request) && request.said === "", text: "Reported.", times: 9 },
    { ...report("Report one."), when: isOther },
    { ...report("Report two."), when: isOther },
    { when: ({ said }) => said.includes(order), tools: [{ name: "task", input }] },
    { text: "That is all.", times: 9 },
  ];
}

/** Returns the reports that the agent got from the other one. */
function delivered({ model }: HostRig): string[] {
  const [after] = model.requests.filter((one) => !isOther(one) && one.said === "");
  // The real host puts each streamed piece on a separate line.
  return after?.body.replaceAll(/ \\+n/g, " ").match(/Report (?:one|two)\./g) ?? [];
}

export function subagents(host: Host, open: OpenChat): void {
  test("gives the agent only the last report after a continuation, and runs no Stop hooks for it (H28a)", async () => {
    const [hook, stop] = await Promise.all([SteeredHook.create(), SteeredHook.create()]);
    const hooks = { Stop: [group([stop.command])], SubagentStop: [group([hook.command])] };
    const byTool = (reportMarkdown: string): Reply => ({
      tools: [{ name: "agent_report", input: { reportMarkdown } }],
    });
    const report = host.reportsByTool ? byTool : undefined;
    const { rig, chat } = await open(script("Say hello", { agentId: "exec" }, report), { hooks });
    await chat.send("Say hello");
    const run = await hook.runs();
    expect(run.input).toMatchObject({
      hook_event_name: "SubagentStop",
      agent_type: "exec",
      parent_session_id: chat.workspaceId,
      last_assistant_message: "Report one.",
      stop_hook_active: false,
    });
    run.answer(block("Count again."));
    const again = await hook.runs();
    expect(again.input).toMatchObject({
      last_assistant_message: "Report two.",
      stop_hook_active: true,
    });
    again.answer(agree);
    const { input, answer } = await stop.runs();
    expect(input.session_id).toBe(chat.workspaceId);
    expect(delivered(rig)).toEqual(["Report two."]);
    answer(agree);
    await chat.answer();
    expect(rig.model.requests.filter(isOther).flatMap(({ said }) => said || [])).toEqual([
      expect.stringContaining(PROMPT),
      "[SubagentStop hook requested continuation]\nCount again.",
    ]);
    expect([hook.count, stop.count]).toEqual([2, 1]);
  });
}

export function delegation(open: OpenChat): void {
  test("gives the agent the report of the turn on which Stop hooks agreed (H28)", async () => {
    const { rig, chat, hook } = await open(script("Say hello", { kind: "workspace" }));
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input).toMatchObject({
      last_assistant_message: "Report one.",
      stop_hook_active: false,
    });
    expect(first.input.session_id).not.toBe(chat.workspaceId);
    first.answer(block("Count again."));
    const second = await hook.runs();
    expect(second.input).toMatchObject({
      last_assistant_message: "Report two.",
      stop_hook_active: true,
    });
    second.answer(agree);
    const { input, answer } = await hook.runs();
    expect(input.session_id).toBe(chat.workspaceId);
    answer(agree);
    await chat.answer();
    expect(delivered(rig)).toEqual(["Report two."]);
    expect(rig.model.said).toContain(continuation("Count again."));
  });

  test("keeps the hooks of the user's turn for the other workspace (H7)", async () => {
    const { rig, chat, hook } = await open(script("Delegate.", { kind: "workspace" }));
    await chat.send("Say hello");
    const first = await hook.runs();
    await rm(rig.path(".mux"), { recursive: true });
    first.answer(block("Delegate."));
    const { input, answer } = await hook.runs();
    expect(input.last_assistant_message).toBe("Report one.");
    answer(agree);
    (await hook.runs()).answer(agree);
    expect(delivered(rig)).toEqual(["Report one."]);
  });
}
