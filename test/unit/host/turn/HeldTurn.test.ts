import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ChatCards } from "@/host/session/ChatCards";
import type * as Engine from "@/host/engine";
import type { HostAgentSession, HostMetadata, HostRuntime } from "@/host/muxTypes";
import { StreamStarts } from "@/host/stop/StreamStarts";
import { HeldTurn, type TurnController, type TurnKind } from "@/host/turn/HeldTurn";
import { WorkspaceLocator } from "@/host/workspace/Workspaces";
import { FrozenTurn } from "@/node/services/hooks/index";
import { tempDir } from "@test/helpers/tempDir";
import { eventually } from "@test/helpers/soon";

class FakeController implements TurnController {
  readonly turn = FrozenTurn.EMPTY;
  readonly beginTurn = vi.fn<TurnController["beginTurn"]>(() => Promise.resolve(true));
  readonly dispose = vi.fn(() => Promise.resolve());
}

interface Setup {
  readonly event?: "Stop" | "SubagentStop";
  readonly metadata?: Partial<HostMetadata>;
  /** Folder of the workspace on another machine that the host gives access to. */
  readonly remoteDir?: string;
}

const SSH: Partial<HostMetadata> = { runtimeConfig: { type: "ssh" } };
const STARTED = Promise.resolve();

/** Makes a turn whose hook files and controllers are fakes of the test. */
async function makeTurn({ event = "Stop", metadata, remoteDir }: Setup = {}) {
  const home = await tempDir();
  const found = { name: "lab", projectPath: home, namedWorkspacePath: home, ...metadata };
  const host: { metadata: HostMetadata } = {
    metadata: remoteDir === undefined ? found : { ...found, ...SSH },
  };
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
  const runtime: HostRuntime = {
    exec: () => Promise.reject(new Error("not used")),
    getWorkspacePath: () => remoteDir ?? home,
  };
  if (remoteDir !== undefined) checkouts.useHelpers({ createRuntimeForWorkspace: () => runtime });

  const controllers: FakeController[] = [];
  const kind = {
    event,
    hasHookFiles: vi.fn<TurnKind<FakeController>["hasHookFiles"]>(() => true),
    open: vi.fn<TurnKind<FakeController>["open"]>(() => {
      const controller = new FakeController();
      controllers.push(controller);
      return Promise.resolve(controller);
    }),
    onOutOfReach: vi.fn(),
  };
  const engine = vi.fn(() => Promise.resolve({ FrozenTurn } as typeof Engine));
  const lines: string[] = [];
  const turn = new HeldTurn(kind, {
    checkouts,
    engine,
    place: { env: {}, home },
    cards: new ChatCards((text) => lines.push(text)),
  });
  return { turn, kind, session, host, checkouts, controllers, engine, lines, home };
}

describe("a turn without hook files", () => {
  test("loads nothing", async () => {
    const { turn, kind, session, engine, checkouts } = await makeTurn();
    kind.hasHookFiles.mockReturnValue(false);
    turn.begin(session, STARTED);
    expect(await turn.controllerAtEnd(session)).toBeUndefined();
    expect(turn.mayRunHooks(await checkouts.find(session))).toBe(false);
    expect(turn.controller).toBeUndefined();
    expect(engine).not.toHaveBeenCalled();
  });

  test("has an empty plan, and no controller", async () => {
    const { turn, kind, session } = await makeTurn();
    kind.hasHookFiles.mockReturnValue(false);
    turn.begin(session, STARTED);
    expect(await turn.plan()).toBe(FrozenTurn.EMPTY);
    expect(kind.open).not.toHaveBeenCalled();
  });

  test("begins once, without hooks, if a hook file appears before its end (H7)", async () => {
    const { turn, kind, session, checkouts } = await makeTurn();
    kind.hasHookFiles.mockReturnValue(false);
    turn.begin(session, STARTED);
    await turn.controllerAtEnd(session);
    kind.hasHookFiles.mockReturnValue(true);
    expect(turn.mayRunHooks(await checkouts.find(session))).toBe(true);
    const controller = await turn.controllerAtEnd(session);
    expect(await turn.controllerAtEnd(session)).toBe(controller);
    expect(controller?.beginTurn.mock.calls).toEqual([[false]]);
  });

  test("has the hooks of the turn in which another agent requested it", async () => {
    const { turn, kind, session } = await makeTurn();
    kind.hasHookFiles.mockReturnValue(false);
    turn.begin(session, STARTED, () => Promise.resolve(FrozenTurn.EMPTY));
    const controller = await turn.controllerAtEnd(session);
    expect(controller?.beginTurn.mock.calls).toEqual([[false, FrozenTurn.EMPTY]]);
  });
});

