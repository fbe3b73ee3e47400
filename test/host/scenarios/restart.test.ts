import { appendFile, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive } from "@test/helpers/process/processes";
import type { Reply } from "@test/host/model/ScriptedModel";
import { HostRig } from "@test/host/rig/HostRig";
import { Chat, HostServer } from "@test/host/rig/HostServer";
import { newestHost, wholeHosts, type Host } from "@test/host/rig/hosts";
import { type HookRun, SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three.", "Four.", "Five.", "Six."].map((text) => ({ text }));
const again = continuation("Never.");
/** In seconds. */
const TIMEOUT = 5;

interface Opened {
  readonly rig: HostRig;
  readonly server: HostServer;
  readonly chat: Chat;
  readonly hook: SteeredHook;
}

async function open(host: Host, script: readonly Reply[] = replies): Promise<Opened> {
  const hook = await SteeredHook.create();
  const settings = stopHook({ command: hook.command, timeout: TIMEOUT });
  const rig = await HostRig.create(host, { replies: script, settings });
  const server = await HostServer.start(rig);
  return { rig, server, hook, chat: await server.openChat() };
}

/** Opens the same chat in a restarted host. */
async function startAgain({ rig, chat }: Opened): Promise<Chat> {
  return await Chat.open(await HostServer.start(rig), chat.workspaceId);
}

/** Returns the hook's next run after the given number of blocks. */
async function runAfter(opened: Opened, blocked: number): Promise<HookRun> {
  await opened.chat.send("Say hello");
  for (let i = 0; i < blocked; i++) {
    (await opened.hook.runs()).answer(block("Never."));
    await opened.chat.answer();
  }
  return await opened.hook.runs();
}

describe.each(newestHost)("$name that ends while a hook runs", (host) => {
  test("leaves no hook behind after SIGTERM, and does not continue by itself (H28)", async () => {
    const opened = await open(host);
    const { rig, server, hook } = opened;
    const run = await runAfter(opened, 0);
    await server.stop("SIGTERM");
    // The host is gone, so the hook must end at its time limit by itself.
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    expect(await livingInSession(run.pid)).toEqual([]);

    const chat = await startAgain(opened);
    await chat.send("Thank you");
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Two." });
    answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you"]);
    expect(hook.count).toBe(2);
  });
});

describe.each(wholeHosts)("$name that ends while a hook runs", (host) => {
  test("keeps the count if the turn is resumed, and restarts it with a user message (H25, H27)", async () => {
    const opened = await open(host, [
      { text: "One." },
      { text: "Two." },
      { text: "Three.", until: new Promise(() => undefined) },
      { text: "Four.", times: 9 },
    ]);
    const { rig, server, hook } = opened;
    await opened.chat.send("Say hello");
    for (let i = 0; i < 2; i++) {
      (await hook.runs()).answer(block("Never."));
      await opened.chat.answer();
    }
    await opened.chat.next("stream-delta");
    await server.stop("SIGKILL");

    const chat = await startAgain(opened);
    await chat.retry();
    // A retry restarts the count if the host reports that the user requested it.
    const told = host.looksAfterItself ? [false, true, true, true] : [true, true];
    for (const stop_hook_active of told) {
      const { input, answer } = await hook.runs();
      expect(input.stop_hook_active).toBe(stop_hook_active);
      answer(block("Never."));
      await chat.answer();
    }
    await chat.send("Thank you");
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(false);
    answer(agree);
    await chat.answer();
    expect(hook.count).toBe(2 + told.length + 1);
    expect(rig.model.requests).toHaveLength(3 + told.length + 1);
  });
});

describe.each(newestHost)("$name that ends while a hook runs", (host) => {
  test("leaves no hook behind after SIGKILL, and knows its continuations by their metadata (H27, H28)", async () => {
    const opened = await open(host);
    const { rig, server, hook } = opened;
    const run = await runAfter(opened, 1);
    const { transcript_path: transcript } = run.input;
    await server.stop("SIGKILL");
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    expect(await livingInSession(run.pid)).toEqual([]);
    const rows = (await readFile(transcript, "utf8")).trim().split("\n");
    const marked = rows.filter((row) => row.includes('"stopHookActive":true'));
    expect(marked).toHaveLength(1);
    // A partial line, as a crash may leave it behind.
    await appendFile(transcript, '{"id":"assistant-cut","role":"assist');
    const chat = await startAgain(opened);
    await chat.send(again);
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(false);
    answer(agree);
    await chat.answer();
    expect(rig.model.said).toEqual(["Say hello", again, again]);
  });
});
