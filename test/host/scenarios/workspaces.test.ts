import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { isAlive } from "@test/helpers/process/processes";
import { HostRig } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { wholeHosts, type Host } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));

interface Opened {
  readonly rig: HostRig;
  readonly server: HostServer;
  readonly chat: Chat;
  readonly hook: SteeredHook;
}

async function open(host: Host): Promise<Opened> {
  const hook = await SteeredHook.create();
  const rig = await HostRig.create(host, { replies, settings: stopHook(hook.command) });
  const server = await HostServer.start(rig);
  const chat = await server.openChat({ type: "worktree", srcBaseDir: join(rig.root, "src") });
  return { rig, server, hook, chat };
}

describe.each(wholeHosts)("a workspace in $name", (host) => {
  test("runs its hooks in the new folder after a rename, and ends them if it is removed (H13, H22)", async () => {
    const { rig, server, chat, hook } = await open(host);
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input.cwd).toBe(join(rig.root, "src", "project", "topic"));
    first.answer(agree);
    await chat.answer();

    const { workspaceId } = chat;
    const renamed = await server.call("workspace/rename", { workspaceId, newName: "other" });
    expect(renamed).toMatchObject({ success: true });
    await chat.send("Thank you");
    const second = await hook.runs();
    expect(second.input.cwd).toBe(join(rig.root, "src", "project", "other"));
    second.answer(block("More."));
    const third = await hook.runs();
    expect(third.input).toMatchObject({ cwd: second.input.cwd, stop_hook_active: true });
    third.answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["Two.", "Three."]);

    await chat.send("Good");
    const run = await hook.runs();
    const options = { force: true };
    const removed = await server.call("workspace/remove", { workspaceId, options });
    expect(removed).toMatchObject({ success: true });
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    await expect(stat(run.input.cwd)).rejects.toThrow("ENOENT");

    const next = await server.openChat();
    await next.send("Say more");
    (await hook.runs()).answer(agree);
    expect(await next.answer()).toBe("Five.");
    const again = continuation("More.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you", again, "Good", "Say more"]);
    expect(server.process.exitCode).toBeNull();
  });
});
