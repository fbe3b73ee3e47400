/** Sub-agents, whose reports wait for SubagentStop hooks. */
import { expect, test } from "vitest";
import { group } from "@test/helpers/hooks/hookProject";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import type { HostRig } from "@test/host/rig/HostRig";
import type { Host } from "@test/host/rig/hosts";
import type { OpenChat, OpenedChat } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block } from "@test/host/rig/stopHooks";

const PROMPT = "Count the files of this project.";
const TASK = { agentId: "exec", prompt: PROMPT, title: "Count", run_in_background: false };

interface Opened extends OpenedChat {
  /** The Stop hook. `hook` is the SubagentStop hook. */
  readonly stop: SteeredHook;
}

const isChild = ({ opening }: ModelRequest): boolean => opening.includes(PROMPT);

function script(host: Host): Reply[] {
  const report = (text: string): Omit<Reply, "when"> =>
    host.reportsByTool
      ? { tools: [{ name: "agent_report", input: { reportMarkdown: text } }] }
      : { text };
  return [
    { when: (request) => isChild(request) && request.said === "", text: "Reported.", times: 9 },
    ...["one", "two", "three", "four"].map((n) => ({ when: isChild, ...report(`Report ${n}.`) })),
    ...PARENT,
  ];
}

const PARENT: readonly Reply[] = [
  { when: ({ said }) => said === "Say hello", tools: [{ name: "task", input: TASK }] },
  { text: "The files are counted.", times: 9 },
];

/** Returns the reports that the agent got from its sub-agent. */
function delivered({ model }: HostRig): string[] {
  const [request] = model.requests.filter((one) => !isChild(one) && one.said !== "Say hello");
  return request?.body.match(/Report (?:one|two|three|four)\./g) ?? [];
}

/** Returns the prompt and the continuations of the sub-agent. */
function told({ model }: HostRig): string[] {
  return model.requests.filter(isChild).flatMap(({ said }) => (said === "" ? [] : [said]));
}

export function subagents(host: Host, open: OpenChat): void {
  const openWith = async (replies: readonly Reply[]): Promise<Opened> => {
    const [hook, stop] = await Promise.all([SteeredHook.create(), SteeredHook.create()]);
    const events = { Stop: [group([stop.command])], SubagentStop: [group([hook.command])] };
    return { ...(await open(replies, { hooks: events })), hook, stop };
  };

  test("gives the agent only the last report after a continuation, and runs no Stop hooks for it (H28a)", async () => {
    const { rig, chat, hook, stop } = await openWith(script(host));
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
    expect(told(rig)).toEqual([
      expect.stringContaining(PROMPT),
      "[SubagentStop hook requested continuation]\nCount again.",
    ]);
    expect([hook.count, stop.count]).toEqual([2, 1]);
  });

  if (!host.reportsLastWords) return;
  test("sends a sub-agent back that makes no report, and delivers its last message (H28a)", async () => {
    const words = ["one", "two"].map((n) => ({ when: isChild, text: `Report ${n}.` }));
    const { rig, chat, hook, stop } = await openWith([...words, ...PARENT]);
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input.last_assistant_message).toBe("Report one.");
    first.answer(block("Count again."));
    const second = await hook.runs();
    expect(second.input).toMatchObject({
      last_assistant_message: "Report two.",
      stop_hook_active: true,
    });
    second.answer(agree);
    (await stop.runs()).answer(agree);
    await chat.answer();
    expect(delivered(rig)).toEqual(["Report two."]);
    expect(hook.count).toBe(2);
  });
}
