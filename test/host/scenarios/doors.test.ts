import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import * as doors from "@test/host/rig/doors";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { bed } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three."].map((text) => ({ text }));
const host = bed("august");

test.each([
  ["the package that npm calls mux", doors.forwardingPackage],
  ["npx", doors.npx],
  ["npm exec", doors.npmExec],
  ["a program of Node's that starts it", doors.launcher],
  ["the desktop app's program as a server", doors.desktopServer],
  ["an AppImage as a server", doors.appImage],
  ["the desktop app's window", doors.desktopWindow],
])("%s: hooks run, and what the host starts has nothing of the plugin", async (_, door) => {
  const hook = await SteeredHook.create();
  const rig = await HostRig.create(host, {
    replies,
    settings: stopHook(hook.command),
    plugin: false,
  });
  rig.door = await door(rig);
  const server = await HostServer.start(rig);
  const chat = await server.openChat();
  await chat.send("Say hello");
  const run = await hook.runs();
  const environment = await readFile(`/proc/${run.pid}/environ`, "latin1");
  expect(environment).not.toMatch(/register\.cjs|NODE_OPTIONS|MUX_HOOKS_SEEN|ELECTRON_RUN_AS_NODE/);
  const [status] = await statuses(rig);
  expect(await started(Number(status?.pid))).toEqual([]);

  run.answer(block("More."));
  (await hook.runs()).answer(agree);
  expect(await chat.answer()).toBe("One.");
  expect(await chat.answer()).toBe("Two.");
  expect(rig.model.said).toEqual(["Say hello", continuation("More.")]);
  expect(rig.stderr).not.toContain("no Mux");
});

describe("the status file of a running host", () => {
  test("names it, and goes with it", async () => {
    const rig = await HostRig.create(host, { replies });
    const server = await HostServer.start(rig);
    await expect.poll(() => statuses(rig)).toHaveLength(1);
    const [status] = await statuses(rig);
    expect(status).toMatchObject({
      pid: server.process.pid,
      host: { dist: rig.dist },
      seams: { AIService: "attached", AgentSession: "attached", TaskService: "attached" },
    });
    await server.stop("SIGTERM");
    expect(await statuses(rig)).toEqual([]);
  });

  test("of one that was killed is removed by the next", async () => {
    const rig = await HostRig.create(host, { replies });
    const killed = await HostServer.start(rig);
    await expect.poll(() => statuses(rig)).toHaveLength(1);
    await killed.stop("SIGKILL");
    expect(await statuses(rig)).toHaveLength(1);
    const next = await HostServer.start(rig);
    await expect
      .poll(async () => (await statuses(rig)).map(({ pid }) => pid))
      .toEqual([next.process.pid]);
  });
});

async function statuses(rig: HostRig): Promise<{ pid: number }[]> {
  const folder = join(rig.root, "attached-hosts");
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text) => JSON.parse(text) as { pid: number });
}

/** Below the host, but for our own spawner: programs that would load the plugin. */
async function started(pid: number): Promise<string[]> {
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
    found.push(...(await started(child)));
  }
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const file = `/proc/${pid}/task/${pid}/children`;
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim().split(" ").filter(Boolean).map(Number);
}
