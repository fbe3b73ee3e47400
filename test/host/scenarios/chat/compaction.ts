/** Compactions of the history, which are no turns of the user. */
import { expect, test } from "vitest";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import { MODEL } from "@test/host/rig/HostRig";
import type { Chat } from "@test/host/rig/HostServer";
import type { Host } from "@test/host/rig/hosts";
import type { OpenChat, OpenedChat } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";
import { latch } from "@test/helpers/soon";

/** A text that the prompts of hosts that request a summary contain as well. */
const SUM_UP = "Summarize this conversation";
const sumsUp = ({ said }: ModelRequest): boolean => said.includes(SUM_UP);
const SUMMARY: Reply = {
  when: sumsUp,
  text: "A user said hello, and the agent was told to go on.",
  times: 9,
};
const MORE: Reply = { text: "More.", times: 9 };
const busy = {
  name: "bash",
  input: { script: "true", timeout_secs: 10, display_name: "look", run_in_background: false },
};

/** Requests a compaction, as a user interface does. @param text the message after it; `Continue` resumes the task */
async function compact(chat: Chat, text: string): Promise<void> {
  const next = { text, model: MODEL, agentId: "exec" };
  // The first name is that of newer hosts, the second that of older ones.
  const parsed = { followUpContent: next, continueMessage: next };
  const muxMetadata = { type: "compaction-request", rawCommand: "/compact", parsed };
  await chat.send(SUM_UP, { agentId: "compact", mode: "compact", muxMetadata });
}

/** Blocks every run. @returns `stop_hook_active` of each run */
async function blockAll({ hook }: OpenedChat, times: number): Promise<boolean[]> {
  const told: boolean[] = [];
  for (let i = 0; i < times; i++) {
    const { input, answer } = await hook.runs();
    told.push(input.stop_hook_active);
    answer(block("Never."));
  }
  return told;
}

/** Expects two continuations after a continuation, and that a message of the user begins a new count. */
async function expectToGoOn(opened: OpenedChat): Promise<void> {
  // The last one is at the limit and is not sent back.
  expect(await blockAll(opened, 3)).toEqual([true, true, true]);
  await opened.chat.send("Thank you");
  (await opened.hook.runs()).answer(agree);
  expect(opened.hook.count).toBe(5);
}

/** Returns the kind of each model request. */
function kinds({ rig }: OpenedChat): string[] {
  return rig.model.requests.flatMap((request) => {
    if (sumsUp(request)) return ["summary"];
    if (request.said.includes(continuation("Never."))) return ["continuation"];
    return request.said === "" ? [] : [request.said.includes("Continue") ? "resumed" : "user"];
  });
}

const RESUMED = ["user", "continuation", "summary", "resumed", "continuation", "continuation"];

export function compaction(host: Host, open: OpenChat): void {
  test("runs no hooks for a compaction during a task, and keeps the count (H27, H28)", async () => {
    const { opened: until, open: finish } = latch();
    const opened = await open([
      SUMMARY,
      { text: "One." },
      { when: ({ said }) => said.includes("Never."), text: "Two three.", until },
      MORE,
    ]);
    const { chat } = opened;
    await chat.send("Say hello");
    expect(await blockAll(opened, 1)).toEqual([false]);
    await chat.answer();
    await chat.next("stream-delta");
    await compact(chat, "Continue");
    finish();
    await expectToGoOn(opened);
    expect(kinds(opened)).toEqual([...RESUMED, "user"]);
  });

  test("starts a new count if a compaction continues with a user message (H25)", async () => {
    const { chat, hook } = await open([SUMMARY, MORE]);
    await chat.send("Say hello");
    (await hook.runs()).answer(block("Never."));
    const again = await hook.runs();
    expect(again.input.stop_hook_active).toBe(true);
    again.answer(agree);
    await chat.answer();
    await chat.answer();
    await compact(chat, "Thank you");
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(false);
    answer(agree);
    expect(hook.count).toBe(3);
  });

  if (!host.looksAfterItself) return;
  test.each<[string, readonly Reply[], readonly string[]]>([
    [
      "during a continuation",
      [
        { text: "One." },
        // Most of the context window.
        { when: ({ said }) => said.includes("Never."), tools: [busy], tokens: 990_000 },
        { when: ({ said }) => said === "", text: "Cut off.", until: new Promise(() => undefined) },
      ],
      RESUMED,
    ],
    [
      "before a continuation",
      [{ text: "One.", tokens: 145_000 }],
      ["user", "summary", "continuation", "continuation", "continuation"],
    ],
  ])("keeps the count if the host starts a compaction %s (H27, H28)", async (_, replies, begun) => {
    const opened = await open([SUMMARY, ...replies, MORE]);
    await opened.chat.send("Say hello");
    expect(await blockAll(opened, 1)).toEqual([false]);
    await expectToGoOn(opened);
    expect(kinds(opened).slice(0, begun.length)).toEqual(begun);
  });
}
