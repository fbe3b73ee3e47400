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
  test.each([
    { what: "nothing is configured", settings: undefined, heard: "at once" },
    { what: "a hook is configured", settings: stopHook(agree), heard: "later" },
    { what: "the plugin is missing", settings: stopHook(agree), plugin: false, heard: "at once" },
  ])("if $what, listeners receive the end of a turn $heard", async ({ heard, ...options }) => {
    const rig = await HostRig.create(host, { replies: [{ text: "One." }], ...options });
    const file = rig.path("heard");
    await rig.preload(watchTurnEnds(rig.dist, file));
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(await readFile(file, "utf8")).toBe(heard);
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
  const options = "--no-warnings --require=node:path";

  test.each([
    {
      what: "does not load the plugin",
      how: { plugin: "by NODE_OPTIONS" },
      loads: "--no-warnings",
    },
    {
      what: "loads the other modules of NODE_OPTIONS",
      how: { plugin: false, env: { NODE_OPTIONS: options } },
      loads: options,
    },
  ] as const)("$what", async ({ how, loads }) => {
    const script = 'echo "<$NODE_OPTIONS>"';
    const input = { script, timeout_secs: 10, run_in_background: false, display_name: "look" };
    const rig = await HostRig.create(host, {
      replies: [{ tools: [{ name: "bash", input }] }, { text: "Done." }],
      settings: stopHook('echo "<$NODE_OPTIONS>" > options'),
      ...how,
    });
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.ask("Say hello");
    expect(rig.model.requests[1]?.body).toContain(`<${loads}>`);
    if (how.plugin === false) return;
    expect(await readFile(rig.path("options"), "utf8")).toBe(`<${loads}>\n`);
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
