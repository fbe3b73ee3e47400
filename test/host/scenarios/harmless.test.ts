import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { hosts, newestHost } from "@test/host/rig/hosts";
import { watchEventLoop, watchTurnEnds } from "@test/host/rig/probes";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, stopHook } from "@test/host/rig/stopHooks";
import { eventually, latch } from "@test/helpers/soon";

describe.each(newestHost)("delays in $name", (host) => {
  test("listeners receive the end of a turn at once without hooks, and a hook of 3 s does not block the event loop", async () => {
    const { opened: until, open: finish } = latch();
    const hook = await SteeredHook.create();
    const replies = [{ text: "One." }, { text: "Two." }, { text: "Three four.", until }];
    const rig = await HostRig.create(host, { replies });
    const [heard, longest] = [rig.path("heard"), rig.path("longest")];
    await rig.preload(watchTurnEnds(rig.dist, heard));
    await rig.preload(watchEventLoop(longest));
    const server = await HostServer.start(rig);
    const chat = await server.openChat();
    await chat.ask("Say hello");
    expect(await readFile(heard, "utf8")).toBe("at once");
    const settings = JSON.stringify(stopHook(hook.command));
    await rig.write(rig.path(".mux", "settings.json"), settings);
    await chat.send("Thank you");
    // The first stop loads all modules for hooks.
    (await hook.runs()).answer(agree);
    await chat.answer();
    expect(await readFile(heard, "utf8")).toBe("later");

    await chat.send("Say more");
    await chat.next("stream-delta");
    server.process.kill("SIGUSR2");
    finish();
    (await hook.runs()).answer("sleep 3");
    await chat.answer();
    server.process.kill("SIGUSR2");
    const blocked = await eventually(async () => Number(await readFile(longest, "utf8")));
    // bench/largeHost.bench.ts measures the duration.
    expect(blocked).toBeLessThan(2_000);
  });
});

// The last one is a bundle, if there is one. Real processes of test/unit/host/loading prove it for the others.
describe.each(hosts.slice(-1))("a child process of $name", (host) => {
  test("does not load the plugin, and keeps the other options of NODE_OPTIONS", async () => {
    const script = 'echo "<$NODE_OPTIONS>"';
    const input = { script, timeout_secs: 10, run_in_background: false, display_name: "look" };
    const rig = await HostRig.create(host, {
      replies: [{ tools: [{ name: "bash", input }] }, { text: "Done." }],
      settings: stopHook('echo "<$NODE_OPTIONS>" > options'),
      plugin: "by NODE_OPTIONS",
    });
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(rig.model.requests[1]?.body).toContain("<--no-warnings>");
    expect(await readFile(rig.path("options"), "utf8")).toBe("<--no-warnings>\n");
  });
});
