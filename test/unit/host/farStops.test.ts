/** Stops of a workspace on another machine (H33 to H35). */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { remoteLabel } from "@/host/session/MuxRemoteShell";
import { knowsTrust } from "@/host/session/muxProjectTrust";
import * as attachedHost from "@test/helpers/host/attachedHost";
import { TestHostRuntime } from "@test/helpers/host/hostRuntime";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { eventually, expectSoon } from "@test/helpers/soon";

const BLOCK = "echo 'Not yet.' >&2; exit 2";

interface Far extends attachedHost.AttachedHost {
  readonly way: TestHostRuntime;
  /** Home folder and checkout on the other machine. */
  readonly farHome: string;
  readonly checkout: string;
}

/** Attaches to a host whose workspace is on another machine, with the hook in its checkout. */
async function makeFar({ hook, ...setup }: attachedHost.Setup = {}): Promise<Far> {
  const farHome = await tempDir();
  const checkout = join(farHome, "src", "project", "topic");
  await mkdir(checkout, { recursive: true });
  if (hook !== undefined) await attachedHost.writeHook(checkout, hook);
  const way = new TestHostRuntime({ PATH: process.env.PATH, HOME: farHome }, "~/src/project/topic");
  const metadata = { runtimeConfig: { type: "ssh", host: "box" } };
  const host = await attachedHost.makeHost({ metadata, far: way, ...setup });
  await putFile(join(host.home, "sessions/w1/chat.jsonl"), '{"role":"user","parts":[]}\n');
  return { ...host, way, farHome, checkout };
}

/** Sends a message of the user, and lets the host prepare its answer. */
async function turnBegins(host: Far): Promise<void> {
  await attachedHost.userSays(host);
  host.service.emit("stream-start", { workspaceId: "w1" });
}

/** Sends a message of the user, and ends its turn. */
async function farTurn(host: Far): Promise<void> {
  await turnBegins(host);
  await attachedHost.endTurn(host);
}

/** Waits until the other machine was searched for hooks. */
async function lookedAt(host: Far): Promise<void> {
  await eventually(() => {
    host.ended.length = 0;
    host.service.emit("stream-end", attachedHost.END);
    expect(host.ended).toHaveLength(1);
  });
}

test("searches the checkout once the host has prepared it, and removes its files with the session", async () => {
  const host = await makeFar();
  await attachedHost.userSays(host);
  await attachedHost.writeHook(host.checkout, BLOCK);
  expect(host.way.count).toBe(0);
  host.service.emit("stream-start", { workspaceId: "w1" });
  await attachedHost.endTurn(host);
  expect(host.session.queue).toHaveLength(1);
  host.session.dispose();
  await expectSoon(() => readdir(join(host.farHome, ".cache", "mux-stop-hooks"))).toEqual([]);
});

describe("a remote workspace without hooks", () => {
  test("is searched once in each turn, whose end waits only for that", async () => {
    const host = await makeFar();
    await turnBegins(host);
    await lookedAt(host);
    const { count } = host.way;
    host.service.emit("stream-end", attachedHost.END);
    expect(host.ended).toHaveLength(2);
    expect(host.way.count).toBe(count);
    await farTurn(host);
    expect(host.way.count - count).toBe(1);
    await expect(readdir(join(host.farHome, ".cache"))).rejects.toThrow("ENOENT");
    expect(host.lines).toEqual([]);
    expect(host.session.queue).toEqual([]);
  });

  test("runs a hook that the agent has added only after the next user message (H7)", async () => {
    const host = await makeFar();
    await turnBegins(host);
    await lookedAt(host);
    await attachedHost.writeHook(host.checkout, BLOCK);
    await attachedHost.endTurn(host);
    expect(host.session.queue).toEqual([]);
    await farTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });

  test("runs a hook that the user has added at once (H7)", async () => {
    const host = await makeFar();
    await turnBegins(host);
    await lookedAt(host);
    const hooks = { Stop: [{ hooks: [{ type: "command", command: BLOCK }] }] };
    await putFile(join(host.home, ".mux", "settings.json"), JSON.stringify({ hooks }));
    await attachedHost.endTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });
});

