/** A Mux with the change of docs/upstream, without the preload: `make test-upstream` builds it, and runs this file. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HostRig, type RigOptions } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { hosts } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, alwaysBlock, askOnce, continuation, stopHook } from "@test/host/rig/stopHooks";

const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));

async function open(settings?: object): Promise<{ rig: HostRig; chat: Chat }> {
  const options: RigOptions = { replies, plugin: false, settings };
  const rig = await HostRig.create(hosts[0]!, options);
  return { rig, chat: await (await HostServer.start(rig)).openChat() };
}

test.runIf(process.env.MUX_UPSTREAM === "points")(
  "uses turn.stop, and patches nothing",
  async () => {
    const rig = await HostRig.create(hosts[0]!, { replies, settings: askOnce });
    const service = JSON.stringify(join(rig.dist, "node/services/aiService.js"));
    await rig.preload(`
    const { AIService } = require(${service});
    process.stderr.write(Object.hasOwn(AIService.prototype, "emit") ? "PATCHED" : "UNPATCHED");`);
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    expect(rig.model.said).toEqual(["Say hello", continuation("Create DONE.txt.")]);
    expect(rig.stderr).toMatch(/^UNPATCHED/);
  }
);

describe.runIf(process.env.MUX_UPSTREAM === "hooks")("a Mux with turn.stop and hooks", () => {
  test("sends the agent back once", async () => {
    const { rig, chat } = await open(askOnce);
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    expect(await chat.ask("Thank you")).toBe("Three.");
    expect(await chat.answer()).toBe("Four.");
    const again = continuation("Create DONE.txt.");
    expect(rig.model.said).toEqual(["Say hello", again, "Thank you", again]);
  });

  test("ends the hook at Escape, without a continuation", async () => {
    const hook = await SteeredHook.create();
    const { rig, chat } = await open(stopHook(hook.command));
    await chat.send("Say hello");
    const run = await hook.runs();
    await chat.interrupt();
    await run.gone;
    expect(await chat.answer()).toBe("One.");
    expect(rig.model.requests).toHaveLength(1);
  });

  test("ends the hook if the user sends a message, which goes first", async () => {
    const hook = await SteeredHook.create();
    const { rig, chat } = await open(stopHook(hook.command));
    await chat.send("Say hello");
    const run = await hook.runs();
    await chat.send("Wait");
    await run.gone;
    expect(await chat.answer()).toBe("One.");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(rig.model.said).toEqual(["Say hello", "Wait"]);
  });

  test("lets the agent stop at the limit, and notifies the user", async () => {
    const { rig, chat } = await open(alwaysBlock);
    expect(await chat.ask("Say hello")).toBe("One.");
    for (const text of ["Two.", "Three.", "Four."]) expect(await chat.answer()).toBe(text);
    expect(JSON.stringify(chat.events)).toContain("the agent stops now, after 3 continuations");
    expect(rig.model.requests).toHaveLength(4);
  });

  test("does nothing if nothing is configured", async () => {
    const { rig, chat } = await open();
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.ask("Thank you")).toBe("Two.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you"]);
    expect(chat.events.map(({ type }) => type)).not.toContain("tool-call-start");
  });
});
