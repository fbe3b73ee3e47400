/** One server for all tests of a block. Its start takes longer than most turns. */
import { afterAll, beforeAll } from "vitest";
import type { AtEnd, Reply } from "@test/host/model/ScriptedModel";
import { HostRig } from "@test/host/rig/HostRig";
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

/** Opens a new chat with a model of these replies, and with other settings of the project than the Stop hook. */
export type OpenChat = (replies: readonly Reply[], settings?: unknown) => Promise<OpenedChat>;

/** Starts a server before the tests of a block. Call it in `describe`. */
export function shareServer(host: Host): OpenChat {
  const shared = share(async (atEnd) => {
    const rig = await HostRig.create(host, { replies: [] }, atEnd);
    return await HostServer.start(rig, atEnd);
  });
  return async (replies, settings) => {
    const server = shared();
    const { rig } = server;
    const hook = await SteeredHook.create();
    const text = JSON.stringify(settings ?? stopHook({ command: hook.command, timeout: 600 }));
    await rig.write(rig.path(".mux", "settings.json"), text);
    rig.model.begin(replies);
    return { rig, server, hook, chat: await server.openChat() };
  };
}

/** Calls `start` before the tests of a block, and ends what it started after them. Returns a function for its value. */
export function share<T>(start: (atEnd: AtEnd) => Promise<T>): () => T {
  let value: T;
  const ends: Parameters<AtEnd>[0][] = [];
  // A hook that is registered while `beforeAll` runs is never called.
  beforeAll(async () => {
    value = await start((end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => value;
}