describe("an unreachable machine does not hold a turn, and is reported once (H35):", () => {
  test("from the start of the turn", async () => {
    const host = await makeFar({ hook: BLOCK });
    host.way.lost = "no route to box";
    await farTurn(host);
    expect(host.session.queue).toEqual([]);
    expect(host.lines).toEqual([expect.stringContaining("no route to box")]);
    host.way.lost = undefined;
    await farTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });

  test("from the end of a turn on", async () => {
    const host = await makeFar({ hook: BLOCK });
    await farTurn(host);
    expect(host.session.queue.splice(0)).toHaveLength(1);
    host.way.lost = "no route to box";
    await attachedHost.endTurn(host);
    expect(host.session.queue).toEqual([]);
    expect(host.lines).toEqual([expect.stringContaining("no route to box")]);
  });
});

test("does not wait for a machine that does not answer after an interrupt (H22)", async () => {
  const host = await makeFar({ hook: BLOCK });
  host.way.exec = () => new Promise(() => undefined);
  await turnBegins(host);
  host.service.emit("stream-end", attachedHost.END);
  await host.service.stopStream("w1");
  expect(host.ended).toEqual([attachedHost.END]);
});

test("reports how to trust definitions on that machine, and accepts the trust of the local project (H31)", async () => {
  const host = await makeFar({ hook: BLOCK, isWorktree: true });
  expect(knowsTrust()).toBe(false);
  await farTurn(host);
  expect(host.session.queue).toEqual([]);
  expect(host.lines).toEqual([
    expect.stringContaining(
      `mux-stop-hooks hooks trust --show --workspace ssh://box${host.checkout}"`
    ),
  ]);

  await attachedHost.writeHook(join(host.home, "project"), BLOCK);
  await attachedHost.trustProject(host);
  await farTurn(host);
  expect(host.session.queue).toHaveLength(1);
});

test.each([
  [{ type: "ssh", host: "box" }, "ssh://box"],
  [{ type: "ssh", host: "me@box", port: 2222 }, "ssh://me@box:2222"],
  [{ type: "ssh", host: "me@::1" }, "ssh://me@[::1]"],
  [{ type: "docker", containerName: "lab" }, "docker://lab"],
  [{ type: "devcontainer" }, "devcontainer://w1"],
])("remoteLabel of %o is %s", (config, label) => {
  expect(remoteLabel(config, "w1")).toBe(label);
});

describe("a dev container", () => {
  test("is searched on this machine, and its hooks run in the folder that the host returns (H33)", async () => {
    const host = await makeFar({ hook: BLOCK });
    const { way, checkout } = host;
    const inContainer = Object.assign(way, {
      ensureReady: () => Promise.resolve({ ready: true }),
      getRemoteWorkspaceFolder: () => checkout,
      getWorkspacePath: () => host.dir,
    });
    const metadata = { id: "w1", runtimeConfig: { type: "devcontainer" } };
    const container = await attachedHost.makeHost({ hook: BLOCK, metadata, far: inContainer });
    inContainer.getWorkspacePath = () => container.dir;
    await attachedHost.userSays(container);
    container.service.emit("stream-start", { workspaceId: "w1" });
    await attachedHost.endTurn(container);
    expect(container.session.queue).toHaveLength(1);

    const bare = await attachedHost.makeHost({ metadata, far: inContainer });
    inContainer.getWorkspacePath = () => bare.dir;
    const { count } = way;
    await attachedHost.userSays(bare);
    bare.service.emit("stream-end", attachedHost.END);
    expect(bare.ended).toHaveLength(1);
    expect(way.count).toBe(count);

    // Its trusted hooks may run without a file in the checkout (H31).
    const record = `{"projects":{"devcontainer://w1${checkout}":[]}}`;
    await putFile(join(bare.home, ".mux", "hook-trust.json"), record);
    await turnBegins({ ...host, ...bare });
    await eventually(() => {
      expect(way.count).toBeGreaterThan(count);
    });
  });
});
