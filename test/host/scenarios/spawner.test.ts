import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { isAlive } from "@test/helpers/process/processes";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { newestHost } from "@test/host/rig/hosts";
import { stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

describe.each(newestHost)("the hooks of $name", (host) => {
  test("are started by one small process that survives hooks and ends with the host", async () => {
    const rig = await HostRig.create(host, {
      replies: [{ text: "One." }, { text: "Two." }],
      settings: stopHook("echo $PPID >> parents; kill $PPID"),
    });
    const server = await HostServer.start(rig);
    const chat = await server.openChat();
    await chat.ask("Say hello");
    await chat.ask("Say more");
    const [first, second] = (await readFile(rig.path("parents"), "utf8")).split("\n").map(Number);
    expect(second).toBe(first);
    expect(first).not.toBe(server.process.pid);
    expect(rig.stderr).not.toMatch("the process that starts hooks");
    expect(isAlive(first!)).toBe(true);
    await server.stop("SIGKILL");
    await expectSoon(() => isAlive(first!)).toBe(false);
  });
});
