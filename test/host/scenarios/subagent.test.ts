import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { group } from "@test/helpers/hooks/hookProject";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import { HostRig } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { distinctHosts, hosts, type Host } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const PROMPT = "Count the files of this project.";

interface Opened {
  readonly rig: HostRig;
  readonly chat: Chat;
  /** The SubagentStop hook. */
  readonly hook: SteeredHook;
  /** The Stop hook. */
  readonly stop: SteeredHook;
}

const hooksOf = (stop: SteeredHook, hook: SteeredHook): object => ({
  hooks: { Stop: [group([stop.command])], SubagentStop: [group([hook.command])] },
});

function script(host: Host): Reply[] {
  const input = { agentId: "exec", prompt: PROMPT, title: "Count", run_in_background: false };
  const report = (text: string): Omit<Reply, "when"> =>
    host.reportsByTool
      ? { tools: [{ name: "agent_report", input: { reportMarkdown: text } }] }
      : { text };
  return [
    { when: (request) => isChild(request) && request.said === "", text: "Reported.", times: 9 },
    { when: isChild, ...report("Report one.") },
    { when: isChild, ...report("Report two.") },
    { when: isChild, ...report("Report three.") },
    { when: isChild, ...report("Report four.") },
    { when: ({ said }) => said === "Say hello", tools: [{ name: "task", input }] },
    { text: "The files are counted.", times: 9 },
  ];
}

function isChild({ opening }: ModelRequest): boolean {
  return opening.includes(PROMPT);
}

/** Returns the reports that the agent got from its sub-agent. */
function delivered({ model }: HostRig): string[] {
  const [request] = model.requests.filter((one) => !isChild(one) && one.said !== "Say hello");
  return request?.body.match(/Report (?:one|two|three|four)\./g) ?? [];
}

/** Returns the prompt and the continuations of the sub-agent. */
function told({ model }: HostRig): string[] {
  return model.requests.filter(isChild).flatMap(({ said }) => (said === "" ? [] : [said]));
}

function continuation(reason: string): string {
  return `[SubagentStop hook requested continuation]\n${reason}`;
}

describe.each(hosts)("sub-agents in $name", (host) => {
  const openChat = shareServer(host);
  const openShared = async (): Promise<Opened> => {
    const [hook, stop] = await Promise.all([SteeredHook.create(), SteeredHook.create()]);
    return { ...(await openChat(script(host), hooksOf(stop, hook))), hook, stop };
  };

  test("gives the agent only the last report after a continuation (H28a)", async () => {
    const { rig, chat, hook, stop } = await openShared();
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
    (await stop.runs()).answer(agree);
    await chat.answer();
    expect(delivered(rig)).toEqual(["Report two."]);
    expect(told(rig)).toEqual([expect.stringContaining(PROMPT), continuation("Count again.")]);
    expect(hook.count).toBe(2);
  });

  // The bundle has the code of another host.
  if (!distinctHosts.includes(host)) return;

  test("delivers a report on which hooks agree, and runs no Stop hooks for it (H28a)", async () => {
    const { rig, chat, hook, stop } = await openShared();
    await chat.send("Say hello");
    (await hook.runs()).answer(agree);
    const { input, answer } = await stop.runs();
    expect(input.session_id).toBe(chat.workspaceId);
    expect(delivered(rig)).toEqual(["Report one."]);
    answer(agree);
    await chat.answer();
    expect([hook.count, stop.count]).toEqual([1, 1]);
  });

  test("delivers the report after three blocks of a hook that always blocks (H26, H28a)", async () => {
    const { rig, chat, hook, stop } = await openShared();
    await chat.send("Say hello");
    for (let i = 0; i < 4; i++) (await hook.runs()).answer(block("Never."));
    (await stop.runs()).answer(agree);
    await chat.answer();
    expect(delivered(rig)).toEqual(["Report four."]);
    expect(hook.count).toBe(4);
  });

  test("ends the hook without a continuation if the user stops the agent (H22)", async () => {
    const { rig, chat, hook, stop } = await openShared();
    await chat.send("Say hello");
    const run = await hook.runs();
    await chat.interrupt();
    await run.gone;
    await chat.next("stream-abort");
    await chat.send("Thank you");
    (await stop.runs()).answer(agree);
    await chat.answer();
    expect(told(rig)).toEqual([expect.stringContaining(PROMPT)]);
  });
});

interface Silent {
  readonly rig: HostRig;
  readonly chat: Chat;
  readonly hook: SteeredHook;
}

/** Opens a chat whose sub-agent ends its turns without a report. */
async function openSilent(host: Host): Promise<Silent> {
  const hook = await SteeredHook.create();
  const settings = { hooks: { SubagentStop: [group([hook.command])] } };
  const input = { agentId: "exec", prompt: PROMPT, title: "Count", run_in_background: false };
  const rig = await HostRig.create(host, {
    settings,
    replies: [
      { when: isAfterHook, text: "There are seven." },
      { when: isChild, text: "There are six.", times: 9 },
      { when: ({ said }) => said === "Say hello", tools: [{ name: "task", input }] },
      { text: "The files are counted.", times: 9 },
    ],
  });
  const server = await HostServer.start(rig);
  return { rig, hook, chat: await server.openChat() };
}

function isAfterHook(request: ModelRequest): boolean {
  return isChild(request) && request.said.includes("Count again.");
}

/** Returns the sub-agent's messages that the agent got. */
function lastWords({ model }: HostRig): string[] {
  const [request] = model.requests.filter((one) => !isChild(one) && one.said !== "Say hello");
  return request?.body.match(/There are (?:six|seven)\./g) ?? [];
}

const silent = hosts.filter(({ reportsLastWords }) => reportsLastWords);

describe.each(silent)("a sub-agent in $name that makes no report", (host) => {
  test("is sent back by hooks, and its last message is delivered (H28a)", async () => {
    const { rig, chat, hook } = await openSilent(host);
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input).toMatchObject({
      hook_event_name: "SubagentStop",
      last_assistant_message: "There are six.",
      stop_hook_active: false,
    });
    first.answer(block("Count again."));
    const second = await hook.runs();
    expect(second.input).toMatchObject({
      last_assistant_message: "There are seven.",
      stop_hook_active: true,
    });
    second.answer(agree);
    await chat.answer();
    expect(lastWords(rig)).toEqual(["There are seven."]);
    expect(hook.count).toBe(2);
  });
});
