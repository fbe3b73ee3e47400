/** A user who edits an earlier message. */
import { expect, test } from "vitest";
import { isAlive } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

const replies = [{ text: "One." }, { text: "Two." }, { text: "Three.", times: 9 }];
const again = continuation("More.");

export function rewriting(open: OpenChat): void {
  test("restarts the count if the user edits an earlier message (H25)", async () => {
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

  test("ends running hooks if the user edits an earlier message, and drops their results (H22)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    const editMessageId = await chat.sent();
    const run = await hook.runs();
    await chat.send("Say goodbye", { editMessageId });
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Two." });
    answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["One.", "Two."]);
    expect(rig.model.said).toEqual(["Say hello", "Say goodbye"]);
    expect(rig.model.requests[1]?.body).not.toContain("Say hello");
  });
}
