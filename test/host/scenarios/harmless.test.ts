import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import type { Reply } from "@test/host/model/ScriptedModel";
import { HostRig, type RigOptions } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { type Host, hosts, newestHost, wholeHosts } from "@test/host/rig/hosts";
import { watchEventLoop, watchTurnEnds } from "@test/host/rig/probes";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, stopHook } from "@test/host/rig/stopHooks";
import { eventually } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

describe.each(wholeHosts)("delays in $name", (host) => {
  test("listeners receive the end of a turn at once without hooks, and later with a hook", async () => {
    const rig = await HostRig.create(host, { replies: [{ text: "One." }, { text: "Two." }] });
    const file = rig.path("heard");
    await rig.preload(watchTurnEnds(rig.dist, file));
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(await readFile(file, "utf8")).toBe("at once");
    await rig.write(rig.path(".mux", "settings.json"), JSON.stringify(stopHook(agree)));
    await chat.ask("Thank you");
    expect(await readFile(file, "utf8")).toBe("later");
  });
});

describe.each(newestHost)("delays in $name", (host) => {
  test("a hook of 3 s does not block the event loop", async () => {
    const hook = await SteeredHook.create();
    const answer = async (line: string): Promise<void> => {
      (await hook.runs()).answer(line);
    };
    const blocked = await longestBlock(host, answer, { settings: stopHook(hook.command) });
    // bench/largeHost.bench.ts measures the duration.
    expect(blocked).toBeLessThan(2_000);
  });
});

describe.each(hosts)("a child process of $name", (host) => {
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

/**
 * Measures the longest block of the event loop in the second turn, since the first one loads all modules for hooks.
 *
 * @param answer runs a shell line in the next run of the hook
 * @returns milliseconds
 */
async function longestBlock(
  host: Host,
  answer: (line: string) => Promise<void>,
  options: Partial<RigOptions>
): Promise<number> {
  let finish = (): void => undefined;
  const until = new Promise<void>((resolve) => (finish = resolve));
  const replies: Reply[] = [{ text: "One." }, { text: "Two three.", until }];
  const rig = await HostRig.create(host, { replies, ...options });
  const file = rig.path("longest");
  await rig.preload(watchEventLoop(file));
  const server = await HostServer.start(rig);
  const chat = await server.openChat();
  await chat.send("Say hello");
  await answer(agree);
  await chat.answer();

  await chat.send("Thank you");
  await chat.next("stream-delta");
  server.process.kill("SIGUSR2");
  finish();
  await answer("sleep 3");
  await chat.answer();
  server.process.kill("SIGUSR2");
  return await eventually(async () => Number(await readFile(file, "utf8")));
}
