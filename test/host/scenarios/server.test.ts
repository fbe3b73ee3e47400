import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { isAlive } from "@test/helpers/process/processes";
import { HostRig, type RigOptions } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { distinctHosts, hosts, newestHost, type Host } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, askOnce, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { eventually, expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));

interface Opened {
  rig: HostRig;
  chat: Chat;
  hook: SteeredHook;
}

/** Opens a chat in a project with a Stop hook that the test controls. */
async function open(host: Host, options: Partial<RigOptions> = {}): Promise<Opened> {
  const hook = await SteeredHook.create();
  const settings = stopHook(hook.command);
  const rig = await HostRig.create(host, { replies, settings, ...options });
  const server = await HostServer.start(rig);
  return { rig, hook, chat: await server.openChat() };
}

describe.each(hosts)("mux server in $name", (host) => {
  const openShared = shareServer(host);

  test("sends the agent back once (H18)", async () => {
    const { rig, chat } = await openShared(replies, askOnce);
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    expect(await chat.ask("Thank you")).toBe("Three.");
    expect(await chat.answer()).toBe("Four.");
    const again = continuation("Create DONE.txt.");
    expect(rig.model.said).toEqual(["Say hello", again, "Thank you", again]);
  });

  // The bundle has the code of another host.
  if (!distinctHosts.includes(host)) return;

  test("sends the finding of a background hook with the next message (H41)", async () => {
    const settings = stopHook({ command: block("Two tests fail."), asyncRewake: true });
    const { rig, chat } = await openShared(replies, settings);
    expect(await chat.ask("Say hello")).toBe("One.");
    await eventually(() => {
      expect(rig.stderr).toContain("found a problem");
    });
    expect(await chat.ask("Thank you")).toBe("Two.");
    expect(await chat.ask("Good")).toBe("Three.");
    const [, second, third] = rig.model.said;
    expect(second).toBe("Thank you\n\n[Stop hook feedback]\nTwo tests fail.");
    expect(third).toMatch(/^Good/);
  });

  test("runs hooks for a client that finds the server by its lock file", async () => {
    const { server, hook } = await openShared(replies);
    const chat = await (await server.byLockFile()).openChat();
    await chat.send("Say hello");
    (await hook.runs()).answer(block("More."));
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
  });

  test("hides the end of the turn until the hooks have ended", async () => {
    const { chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    const run = await hook.runs();
    expect(chat.events.map(({ type }) => type)).not.toContain("stream-end");
    run.answer(agree);
    expect(await chat.answer()).toBe("One.");
  });

  test("passes the last message and the paths to a hook (H13)", async () => {
    const { rig, chat, hook } = await openShared([{ text: "All is done now." }]);
    await chat.send("Say hello", { thinkingLevel: "medium" });
    const { input, answer } = await hook.runs();
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
    const transcript = await readFile(input.transcript_path, "utf8");
    const rows = transcript.trim().split("\n");
    expect(rows.at(-1)).toContain('"role":"assistant"');
    answer(agree);
    await chat.answer();
  });

  test("marks a continuation, and passes that to hooks (H25, H27)", async () => {
    const { chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    (await hook.runs()).answer(block("More."));
    const { input, answer } = await hook.runs();
    expect(input.stop_hook_active).toBe(true);
    const rows = (await readFile(input.transcript_path, "utf8")).trim().split("\n");
    const users = rows
      .map((line) => JSON.parse(line) as { role: string; metadata: Record<string, unknown> })
      .filter(({ role }) => role === "user");
    expect(users.map(({ metadata }) => metadata.muxMetadata)).toEqual([
      undefined,
      { stopHookActive: true },
    ]);
    answer(agree);
    expect(await chat.answer()).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
  });

  test("ends a hook when the user stops the agent (H22)", async () => {
    const { rig, chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    const run = await hook.runs();
    await chat.interrupt();
    expect(await chat.answer()).toBe("One.");
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    await chat.answer();
    expect(rig.model.said).toEqual(["Say hello", "Thank you"]);
  });

  test("ends a hook if the user types a message, and sends it (H28)", async () => {
    const { rig, chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    const run = await hook.runs();
    await chat.send("One more thing");
    expect(await chat.answer()).toBe("One.");
    await run.gone;
    const second = await hook.runs();
    expect(second.input.stop_hook_active).toBe(false);
    second.answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(rig.model.said).toEqual(["Say hello", "One more thing"]);
  });

  test("stops after three blocks of a hook that always blocks (H26)", async () => {
    const { rig, chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    for (const { text } of replies.slice(0, 4)) {
      (await hook.runs()).answer(block("Never."));
      expect(await chat.answer()).toBe(text);
    }
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    await chat.answer();
    const again = continuation("Never.");
    expect(rig.model.said).toEqual(["Say hello", again, again, again, "Thank you"]);
  });

  test("runs no hooks for a turn that the user stops (H28)", async () => {
    const { rig, chat, hook } = await openShared([
      { text: "A long answer.", until: new Promise(() => undefined) },
      { text: "Two." },
    ]);
    await chat.send("Say hello");
    await chat.next("stream-delta");
    await chat.interrupt();
    await chat.next("stream-abort");
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(hook.count).toBe(1);
    expect(rig.model.said).toEqual(["Say hello", "Thank you"]);
  });

  test("runs no hooks for a turn that fails (H28)", async () => {
    const { chat, hook } = await openShared([{ status: 400 }, { text: "Two." }]);
    await chat.send("Say hello");
    await chat.next("stream-error");
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(hook.count).toBe(1);
  });

  test("runs no hooks for a compaction (H28)", async () => {
    const { chat, hook } = await openShared(replies);
    await chat.send("Say hello");
    (await hook.runs()).answer(agree);
    await chat.answer();
    const muxMetadata = { type: "compaction-request", rawCommand: "/compact", parsed: {} };
    await chat.ask("Sum it all up", { muxMetadata });
    await chat.send("Thank you");
    (await hook.runs()).answer(agree);
    await chat.answer();
    expect(hook.count).toBe(2);
  });

  test("runs only the user's hooks in an untrusted project, and prints one line about it (H31)", async () => {
    const user = await SteeredHook.create();
    const userSettings = stopHook(user.command);
    const { rig, chat, hook } = await open(host, { trusted: false, userSettings });
    for (const text of ["One.", "Two."]) {
      await chat.send("Say hello");
      (await user.runs()).answer(agree);
      expect(await chat.answer()).toBe(text);
    }
    expect(hook.count).toBe(0);
    expect(rig.stderr.match(/^\[mux-stop-hooks\].*trust.*$/gm)).toHaveLength(1);
  });
});

test.each(newestHost)(
  "$name sends the model the same requests as without the plugin if nothing is configured",
  async (host) => {
    const [bare, attached] = await Promise.all(
      [false, true].map(async (plugin) => {
        const { rig, chat } = await open(host, { plugin, settings: undefined });
        await chat.ask("Say hello");
        await chat.ask("Thank you");
        const own = new RegExp(`${rig.folder}|${chat.workspaceId}`, "g");
        return rig.model.requests.map(({ body }) => body.replaceAll(own, ""));
      })
    );
    expect(attached).toEqual(bare);
    expect(attached).toHaveLength(2);
  }
);

test.each(newestHost)("$name runs no hooks if a hook started it (H28)", async (host) => {
  const { chat, hook } = await open(host, { env: { MUX_HOOK_EVENT: "Stop" } });
  expect(await chat.ask("Say hello")).toBe("One.");
  expect(await chat.ask("Thank you")).toBe("Two.");
  expect(hook.count).toBe(0);
});
