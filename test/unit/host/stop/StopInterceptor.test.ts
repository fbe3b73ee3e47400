import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { HostStreamEnd } from "@/host/muxTypes";
import type { InterceptorParts } from "@/host/stop/StopInterceptor";
import { loadHookSettings, LocalRuntime, recordTrust, type TrustPolicy } from "@/index";
import { findTrustStore, hookLoadOptions } from "@/wiring";
import {
  type AttachedHost,
  END,
  endTurn,
  gone,
  makeHost,
  pidOf,
  type Setup,
  userSays,
} from "@test/helpers/host/attachedHost";

const BLOCK = "echo 'Not yet.' >&2; exit 2";

describe("passes at once, in the same call,", () => {
  const now = (host: AttachedHost, end: Partial<HostStreamEnd> = {}): HostStreamEnd[] => {
    host.service.emit("stream-end", { ...END, ...end });
    return host.ended;
  };

  test("where nothing is configured", async () => {
    const host = await makeHost();
    await userSays(host);
    expect(now(host)).toHaveLength(1);
  });

  test.each([
    ["a turn that was cut", {}, { metadata: { finishReason: "length" } }],
    ["a sub-agent's turn", { metadata: { parentWorkspaceId: "p" } }, {}],
    [
      "a workspace on a machine that the host gives no way to",
      { metadata: { runtimeConfig: { type: "ssh" } } },
      {},
    ],
    ["a turn that nobody has seen begin", {}, { workspaceId: "other" }],
  ])("%s", async (_, setup: Setup, end: Partial<HostStreamEnd>) => {
    const host = await makeHost({ hook: BLOCK, ...setup });
    await userSays(host);
    expect(now(host, end)).toHaveLength(1);
    expect(host.session.queue).toEqual([]);
  });

  test("and where the host gives no way to its machine a line says so, once", async () => {
    const host = await makeHost({ hook: BLOCK, metadata: { runtimeConfig: { type: "ssh" } } });
    await userSays(host);
    await userSays(host);
    expect(host.lines).toEqual([
      "hooks do not run in ssh workspaces: this host gives no way to their machine",
    ]);
  });

  test("a turn that sums up the history, or after which the user has typed", async () => {
    const host = await makeHost({ hook: BLOCK });
    await userSays(host, { agentId: "compact" });
    expect(now(host)).toHaveLength(1);
    await userSays(host);
    host.session.queueMessage("and this");
    expect(now(host)).toHaveLength(2);
  });

  test("in a host that a hook has started", async () => {
    const env = { MUX_HOOK_EVENT: "Stop" };
    const host = await makeHost({ hook: BLOCK, parts: { place: { env, home: "/" } } });
    await userSays(host);
    expect(now(host)).toHaveLength(1);
  });
});

test("what was trusted in the project runs in its worktrees, until it changes (H31)", async () => {
  const host = await makeHost({ hook: BLOCK, isWorktree: true });
  await userSays(host);
  await endTurn(host);
  expect(host.lines).toEqual([expect.stringContaining("has not been trusted")]);
  expect(host.session.queue).toEqual([]);

  const load = hookLoadOptions(new LocalRuntime(), host.place);
  const policy: TrustPolicy = {
    decide: async (request) => {
      const store = await findTrustStore(new LocalRuntime(), host.place);
      if (store === undefined) throw new Error("there is no place for a record");
      (await recordTrust(store, request, new Date()))._unsafeUnwrap();
      return { trusted: true };
    },
  };
  await loadHookSettings(new LocalRuntime(), join(host.home, "project"), {
    ...load,
    trust: policy,
  });
  await userSays(host);
  await endTurn(host);
  expect(host.session.queue).toHaveLength(1);
});

