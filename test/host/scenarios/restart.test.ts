import { appendFile, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive } from "@test/helpers/process/processes";
import type { Reply } from "@test/host/model/ScriptedModel";
import { HostRig } from "@test/host/rig/HostRig";
import { Chat, HostServer } from "@test/host/rig/HostServer";
import { newestHost, wholeHosts, type Host } from "@test/host/rig/hosts";
import { type HookRun, SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

/** Opens a chat in a project with a hook. */
async function open(host: Host, replies: readonly Reply[]) {
  const hook = await SteeredHook.create();
  const settings = stopHook({ command: hook.command, timeout: 600 });
  const rig = await HostRig.create(host, { replies, settings });
  const server = await HostServer.start(rig);
  const chat = await server.openChat();
  /** Opens the same chat in a restarted host. */
  const startAgain = async () => {
    const next = await HostServer.start(rig);
    return { next, chat: await Chat.open(next, chat.workspaceId) };
  };
  return { rig, server, hook, chat, startAgain };
}

/** Expects that a hook and its processes end, although the host that started it is gone. */
async function expectEnd(run: HookRun): Promise<void> {
  await run.gone;
  await expectSoon(() => isAlive(run.pid)).toBe(false);
  expect(await livingInSession(run.pid)).toEqual([]);
}

describe.each(newestHost)("$name that ends while a hook runs", (host) => {
  test("leaves no process and no wrong status behind, and knows its continuations by their metadata (H27, H28)", async () => {
    const replies = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));
    const { rig, server, hook, chat, startAgain } = await open(host, replies);
    // One small process starts all hooks. It survives them, and ends with the host.
    const recordParent = "echo $PPID >> parents; kill $PPID; ";
    await chat.send("Say hello");
    (await hook.runs()).answer(`${recordParent}${block("Never.")}`);
    expect(await chat.answer()).toBe("One.");
    const run = await hook.runs();
    run.answer(`${recordParent}exec sleep 600`);
    const parents = async () => (await readFile(rig.path("parents"), "utf8")).trim().split("\n");
    await expectSoon(parents).toHaveLength(2);
    const [spawner, same] = (await parents()).map(Number);
    expect(same).toBe(spawner);
    expect(spawner).not.toBe(server.process.pid);
    expect(isAlive(spawner!)).toBe(true);
    expect(rig.stderr).not.toMatch("the process that starts hooks");
    await expectSoon(() => rig.statuses()).toHaveLength(1);

    await server.stop("SIGKILL");
    await expectEnd(run);
    await expectSoon(() => isAlive(spawner!)).toBe(false);
    expect(await rig.statuses()).toHaveLength(1);
    const { transcript_path: transcript } = run.input;
    const rows = (await readFile(transcript, "utf8")).trim().split("\n");
    expect(rows.filter((row) => row.includes('"stopHookActive":true'))).toHaveLength(1);
    // A partial line, as a crash may leave it behind.
    await appendFile(transcript, '{"id":"assistant-cut","role":"assist');

    const second = await startAgain();
    const again = continuation("Never.");
    await second.chat.send(again);
    const cut = await hook.runs();
    expect(cut.input.stop_hook_active).toBe(false);
    await expectSoon(() => rig.statuses()).toMatchObject([
      {
        pid: second.next.process.pid,
        host: { dist: rig.dist },
        seams: { AIService: "attached", AgentSession: "attached", TaskService: "attached" },
      },
    ]);
    await second.next.stop("SIGTERM");
    expect(await rig.statuses()).toEqual([]);
    await expectEnd(cut);

    const { chat: last } = await startAgain();
    await last.send("Thank you");
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Four." });
    answer(agree);
    expect(await last.answer()).toBe("Four.");
    // A real host may lose the message that follows the partial line, and only ask the model to continue.
    const said = rig.model.said.map((text) => (text === "[CONTINUE]" ? again : text));
    expect(said).toEqual(["Say hello", again, again, "Thank you"]);
    expect(hook.count).toBe(4);
  });
});

describe.each(wholeHosts)("$name that ends during a continuation", (host) => {
  test("keeps the count if the turn is resumed, and restarts it with a user message (H25, H27)", async () => {
    const { rig, server, hook, chat, startAgain } = await open(host, [
      { text: "One." },
      { text: "Two." },
      { text: "Three.", until: new Promise(() => undefined) },
      { text: "Four.", times: 9 },
    ]);
    await chat.send("Say hello");
    for (let i = 0; i < 2; i++) {
      (await hook.runs()).answer(block("Never."));
      await chat.answer();
    }
    await chat.next("stream-delta");
    await server.stop("SIGKILL");

    const { chat: resumed } = await startAgain();
    await resumed.retry();
    // A retry restarts the count if the host reports that the user requested it.
    const told = host.looksAfterItself ? [false, true, true, true] : [true, true];
    for (const stop_hook_active of told) {
      const { input, answer } = await hook.runs();
      expect(input.stop_hook_active).toBe(stop_hook_active);
      answer(block("Never."));
      await resumed.answer();
    }
    await resumed.send("Thank you");
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(false);
    answer(agree);
    await resumed.answer();
    expect(hook.count).toBe(2 + told.length + 1);
    expect(rig.model.requests).toHaveLength(3 + told.length + 1);
  });
});
