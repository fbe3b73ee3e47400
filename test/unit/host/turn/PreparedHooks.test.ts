/** Which controller a turn has. Tests of the interceptors prove when it has one, and what it runs. */
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Mock, test, vi } from "vitest";
import { ChatCards } from "@/host/session/ChatCards";
import type * as Engine from "@/host/hostEngineExports";
import type { WorkspaceHooks } from "@/host/session/WorkspaceHooks";
import type { HostAgentSession, HostMetadata, HostRuntime } from "@/host/muxTypes";
import { PreparedHooks } from "@/host/turn/PreparedHooks";
import { WorkspaceLocator } from "@/host/workspace/liveWorkspaces";
import { FrozenTurn } from "@/node/services/hooks/index";
import { tempDir } from "@test/helpers/tempDir";

/** Makes a turn whose hook files and controllers are fakes of the test. */
async function makeTurn(event: "Stop" | "SubagentStop", metadata: Partial<HostMetadata> = {}) {
  const home = await tempDir();
  const dir = join(home, "lab");
  await mkdir(dir);
  const data: HostMetadata = { name: "lab", projectPath: home, namedWorkspacePath: dir };
  const host = { metadata: { ...data, ...metadata } };
  const session: HostAgentSession = {
    workspaceId: "w1",
    config: { getSessionDir: () => home },
    aiService: {
      emit: () => false,
      isStreaming: () => false,
      stopStream: () => Promise.resolve(),
      getWorkspaceMetadata: () => Promise.resolve({ success: true, data: host.metadata }),
    },
    sendMessage: () => Promise.resolve(),
    queueMessage: () => undefined,
  };
  const checkouts = new WorkspaceLocator();
  /** The method `dispose` of each controller. */
  const disposals: Mock[] = [];
  const open = vi.fn(() => {
    const dispose = vi.fn(() => Promise.resolve());
    disposals.push(dispose);
    const controller = { turn: FrozenTurn.EMPTY, beginTurn: () => Promise.resolve(true), dispose };
    return Promise.resolve(controller as unknown as WorkspaceHooks);
  });
  const engine = { FrozenTurn, WorkspaceHooks: { open } } as unknown as typeof Engine;
  const turn = new PreparedHooks(
    { event, hasHookFiles: () => true },
    {
      checkouts,
      engine: () => Promise.resolve(engine),
      place: { env: {}, home },
      cards: new ChatCards(() => undefined),
    }
  );
  const find = async (): Promise<WorkspaceHooks> => (await turn.controllerAtEnd(session))!;
  return { dir, turn, session, host, checkouts, open, disposals, find };
}

test.each([
  ["Stop", {}, 2],
  ["SubagentStop", { parentWorkspaceId: "p1" }, 1],
] as const)(
  "%s hooks with %o open %i controllers if the workspace is renamed, and another one has its old name",
  async (...renamed) => {
    const [event, metadata, opened] = renamed;
    const { dir, turn, session, host, open, disposals, find } = await makeTurn(event, metadata);
    turn.begin(session, Promise.resolve());
    const first = await find();
    expect(await find()).toBe(first);
    host.metadata = { ...host.metadata, namedWorkspacePath: `${dir}-new` };
    await rename(dir, `${dir}-new`);
    await mkdir(dir);
    expect((await find()) === first).toBe(opened === 1);
    expect(open).toHaveBeenCalledTimes(opened);
    expect(disposals[0]).toHaveBeenCalledTimes(opened - 1);
  }
);

test("a workspace that moves to the same folder of another machine gets another controller", async () => {
  const { host, checkouts, disposals, find } = await makeTurn("Stop");
  const moveTo = (name: string): void => {
    const exec = () => Promise.reject(new Error("not used"));
    const runtime: HostRuntime = { exec, getWorkspacePath: () => "~/work" };
    checkouts.useHelpers({ createRuntimeForWorkspace: () => runtime });
    host.metadata = { ...host.metadata, runtimeConfig: { type: "ssh", host: name } };
  };
  moveTo("box");
  const first = await find();
  moveTo("other");
  expect(await find()).not.toBe(first);
  expect(disposals[0]).toHaveBeenCalledOnce();
});

test("a turn keeps its controller after dispose, and drops it after close", async () => {
  const { turn, disposals, find } = await makeTurn("Stop");
  const first = await find();
  await turn.dispose();
  expect(await find()).toBe(first);
  await turn.close();
  expect(turn.controller).toBeUndefined();
  expect(disposals[0]).toHaveBeenCalledTimes(2);
  expect(await find()).not.toBe(first);
});
