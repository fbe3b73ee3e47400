import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as commands from "@test/host/rig/launchCommands";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { bed } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

const replies = ["One.", "Two.", "Three."].map((text) => ({ text }));
const host = bed("0.28");

// Environments of other processes are read from /proc.
test.runIf(existsSync("/proc/self/environ")).each([
  ["the forwarding package mux", commands.forwardingPackage],
  ["an AppImage as a server", commands.appImage],
  ["the desktop app with the shim", commands.desktopWindow],
])("%s runs hooks, and hides the preload from child processes", async (_, command) => {
  const hook = await SteeredHook.create();
  const rig = await HostRig.create(host, {
    replies,
    settings: stopHook(hook.command),
    plugin: false,
  });
  rig.launchCommand = await command(rig);
  const server = await HostServer.start(rig);
  const chat = await server.openChat();
  await chat.send("Say hello");
  const run = await hook.runs();
  const environment = await readFile(`/proc/${run.pid}/environ`, "latin1");
  expect(environment).not.toMatch(/register\.cjs|NODE_OPTIONS|MUX_HOOKS_SEEN|ELECTRON_RUN_AS_NODE/);
  await expectSoon(() => rig.statuses()).toHaveLength(1);
  const [status] = await rig.statuses();
  expect(await exposedDescendants(Number(status?.pid))).toEqual([]);

  run.answer(block("More."));
  (await hook.runs()).answer(agree);
  expect(await chat.answer()).toBe("One.");
  expect(await chat.answer()).toBe("Two.");
  expect(rig.model.said).toEqual(["Say hello", continuation("More.")]);
  expect(rig.stderr).not.toContain("no Mux");
});

/** Returns the descendants of the host that would load the plugin. The spawner needs ELECTRON_RUN_AS_NODE. */
async function exposedDescendants(pid: number): Promise<string[]> {
  const found: string[] = [];
  for (const child of await childrenOf(pid)) {
    const [command, environment] = await Promise.all(
      ["cmdline", "environ"].map((file) =>
        readFile(`/proc/${child}/${file}`, "latin1").catch(() => "")
      )
    );
    const isSpawner = command!.includes("spawnerProcess.cjs");
    const known = isSpawner
      ? /register\.cjs|MUX_HOOKS_SEEN/
      : /register\.cjs|MUX_HOOKS_SEEN|ELECTRON_RUN_AS_NODE/;
    if (known.test(`${command!}\0${environment!}`)) found.push(command!.replaceAll("\0", " "));
    found.push(...(await exposedDescendants(child)));
  }
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const file = `/proc/${pid}/task/${pid}/children`;
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim().split(" ").filter(Boolean).map(Number);
}
