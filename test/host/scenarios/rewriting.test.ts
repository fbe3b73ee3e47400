import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { isAlive } from "@test/helpers/process/processes";
import { wholeHosts } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const replies = [{ text: "One." }, { text: "Two." }, { text: "Three.", times: 9 }];
const again = continuation("More.");

describe.each(wholeHosts)("a user of $name", (host) => {
  const open = shareServer(host);

  test("restarts the count by editing an earlier message (H25)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    const editMessageId = await chat.sent();
    (await hook.runs()).answer(block("More."));
    const second = await hook.runs();
    expect(second.input.stop_hook_active).toBe(true);
    second.answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["One.", "Two."]);
    await chat.send("Say goodbye", { editMessageId });
    for (const stop_hook_active of [false, true, true, true]) {
      const { input, answer } = await hook.runs();
      expect(input.stop_hook_active).toBe(stop_hook_active);
      answer(block("More."));
      expect(await chat.answer()).toBe("Three.");
    }
    expect(rig.model.said).toEqual(["Say hello", again, "Say goodbye", again, again, again]);
    expect(rig.model.requests[2]?.body).not.toContain("Say hello");
  });

  test("ends running hooks by editing an earlier message, and their results are dropped (H22)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    const editMessageId = await chat.sent();
    const run = await hook.runs();
    await chat.send("Say goodbye", { editMessageId });
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Two." });
    answer(block("More."));
    const last = await hook.runs();
    expect(last.input.stop_hook_active).toBe(true);
    last.answer(agree);
    expect([await chat.answer(), await chat.answer(), await chat.answer()]).toEqual([
      "One.",
      "Two.",
      "Three.",
    ]);
    expect(rig.model.said).toEqual(["Say hello", "Say goodbye", again]);
    expect(rig.model.requests[1]?.body).not.toContain("Say hello");
  });

  test("gets hooks again after a retry of a continuation (H25)", async () => {
    const { rig, chat, hook } = await open([
      { text: "One." },
      { text: "A long answer.", until: new Promise(() => undefined) },
      { text: "Three.", times: 9 },
    ]);
    await chat.send("Say hello");
    (await hook.runs()).answer(block("More."));
    await chat.answer();
    await chat.next("stream-delta");
    await chat.interrupt();
    await chat.next("stream-abort");
    await chat.retry();
    // The count continues if the host does not report whether the user requested the retry.
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(!host.looksAfterItself);
    answer(agree);
    await chat.answer();
    expect(hook.count).toBe(2);
    expect(rig.model.requests).toHaveLength(3);
  });
});