describe("is held while hooks run:", () => {
  test("the agent streams until its continuation has begun, or was taken back", async () => {
    const host = await makeHost({ hook: BLOCK });
    await userSays(host);
    await endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    host.session.queue.length = 0;
    const sent = host.session.sendMessage("the continuation");
    expect(host.service.isStreaming("w1")).toBe(true);
    await sent;
    expect(host.service.isStreaming("w1")).toBe(false);

    await endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    host.session.queue.length = 0;
    expect(host.service.isStreaming("w1")).toBe(false);
  });

  test("to everybody the agent still streams, and then goes on with the turn's own options (H28)", async () => {
    const host = await makeHost({ hook: BLOCK });
    await userSays(host, { agentId: "exec", editMessageId: "m0", fileParts: [] });
    const ends = endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    expect(host.ended).toEqual([]);
    await ends;
    expect(host.gate.continues("w1")).toBe(true);
    expect(host.session.queue).toEqual([
      {
        message: "[Stop hook requested continuation]\nNot yet.",
        options: {
          agentId: "exec",
          model: "claude",
          muxMetadata: { stopHookActive: true },
        },
        internal: { synthetic: true, agentInitiated: true },
      },
    ]);
    expect(host.session.chat).toContainEqual(
      expect.objectContaining({ type: "runtime-status", phase: "waiting" })
    );
  });

  test("hooks that agree let it end", async () => {
    const host = await makeHost({ hook: "exit 0" });
    await userSays(host);
    await endTurn(host);
    expect(host.session.queue).toEqual([]);
  });

  test("what hooks are told is the last text, and the folder of the checkout (H13)", async () => {
    const host = await makeHost({ hook: 'cat > "$MUX_PROJECT_DIR/input.json"' });
    await userSays(host, { agentId: "plan" });
    await endTurn(host);
    const input: unknown = JSON.parse(await readFile(join(host.dir, "input.json"), "utf8"));
    expect(input).toMatchObject({
      session_id: "w1",
      cwd: host.dir,
      transcript_path: join(host.home, "sessions", "chat.jsonl"),
      permission_mode: "plan",
      last_assistant_message: "I am done.",
      stop_hook_active: false,
    });
  });

  test("after three continuations the agent may stop, and a line says why (H26)", async () => {
    const host = await makeHost({ hook: BLOCK });
    await userSays(host);
    for (let stop = 1; stop <= 4; stop++) {
      await endTurn(host);
      const [continuation] = host.session.queue.splice(0);
      if (continuation) await host.session.sendMessage(continuation.message, continuation.options);
      expect(continuation === undefined).toBe(stop === 4);
    }
    expect(host.lines).toEqual([expect.stringContaining("3 times")]);
  });

  test("a user who interrupts ends the turn first, and the hook with it (H22)", async () => {
    const host = await makeHost({ hook: 'echo $$ > "$MUX_PROJECT_DIR/pid"; exec sleep 60' });
    await userSays(host);
    host.service.emit("stream-end", END);
    const pid = await pidOf(join(host.dir, "pid"));
    await host.service.stopStream("w1");
    expect(host.ended).toEqual([END]);
    expect(host.service.stopped).toEqual(["w1"]);
    await gone(pid);
    expect(host.session.queue).toEqual([]);
  });

  test("what the user types meanwhile goes first, and the verdict is dropped (H28)", async () => {
    const wait = 'while [ ! -e "$MUX_PROJECT_DIR/go" ]; do sleep 0.01; done';
    const host = await makeHost({ hook: `${wait}; ${BLOCK}` });
    await userSays(host);
    const ends = endTurn(host);
    host.session.queueMessage("Do this instead.");
    await writeFile(join(host.dir, "go"), "");
    await ends;
    expect(host.session.queue.map(({ message }) => message)).toEqual(["Do this instead."]);
  });

  test("a session that is disposed meanwhile is let go", async () => {
    const host = await makeHost({ hook: 'touch "$MUX_PROJECT_DIR/pid"; exec sleep 60' });
    await userSays(host);
    const ends = endTurn(host);
    host.session.dispose();
    await ends;
    expect(host.session.queue).toEqual([]);
  });

  test("a fault of ours is a line, the turn ends, and the next one tries again", async () => {
    let isBroken = true;
    const engine = async (): ReturnType<InterceptorParts["engine"]> => {
      if (isBroken) throw new Error("no engine");
      return await import("@/host/engine");
    };
    const host = await makeHost({ hook: BLOCK, parts: { engine } });
    await userSays(host);
    await endTurn(host);
    expect(host.lines).toContainEqual(expect.stringContaining("no engine"));
    expect(host.session.queue).toEqual([]);
    isBroken = false;
    await userSays(host);
    await endTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });

  test("a listener of the host that fails does not end it", async () => {
    const host = await makeHost({ hook: "exit 0" });
    await userSays(host);
    host.service.on("stream-end", () => {
      throw new Error("cannot show it");
    });
    host.service.emit("stream-end", END);
    await vi.waitFor(() => {
      expect(host.lines).toEqual([expect.stringContaining("cannot show it")]);
    });
  });

  test("a hook that the agent has made in this turn waits for the user (H7)", async () => {
    const host = await makeHost();
    await userSays(host);
    await writeFile(join(host.dir, ".mux", "stop"), `#!/bin/sh\n${BLOCK}\n`, { mode: 0o755 });
    await endTurn(host);
    expect(host.session.queue).toEqual([]);
    await userSays(host);
    await endTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });
});
