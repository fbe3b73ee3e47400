import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import { HostRig } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { distinctHosts, hosts, type Host } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const PROMPT = "Count the files of this project.";

interface Opened {
  readonly rig: HostRig;
  readonly chat: Chat;
  readonly hook: SteeredHook;
}

/** Opens a chat whose agent delegates counting files to another workspace when a message contains `order`. */
async function open(host: Host, order = "Say hello"): Promise<Opened> {
  const hook = await SteeredHook.create();
  const input = { kind: "workspace", prompt: PROMPT, title: "Count", run_in_background: false };
  const replies: Reply[] = [
    { when: isDelegated, text: "Report one." },
    { when: isDelegated, text: "Report two." },
    { when: ({ said }) => said.includes(order), tools: [{ name: "task", input }] },
    { text: "That is all.", times: 9 },
  ];
  const rig = await HostRig.create(host, { replies, settings: stopHook(hook.command) });
  const server = await HostServer.start(rig);
  return { rig, hook, chat: await server.openChat() };
}

function isDelegated({ opening }: ModelRequest): boolean {
  return opening.includes(PROMPT);
}

/** Returns the reports that the agent got from the other workspace. */
function delivered({ model }: HostRig): string[] {
  const after = model.requests.filter((one) => !isDelegated(one) && one.said === "");
  // The real host puts each streamed piece on a separate line.
  const body = after[0]?.body.replaceAll(/ \\+n/g, " ") ?? "";
  return body.match(/Report (?:one|two)\./g) ?? [];
}

describe.each(hosts.filter(({ delegates }) => delegates))("delegation in $name", (host) => {
  test("gives the agent the report of the turn on which Stop hooks agreed (H28)", async () => {
    const { rig, chat, hook } = await open(host);
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

  // The bundle has the code of another host.
  if (!distinctHosts.includes(host)) return;

  test("keeps the hooks of the user's turn for the other workspace (H7)", async () => {
    const { rig, chat, hook } = await open(host, "Delegate.");
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
});