test("a turn with hooks opens one controller, and later turns use it", async () => {
  const { turn, kind, session, controllers } = await makeTurn();
  turn.begin(session, STARTED);
  const controller = await turn.controllerAtEnd(session);
  turn.begin(session, STARTED);
  expect(await turn.controllerAtEnd(session)).toBe(controller);
  expect(controllers).toEqual([controller]);
  expect(controller?.beginTurn.mock.calls).toEqual([
    [true, undefined],
    [true, undefined],
  ]);
  expect(await turn.plan()).toBe(controller?.turn);
  expect(kind.open.mock.calls[0]?.[1]).toMatchObject({ session, checkout: { remote: false } });
});

test("a turn that was not prepared opens a controller at its end, and begins no turn", async () => {
  const { turn, session } = await makeTurn();
  expect(await turn.plan()).toBeUndefined();
  const controller = await turn.controllerAtEnd(session);
  expect(controller?.beginTurn).not.toHaveBeenCalled();
});

describe("on another machine", () => {
  test("the controller is opened once the host has prepared the machine", async () => {
    const { turn, kind, session } = await makeTurn({ remoteDir: "~/work" });
    const starts = new StreamStarts();
    turn.begin(session, starts.next("w1"));
    const ends = turn.controllerAtEnd(session);
    await eventually(() => {
      expect(kind.hasHookFiles).toHaveBeenCalled();
    });
    expect(kind.open).not.toHaveBeenCalled();
    starts.settle("w1");
    expect(await ends).toBeInstanceOf(FakeController);
  });

  /** Makes a turn whose machine was searched and has no hooks. */
  async function searched() {
    const made = await makeTurn({ remoteDir: "~/work" });
    const controller = new FakeController();
    controller.beginTurn.mockResolvedValue(false);
    made.kind.open.mockResolvedValue(controller);
    const checkout = await made.checkouts.find(made.session);
    expect(made.turn.mayRunHooks(checkout)).toBe(true);
    made.turn.begin(made.session, STARTED);
    expect(await made.turn.controllerAtEnd(made.session)).toBeUndefined();
    expect(made.turn.mayRunHooks(checkout)).toBe(false);
    return { ...made, checkout };
  }

  test("a search without hooks counts until the next turn", async () => {
    const { turn, session, checkout } = await searched();
    turn.begin(session, STARTED);
    expect(turn.mayRunHooks(checkout)).toBe(true);
    expect(await turn.controllerAtEnd(session)).toBeUndefined();
    expect(turn.mayRunHooks(checkout)).toBe(false);
  });

  test("a hook of the user counts after that search (H7)", async () => {
    const { turn, session, checkout, home } = await searched();
    await mkdir(join(home, ".mux"));
    await writeFile(join(home, ".mux", "settings.json"), "{}");
    expect(turn.mayRunHooks(checkout)).toBe(true);
    expect(await turn.controllerAtEnd(session)).toBeInstanceOf(FakeController);
  });

  test("an error of the preparation is not logged, because the end of the turn reports it", async () => {
    const { turn, kind, session, lines } = await makeTurn({ remoteDir: "~/work" });
    kind.open.mockRejectedValue(new Error("no route"));
    turn.begin(session, STARTED);
    await expect(turn.controllerAtEnd(session)).rejects.toThrow("no route");
    expect(lines).toEqual([]);
  });

  test("no hook runs if the host gives no access to the machine", async () => {
    const { turn, kind, session, checkouts } = await makeTurn({ metadata: SSH });
    turn.begin(session, STARTED);
    expect(await turn.controllerAtEnd(session)).toBeUndefined();
    const checkout = await checkouts.find(session);
    expect(turn.mayRunHooks(checkout)).toBe(false);
    expect(kind.onOutOfReach.mock.calls).toEqual([[session, checkout]]);
    expect(kind.hasHookFiles).not.toHaveBeenCalled();
  });
});

