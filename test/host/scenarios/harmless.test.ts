import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { hosts } from "@test/host/rig/hosts";
import { watchEventLoop, watchTurnEnds } from "@test/host/rig/probes";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

describe.each(hosts)("$name is not harmed", (host) => {
  test.each([
    { what: "nothing is configured", settings: undefined, heard: "at once" },
    { what: "hooks are to be asked", settings: stopHook(agree), heard: "later" },
  ])("where $what, it hears $heard that a turn has ended", async ({ settings, heard }) => {
    const rig = await HostRig.create(host, { replies: [{ text: "One." }], settings });
    const file = rig.path("heard");
    await rig.preload(watchTurnEnds(rig.dist, file));
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(await readFile(file, "utf8")).toBe(heard);
  });

  test("what it starts does not load the plugin", async () => {
    const script = 'echo "<$NODE_OPTIONS>"';
    const input = { script, timeout_secs: 10, run_in_background: false, display_name: "look" };
    const rig = await HostRig.create(host, {
      replies: [{ tools: [{ name: "bash", input }] }, { text: "Done." }],
      plugin: "by NODE_OPTIONS",
      settings: stopHook('echo "<$NODE_OPTIONS>" > options'),
    });
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(rig.model.requests[1]?.body).toContain("<--no-warnings>");
    expect(await readFile(rig.path("options"), "utf8")).toBe("<--no-warnings>\n");
  });

  test("a hook of 3 s blocks it for less than 20 ms at a time", { retry: 2 }, async () => {
    const hook = await SteeredHook.create();
    let finish = (): void => undefined;
    const until = new Promise<void>((resolve) => (finish = resolve));
    const rig = await HostRig.create(host, {
      replies: [{ text: "One." }, { text: "Two three.", until }],
      settings: stopHook(hook.command),
    });
    const file = rig.path("longest");
    await rig.preload(watchEventLoop(file));
    const server = await HostServer.start(rig);
    const chat = await server.openChat();
    await chat.send("Say hello");
    (await hook.runs()).answer(agree);
    await chat.answer();

    await chat.send("Thank you");
    await chat.next("stream-delta");
    server.process.kill("SIGUSR2");
    finish();
    (await hook.runs()).answer("sleep 3");
    await chat.answer();
    server.process.kill("SIGUSR2");
    const longest = await vi.waitFor(async () => Number(await readFile(file, "utf8")));
    expect(longest).toBeLessThan(20);
  });
});
