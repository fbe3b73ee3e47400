/** Turns of a user, and how each of them can end. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import type { ModelRequest } from "@test/host/model/ScriptedModel";
import type { Chat } from "@test/host/rig/HostServer";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { putFile } from "@test/helpers/tempDir";

const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));

const PLAN = {
  agentId: "plan",
  mode: "plan",
  model: "anthropic:claude-opus-4-1",
  thinkingLevel: "low",
};

/** Returns the model, the thinking and the tools of a request, which depend on the options of a turn. */
function optionsOf(request: ModelRequest | undefined): object {
  const { model, thinking, tools } = JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
  return { model, thinking, tools: (tools as { name: string }[]).map(({ name }) => name).sort() };
}

/** Counts the cards of cancelled hooks that ended before the last turn did. */
function cancelledCards({ events }: Chat): number {
  const ended = events.slice(
    0,
    events.findLastIndex(({ type }) => type === "stream-end")
  );
  return ended.filter(({ result }) => JSON.stringify(result ?? "").includes('"cancelled"')).length;
}

export function turns(open: OpenChat): void {
  test("sends the finding of a background hook with the next message (H41)", async () => {
    const settings = stopHook({ command: block("Two tests fail."), asyncRewake: true });
    const { rig, chat } = await open(replies, settings);
    expect(await chat.ask("Say hello")).toBe("One.");
    await expectSoon(() => rig.stderr).toContain("found a problem");
    expect(await chat.ask("Thank you")).toBe("Two.");
    expect(await chat.ask("Good")).toBe("Three.");
    const [, second, third] = rig.model.said;
    expect(second).toBe("Thank you\n\n[Stop hook feedback]\nTwo tests fail.");
    expect(third).toMatch(/^Good/);
  });

  test("hides the end of the turn until the hooks have ended, and passes it to them (H13)", async () => {
    const { rig, chat, hook } = await open([{ text: "All is done now." }]);
    await chat.send("Say hello", { thinkingLevel: "medium" });
    const { input, answer } = await hook.runs();
    expect(chat.events.map(({ type }) => type)).not.toContain("stream-end");
    expect(input).toMatchObject({
      prompt_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      model: expect.stringContaining("claude-sonnet-4-5") as string,
      effort: { level: "medium" },
      session_id: chat.workspaceId,
      cwd: rig.project,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "All is done now.",
    });
    const rows = (await readFile(input.transcript_path, "utf8")).trim().split("\n");
    expect(rows.at(-1)).toContain('"role":"assistant"');
    answer(agree);
    expect(await chat.answer()).toBe("All is done now.");
  });

  test("stops after three blocks of a hook that always blocks, and marks its continuations (H25, H26, H27)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    for (const [i, { text }] of replies.slice(0, 4).entries()) {
      const { input, answer } = await hook.runs();
      expect(input.stop_hook_active).toBe(i > 0);
      const rows = (await readFile(input.transcript_path, "utf8")).trim().split("\n");
      expect(rows.filter((row) => row.includes('"stopHookActive":true'))).toHaveLength(i);
      answer(block("Never."));
      expect(await chat.answer()).toBe(text);
    }
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    await chat.answer();
    const again = continuation("Never.");
    expect(rig.model.said).toEqual(["Say hello", again, again, again, "Thank you"]);
  });

  test("ends a hook if the user stops the agent, or types a message, which is sent (H22, H28)", async () => {
    const { rig, chat, hook } = await open(replies);
    await chat.send("Say hello");
    const stopped = await hook.runs();
    await chat.interrupt();
    expect(await chat.answer()).toBe("One.");
    await stopped.gone;
    await expectSoon(() => isAlive(stopped.pid)).toBe(false);
    expect(cancelledCards(chat)).toBe(1);

    await chat.send("Thank you");
    const run = await hook.runs();
    await chat.send("One more thing");
    expect(await chat.answer()).toBe("Two.");
    await run.gone;
    expect(cancelledCards(chat)).toBe(2);
    expect(rig.stderr).toContain("your message goes first");
    const last = await hook.runs();
    expect(last.input.stop_hook_active).toBe(false);
    last.answer(agree);
    expect(await chat.answer()).toBe("Three.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you", "One more thing"]);
  });

  test("runs no hooks for a turn that the user stops, or that fails (H28)", async () => {
    const { rig, chat, hook } = await open([
      { text: "A long answer.", until: new Promise(() => undefined) },
      { status: 400 },
      { text: "Three." },
      { status: 400 },
      { text: "Five." },
    ]);
    await chat.send("Say hello");
    await chat.next("stream-delta");
    await chat.interrupt();
    await chat.next("stream-abort");
    await chat.send("Thank you");
    await chat.next("stream-error");
    expect(hook.count).toBe(0);

    await chat.send("Good");
    (await hook.runs()).answer(block("More."));
    expect(await chat.answer()).toBe("Three.");
    await chat.next("stream-error");
    await chat.send("And now?");
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Five." });
    answer(agree);
    expect(await chat.answer()).toBe("Five.");
    expect(hook.count).toBe(2);
    const more = continuation("More.");
    const said = ["Say hello", "Thank you", "Good", more, "And now?"];
    // A real host joins a message with the one before it if that got no answer.
    const joined = [...said.slice(0, 2), "Thank you\nGood", more, `${more}\nAnd now?`];
    expect([said, joined]).toContainEqual(rig.model.said);
  });

  test("shows each notice for the user as a failed tool call (H23)", async () => {
    const settings = stopHook("echo 'no such server' >&2; exit 1", { command: agree });
    const { chat } = await open(replies, settings);
    expect(await chat.ask("Say hello")).toBe("One.");
    const results = chat.events.map(({ result }) => result);
    const error = expect.stringContaining("exit code 1: no such server") as string;
    expect(results).toContainEqual(expect.objectContaining({ success: false, error }));
  });

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

  test("ends running hooks, drops their results and restarts the count if the user edits an earlier message (H22, H25)", async () => {
    const { rig, chat, hook } = await open([...replies.slice(0, 3), { text: "Four.", times: 9 }]);
    await chat.send("Say hello");
    const first = await chat.sent();
    const run = await hook.runs();
    await chat.send("Say goodbye", { editMessageId: first });
    const second = await chat.sent();
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    const next = await hook.runs();
    expect(next.input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Two." });
    next.answer(block("More."));
    const last = await hook.runs();
    expect(last.input.stop_hook_active).toBe(true);
    last.answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["Two.", "Three."]);

    await chat.send("Say nothing", { editMessageId: second });
    for (const stop_hook_active of [false, true, true, true]) {
      const { input, answer } = await hook.runs();
      expect(input.stop_hook_active).toBe(stop_hook_active);
      answer(block("More."));
      expect(await chat.answer()).toBe("Four.");
    }
    const more = continuation("More.");
    const said = ["Say hello", "Say goodbye", more, "Say nothing", more, more, more];
    expect(rig.model.said).toEqual(said);
    expect(rig.model.requests[1]?.body).not.toContain("Say hello");
    expect(rig.model.requests[3]?.body).not.toContain("Say goodbye");
  });

  test("runs hooks in the new folder of a renamed worktree, and ends them if it is removed (H13, H22)", async () => {
    const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));
    const { rig, server, chat: next, hook } = await open(replies);
    rig.commit();
    const chat = await server.openChat({ type: "worktree", srcBaseDir: join(rig.root, "src") });
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input.cwd).toBe(join(rig.root, "src", "project", "topic"));
    first.answer(agree);
    await chat.answer();

    const { workspaceId } = chat;
    const renamed = await server.call("workspace/rename", { workspaceId, newName: "other" });
    expect(renamed).toMatchObject({ success: true });
    await chat.send("Thank you");
    const second = await hook.runs();
    expect(second.input.cwd).toBe(join(rig.root, "src", "project", "other"));
    second.answer(block("More."));
    const third = await hook.runs();
    expect(third.input).toMatchObject({ cwd: second.input.cwd, stop_hook_active: true });
    third.answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["Two.", "Three."]);

    await chat.send("Good");
    const run = await hook.runs();
    const options = { force: true };
    const removed = await server.call("workspace/remove", { workspaceId, options });
    expect(removed).toMatchObject({ success: true });
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    await expect(stat(run.input.cwd)).rejects.toThrow("ENOENT");

    await next.send("Say more");
    (await hook.runs()).answer(agree);
    expect(await next.answer()).toBe("Five.");
    const again = continuation("More.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you", again, "Good", "Say more"]);
    expect(server.process.exitCode).toBeNull();
  });

  test("passes plan mode to hooks, and keeps it in a continuation (H13, H28)", async () => {
    const { rig, chat, hook } = await open(["One.", "Two.", "Three."].map((text) => ({ text })));
    await chat.send("Say hello", PLAN);
    const first = await hook.runs();
    expect(first.input.permission_mode).toBe("plan");
    first.answer(block("More."));
    expect(await chat.answer()).toBe("One.");
    const second = await hook.runs();
    expect(second.input).toMatchObject({ permission_mode: "plan", stop_hook_active: true });
    second.answer(agree);
    expect(await chat.answer()).toBe("Two.");
    await chat.send("Do it");
    const third = await hook.runs();
    expect(third.input.permission_mode).toBe("default");
    third.answer(agree);
    await chat.answer();

    expect(rig.model.said[1]).toContain(continuation("More."));
    const [asked, continued, changed] = rig.model.requests.map(optionsOf);
    expect(continued).toEqual(asked);
    expect(changed).not.toEqual(asked);
  });

  test("runs no hooks for a plan that waits for the user (H28)", async () => {
    const { rig, chat, hook } = await open([
      { text: "Here it is.", tools: [{ name: "propose_plan", input: {} }] },
      { when: ({ said }) => said === "", text: "The plan waits for you." },
      { text: "Two." },
    ]);
    // The folder in which hosts store plans.
    await putFile(join(rig.root, "plans", "project", "topic.md"), "# Say hello\n");
    await chat.ask("Say hello", PLAN);
    expect(hook.count).toBe(0);
    await chat.send("Do it");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(hook.count).toBe(1);
  });
}