test.each([
  ["Stop", { parentWorkspaceId: "p1" }, false],
  ["Stop", {}, true],
  ["SubagentStop", { parentWorkspaceId: "p1" }, true],
  ["SubagentStop", {}, false],
] as const)("%s hooks may run in a workspace with %o: %s", async (event, metadata, mayRun) => {
  const { turn, session, checkouts } = await makeTurn({ event, metadata });
  turn.begin(session, STARTED);
  expect(turn.mayRunHooks(await checkouts.find(session))).toBe(mayRun);
  expect((await turn.controllerAtEnd(session)) !== undefined).toBe(mayRun);
});

test("after a failure the next turn opens the controller", async () => {
  const { turn, kind, session, lines } = await makeTurn();
  kind.open.mockRejectedValueOnce(new Error("no engine"));
  turn.begin(session, STARTED);
  await turn.plan();
  expect(lines).toEqual([
    "the Stop hooks of this turn could not be prepared when it began, so they are read at its end: no engine",
  ]);
  expect(turn.controller).toBeUndefined();
  turn.begin(session, STARTED);
  expect(await turn.controllerAtEnd(session)).toBeInstanceOf(FakeController);
});

test.each([
  ["Stop", {}, 2],
  ["SubagentStop", { parentWorkspaceId: "p1" }, 1],
] as const)(
  "%s hooks with %o open %i controllers if the workspace is renamed",
  async (...renamed) => {
    const [event, metadata, opened] = renamed;
    const { turn, session, host, checkouts, controllers } = await makeTurn({ event, metadata });
    turn.begin(session, STARTED);
    await turn.controllerAtEnd(session);
    host.metadata = { ...host.metadata, namedWorkspacePath: await tempDir() };
    checkouts.forget("w1");
    expect(await turn.controllerAtEnd(session)).toBe(controllers.at(-1));
    expect(controllers).toHaveLength(opened);
    expect(controllers[0]?.dispose).toHaveBeenCalledTimes(opened - 1);
  }
);

test("a workspace that moves to the same folder of another machine gets another controller", async () => {
  const { turn, session, host, checkouts, controllers } = await makeTurn({ remoteDir: "~/work" });
  turn.begin(session, STARTED);
  const first = await turn.controllerAtEnd(session);
  const exec = () => Promise.reject(new Error("not used"));
  checkouts.useHelpers({
    createRuntimeForWorkspace: () => ({ exec, getWorkspacePath: () => "~/work" }),
  });
  host.metadata = { ...host.metadata, runtimeConfig: { type: "ssh", host: "other" } };
  expect(await turn.controllerAtEnd(session)).not.toBe(first);
  expect(controllers).toHaveLength(2);
  expect(first?.dispose).toHaveBeenCalledOnce();
});

test("a turn keeps its controller after dispose, and drops it after close", async () => {
  const { turn, session } = await makeTurn();
  const first = await turn.controllerAtEnd(session);
  await turn.dispose();
  expect(await turn.controllerAtEnd(session)).toBe(first);
  await turn.close();
  expect(turn.controller).toBeUndefined();
  expect(first?.dispose).toHaveBeenCalledTimes(2);
  expect(await turn.controllerAtEnd(session)).not.toBe(first);
});
