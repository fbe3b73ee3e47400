import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { compact, sumsUp } from "@test/host/rig/compaction";
import type { HostRig } from "@test/host/rig/HostRig";
import { wholeHosts } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import type { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const SUMMARY = "A user said hello, and the agent was told to go on.";

/** Blocks every run. @returns `stop_hook_active` of each run */
async function blockAll(hook: SteeredHook, times: number): Promise<boolean[]> {
  const told: boolean[] = [];
  for (let i = 0; i < times; i++) {
    const { input, answer } = await hook.runs();
    told.push(input.stop_hook_active);
    answer(block("Never."));
  }
  return told;
}

/** Returns the kind of each model request. */
function kinds({ model }: HostRig): string[] {
  return model.requests.flatMap((request) => {
    if (sumsUp(request)) return ["summary"];
    if (request.said.includes(continuation("Never."))) return ["continuation"];
    return request.said === "" ? [] : [request.said.includes("Continue") ? "resumed" : "user"];
  });
}

describe.each(wholeHosts)("compaction in $name", (host) => {
  const open = shareServer(host);

  const busy = {
    name: "bash",
    input: { script: "true", timeout_secs: 10, display_name: "look", run_in_background: false },
  };

  test("runs no hooks and keeps the count during a task (H27, H28)", async () => {
    let finish = (): void => undefined;
    const until = new Promise<void>((resolve) => (finish = resolve));
    const { rig, chat, hook } = await open([
      { when: sumsUp, text: SUMMARY, times: 9 },
      { text: "One." },
      { when: ({ said }) => said.includes("Never."), text: "Two three.", until },
      { text: "More.", times: 9 },
    ]);
    await chat.send("Say hello");
    expect(await blockAll(hook, 1)).toEqual([false]);
    await chat.answer();
    await chat.next("stream-delta");
    await compact(chat, "Continue");
    finish();
    // The resumed turn and two continuations. The last one is at the limit and is not sent back.
    expect(await blockAll(hook, 3)).toEqual([true, true, true]);
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    expect(hook.count).toBe(5);
    expect(kinds(rig)).toEqual([
      "user",
      "continuation",
      "summary",
      "resumed",
      "continuation",
      "continuation",
      "user",
    ]);
  });

  test("starts a new count if it continues with a user message (H25)", async () => {
    const { chat, hook } = await open([
      { when: sumsUp, text: SUMMARY, times: 9 },
      { text: "More.", times: 9 },
    ]);
    await chat.send("Say hello");
    expect(await blockAll(hook, 1)).toEqual([false]);
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

  if (host.looksAfterItself) {
    test("keeps the count if the host starts it during a continuation (H27, H28)", async () => {
      const { rig, hook, chat } = await open([
        { when: sumsUp, text: SUMMARY, times: 9 },
        { text: "One." },
        // Most of the context window.
        { when: ({ said }) => said.includes("Never."), tools: [busy], tokens: 990_000 },
        { when: ({ said }) => said === "", text: "Cut off.", until: new Promise(() => undefined) },
        { text: "More.", times: 9 },
      ]);
      await chat.send("Say hello");
      expect(await blockAll(hook, 1)).toEqual([false]);
      expect(await blockAll(hook, 3)).toEqual([true, true, true]);
      await chat.send("Thank you");
      (await hook.runs()).answer(agree);
      expect(hook.count).toBe(5);
      expect(kinds(rig).slice(0, 6)).toEqual([
        "user",
        "continuation",
        "summary",
        "resumed",
        "continuation",
        "continuation",
      ]);
    });

    test("runs no hooks if the host starts it before a continuation (H27, H28)", async () => {
      const { rig, hook, chat } = await open([
        { when: sumsUp, text: SUMMARY, times: 9 },
        { text: "One.", tokens: 145_000 },
        { text: "More.", times: 9 },
      ]);
      await chat.send("Say hello");
      expect(await blockAll(hook, 1)).toEqual([false]);
      expect(await blockAll(hook, 3)).toEqual([true, true, true]);
      await chat.send("Thank you");
      (await hook.runs()).answer(agree);
      expect(hook.count).toBe(5);
      expect(kinds(rig).slice(0, 5)).toEqual([
        "user",
        "summary",
        "continuation",
        "continuation",
        "continuation",
      ]);
    });
  }
});
