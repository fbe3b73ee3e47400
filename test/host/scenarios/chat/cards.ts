/** The cards by which a chat shows hooks and notices. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ChatEvent } from "@test/host/rig/HostServer";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, stopHook } from "@test/host/rig/stopHooks";

const replies = ["One.", "Two."].map((text) => ({ text }));

/** Returns the results of the cards that have ended. */
function results(events: readonly ChatEvent[]): unknown[] {
  return events.filter(({ type }) => type === "tool-call-end").map(({ result }) => result);
}

export function cards(open: OpenChat): void {
  test("shows a running hook, its output and its result as a tool call of the held message (H24)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    const run = await hook.runs();
    const { messageId } = await chat.next("stream-start");
    let card = await chat.next("tool-call-start");
    // The first one is about trust.
    while (card.args?.script.startsWith("Stop hook") !== true) {
      card = await chat.next("tool-call-start");
    }
    const { toolCallId } = card;
    expect(card).toMatchObject({
      messageId,
      toolName: "bash",
      args: { display_name: expect.stringMatching(/^Stop hook: exec 3/) as string },
    });
    run.answer("echo 'test 1 passes'; read -r go <&3; echo 'test 2 fails' >&2; exit 2");
    const output = { toolCallId, text: "test 1 passes\n", isError: false };
    expect(await chat.next("bash-output")).toMatchObject(output);
    expect(chat.events.map(({ type }) => type)).not.toContain("stream-end");
    run.answer("go");
    expect(await chat.next("tool-call-end")).toMatchObject({
      messageId,
      toolCallId,
      result: {
        success: false,
        exitCode: 2,
        output: "test 2 fails",
        error: "the agent was sent back to work",
      },
    });
    expect(await chat.answer()).toBe("One.");

    (await hook.runs()).answer("echo Good.");
    const passed = { success: true, exitCode: 0, output: "Good." };
    expect((await chat.next("tool-call-end")).result).toMatchObject(passed);
    expect(await chat.answer()).toBe("Two.");
    const transcript = await readFile(run.input.transcript_path, "utf8");
    const requests = rig.model.requests.map(({ body }) => body).join("");
    for (const text of [toolCallId!, "test 1 passes"]) {
      expect(transcript).not.toContain(text);
      expect(requests).not.toContain(text);
    }
  });

  test.each(["Escape", "a typed message"])(
    "ends the card of a running hook before the turn, at %s (H22)",
    async (what) => {
      const { chat, hook } = await open(replies);
      await chat.send("Say hello");
      const run = await hook.runs();
      await (what === "Escape" ? chat.interrupt() : chat.send("Wait"));
      await run.gone;
      expect(await chat.answer()).toBe("One.");
      const end = chat.events.findIndex(({ type }) => type === "stream-end");
      expect(results(chat.events.slice(0, end))).toContainEqual(
        expect.objectContaining({ success: false, error: "cancelled" })
      );
      if (what !== "Escape") (await hook.runs()).answer(agree);
    }
  );

  test("shows each notice for the user as a failed tool call (H23)", async () => {
    const settings = stopHook("echo 'no such server' >&2; exit 1", { command: agree });
    const { chat } = await open(replies, settings);
    expect(await chat.ask("Say hello")).toBe("One.");
    const error = expect.stringContaining("exit code 1: no such server") as string;
    expect(results(chat.events)).toContainEqual(expect.objectContaining({ success: false, error }));
  });
}
