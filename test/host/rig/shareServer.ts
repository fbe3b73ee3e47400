/** One server for all tests of a block. Its start takes longer than most turns. */
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Reply } from "@test/host/model/ScriptedModel";
import { HostRig, NO_TRUST_VARIABLE } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import type { Host } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { stopHook } from "@test/host/rig/stopHooks";

export interface OpenedChat {
  readonly rig: HostRig;
  readonly server: HostServer;
  readonly chat: Chat;
  /** The Stop hook. */
  readonly hook: SteeredHook;
}

/**
 * Starts a server before the tests of a block. Call it in `describe`.
 *
 * @param whose whose settings have the hook; the user's need no trust, so the chat has no notice about it
 * @returns a function that opens a new chat with a model of these replies, and with other settings than the Stop hook
 */
export function shareServer(
  host: Host,
  whose: "the project's" | "the user's" = "the project's"
): (replies: readonly Reply[], settings?: unknown) => Promise<OpenedChat> {
  let server: HostServer;
  const ends: (() => unknown)[] = [];
  // A hook that is registered while `beforeAll` runs is never called.
  const atEnd = (end: () => unknown): void => void ends.push(end);
  beforeAll(async () => {
    const env = whose === "the user's" ? NO_TRUST_VARIABLE : {};
    server = await HostServer.start(await HostRig.create(host, { replies: [], env }, atEnd), atEnd);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return async (replies, settings) => {
    const { rig } = server;
    const hook = await SteeredHook.create();
    const text = JSON.stringify(settings ?? stopHook(hook.command));
    const folder = whose === "the user's" ? rig.root : rig.path(".mux");
    await rig.write(join(folder, "settings.json"), text);
    rig.model.begin(replies);
    return { rig, server, hook, chat: await server.openChat() };
  };
}
