import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { distinctHosts } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { agree, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two."].map((text) => ({ text }));

describe.each(distinctHosts)("the chat of $name", (host) => {
  const openShared = shareServer(host, "the user's");

  test("shows a running hook, its output and its result as a tool call of the held message (H24)", async () => {
    const { rig, chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    const run = await hook.runs();
    const { messageId } = await chat.next("stream-start");
    const card = await chat.next("tool-call-start");
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
    expect((await chat.next("tool-call-end")).result).toMatchObject({
      success: true,
      exitCode: 0,
      output: "Good.",
    });
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
      const { chat, hook } = await openShared(replies);
      await chat.send("Say hello");
      const run = await hook.runs();
      await (what === "Escape" ? chat.interrupt() : chat.send("Wait"));
      await run.gone;
      expect(await chat.answer()).toBe("One.");
      const before = chat.events.slice(
        0,
        chat.events.findIndex(({ type }) => type === "stream-end")
      );
      const ends = before.filter(({ type }) => type === "tool-call-end");
      expect(ends.map(({ result }) => result)).toContainEqual(
        expect.objectContaining({ success: false, error: "cancelled" })
      );
      if (what !== "Escape") (await hook.runs()).answer(agree);
    }
  );

  test("shows each notice for the user as a failed tool call (H23)", async () => {
    const settings = stopHook("echo 'no such server' >&2; exit 1", { command: agree });
    const { chat } = await openShared(replies, settings);
    expect(await chat.ask("Say hello")).toBe("One.");
    const ends = chat.events.filter(({ type }) => type === "tool-call-end");
    expect(ends.map(({ result }) => result)).toContainEqual(
      expect.objectContaining({
        success: false,
        error: expect.stringContaining("exit code 1: no such server") as string,
      })
    );
  });
});
