import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { wholeHosts } from "@test/host/rig/hosts";
import { holdSecondStream } from "@test/host/rig/probes";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three."].map((text) => ({ text }));

// Newer hosts know by themselves that a turn has begun.
describe.each(wholeHosts.slice(0, 1))("between a turn and its continuation, $name", (host) => {
  test("queues a message that the user types (H28)", async () => {
    const hook = await SteeredHook.create();
    const rig = await HostRig.create(host, { replies, settings: stopHook(hook.command) });
    await rig.preload(holdSecondStream(rig.dist));
    const server = await HostServer.start(rig);
    const chat = await server.openChat();
    await chat.send("Say hello");
    (await hook.runs()).answer(block("More."));
    await chat.next("stream-end");
    await expectSoon(() => userMessages(chat.events)).toBe(2);

    const seen = chat.events.length;
    const typed = chat.send("One more thing");
    const isTaken = (type: string): boolean => ["message", "queued-message-changed"].includes(type);
    await expectSoon(() => chat.events.slice(seen).some(({ type }) => isTaken(type))).toBe(true);
    server.process.kill("SIGUSR2");
    await typed;

    expect(await chat.answer()).toBe("Two.");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Three.");
    expect(rig.model.said).toEqual(["Say hello", continuation("More."), "One more thing"]);
  });
});

function userMessages(events: readonly { type: string; role?: string }[]): number {
  return events.filter(({ type, role }) => type === "message" && role === "user").length;
}
