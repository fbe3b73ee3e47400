/** The hooks of a workspace on another machine than the session (H33 to H35). */
import { appendFile, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { createBuiltins } from "@/wiring";
import { enable, stopHooks, writeJson, writePlugin } from "@test/helpers/hooks/claudePlugins";
import { FarProject } from "@test/helpers/remote/farProject";
import { answers, HookServer } from "@test/helpers/hooks/hookServer";
import { command, hooks } from "@test/helpers/hooks/settingsProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { expectSoon } from "@test/helpers/soon";
import { putFile } from "@test/helpers/tempDir";

const SAVE_INPUT = "cat > input.json; env > env.txt";
const COPY = 'cat "$BOX$MUX_TRANSCRIPT_PATH" > seen.jsonl';

function watch(project: FarProject, builtins = new BuiltinHooks()): WatchedController {
  return new WatchedController(project, { builtins });
}

async function givenTo(project: FarProject): Promise<StopHookInput> {
  return JSON.parse(await project.read("input.json")) as StopHookInput;
}

async function configureUser({ home }: FarProject, settings: unknown): Promise<void> {
  await writeJson(join(home, ".mux", "settings.json"), settings);
}

/** Lists the session files on the workspace's machine. */
async function leftThere(project: FarProject): Promise<string[]> {
  return await readdir(project.runtime.at("/scratch"), { recursive: true }).catch(() => []);
}

describe("machines (H33)", () => {
  test("case 142: a hook runs on the workspace's machine, and gets only paths of that machine", async () => {
    const project = await FarProject.with(SAVE_INPUT, COPY);
    await project.stop();
    const input = await givenTo(project);
    expect(input).toMatchObject({ cwd: project.dir, session_id: "workspace-1" });
    expect(input.transcript_path).toMatch(/^\/scratch\/session-\w+\/chat\.jsonl$/);
    expect(await project.read("seen.jsonl")).toBe(await readFile(project.transcript, "utf8"));
    const env = (await project.read("env.txt")).split("\n");
    expect(env).toContain(`MUX_TRANSCRIPT_PATH=${input.transcript_path}`);
    expect(env).toContain(`MUX_PROJECT_DIR=${project.dir}`);
  });

  test("skips the user's plugin if the workspace's machine lacks its folder (H38)", async () => {
    const project = await FarProject.with();
    const root = join(project.home, "a plugin");
    const lists = join(project.home, ".claude", "plugins", "installed_plugins.json");
    const plugins = { "a@m": [{ scope: "user", installPath: root, version: "1" }] };
    await configureUser(project, { importClaudeHooks: true });
    await writeJson(join(project.home, ".claude", "settings.json"), enable("a@m"));
    await writeJson(lists, { version: 2, plugins });
    await writePlugin(root, {
      hooks: stopHooks('sh "$BOX${CLAUDE_PLUGIN_ROOT}/stop.sh" > user.txt'),
    });
    const skipped = await project.stop();
    expect(skipped).toMatchObject({ shouldStop: true, runs: [] });
    expect(skipped.skipped).toMatchObject([
      { visible: true, reason: expect.stringContaining(`which has no folder ${root}`) as string },
    ]);
    await writePlugin(project.runtime.at(root), { files: { "stop.sh": "echo there" } });
    await project.stop();
    expect(await project.read("user.txt")).toBe("there\n");
  });

  test("sends the request of an http handler from this machine, with paths of this machine (H42)", async () => {
    const server = await HookServer.start(answers({ decision: "block", reason: "R" }));
    const project = await FarProject.with();
    await configureUser(project, hooks({ type: "http", url: server.url() }));
    expect(await project.stop()).toMatchObject({ continueReason: "R" });
    const input = JSON.parse(server.requests[0]!.body) as StopHookInput;
    expect(input.transcript_path).toBe(project.transcript);
    expect(await leftThere(project)).toEqual([]);
  });

  test("runs the earlier version of a changed script hook from a private copy (H7, H31)", async () => {
    const project = await FarProject.with();
    await project.write(".mux/stop", '#!/bin/sh\necho "held $MUX_HOOK_PATH" >&2; exit 2\n', 0o755);
    const watched = watch(project);
    await watched.controller.beginTurn();
    await project.write(".mux/stop", "#!/bin/sh\nexit 0\n", 0o755);
    const verdict = await watched.turnEnds({ input: project.input });
    expect(verdict).toHaveProperty(
      "message",
      `[Stop hook requested continuation]\nheld ${join(project.dir, ".mux/stop")}`
    );
    await watched.controller.dispose();
  });

  test("writes records beside the transcript on this machine (H24)", async () => {
    const project = await FarProject.with("exit 0");
    await project.stop();
    const folder = await readdir(dirname(project.transcript));
    expect(folder.toSorted()).toEqual(["chat.jsonl", "hook-runs.jsonl"]);
  });

  test("gives a built-in handler the transcript of this machine", async () => {
    const project = await FarProject.with("exit 0");
    let given = "";
    const builtins = new BuiltinHooks().register(
      "own",
      ({ input }) => {
        given = input.transcript_path;
        return Promise.resolve(undefined);
      },
      { events: ["Stop"] }
    );
    await project.stop({ builtins });
    expect(given).toBe(project.transcript);
  });

  test("uses a copy of the transcript that the caller has made", async () => {
    const project = await FarProject.with(SAVE_INPUT);
    await project.stop({
      input: { transcript_path: "/copies/chat.jsonl" },
      hostTranscriptPath: project.transcript,
    });
    expect((await givenTo(project)).transcript_path).toBe("/copies/chat.jsonl");
    expect(await leftThere(project)).toEqual([]);
  });
});

describe("transcripts on the other machine (H34)", () => {
  test("have Claude's format for a hook with the claude dialect", async () => {
    const project = await FarProject.with({
      command: 'cat > input.json; cat "$BOX$MUX_TRANSCRIPT_PATH" > seen.jsonl',
      dialect: "claude",
    });
    await project.stop();
    expect((await givenTo(project)).transcript_path).toMatch(/\/chat\.claude\.jsonl$/);
    const [first] = (await project.read("seen.jsonl")).split("\n");
    expect(JSON.parse(first!)).toMatchObject({ type: "user", message: { role: "user" } });
  });

  test.each(["mux", "claude"])(
    "are complete for the hook of a sub-agent in the %s dialect",
    async (dialect) => {
      const project = await FarProject.with({
        command: `cat > input.json; for f in $(grep -o '/scratch/[^"]*' input.json); do cat "$BOX$f" || exit 1; done > all.txt`,
        dialect,
      });
      const parent = join(dirname(dirname(project.transcript)), "parent", "chat.jsonl");
      await putFile(
        parent,
        `${JSON.stringify({ role: "user", parts: [{ type: "text", text: "P" }] })}\n`
      );
      const { warnings } = await project.stop({
        input: {
          hook_event_name: "SubagentStop",
          agent_type: "explore",
          agent_transcript_path: project.transcript,
          parent_session_id: "parent",
          parent_transcript_path: parent,
        },
      });
      expect(warnings).toBeUndefined();
      const input = await givenTo(project);
      const paths = [
        input.transcript_path,
        input.agent_transcript_path,
        input.parent_transcript_path,
      ];
      for (const path of paths) expect(path).toMatch(/^\/scratch\//);
      expect(await project.read("all.txt")).toContain("assistant text");
    }
  );

  test("are removed with the session, together with the long texts that the agent can read (H17)", async () => {
    const project = await FarProject.with("printf %20000d 7 >&2; exit 2");
    const watched = watch(project);
    const verdict = await watched.turnEnds();
    const [, path = ""] = /full text in (\S+) …/.exec(JSON.stringify(verdict)) ?? [];
    expect((await stat(project.runtime.at(path))).size).toBe(20_000);
    expect(await leftThere(project)).toContainEqual(expect.stringMatching(/hook-output\/.*txt$/));
    await watched.controller.dispose();
    expect(await leftThere(project)).toEqual([]);
  });

  test("of a single call are removed after its hooks, including background hooks", async () => {
    const project = await FarProject.with(
      {
        command: 'until [ -e go ]; do sleep 0.05; done; cat "$BOX$MUX_TRANSCRIPT_PATH" > late',
        async: true,
      },
      "exit 0"
    );
    await project.stop();
    expect(await leftThere(project)).not.toEqual([]);
    await project.write("go", "");
    await expectSoon(() => leftThere(project)).toEqual([expect.stringMatching(/^session-\w+$/)]);
    expect(await project.read("late")).toBe(await readFile(project.transcript, "utf8"));
  });

  test("are a warning if they cannot be copied, and hooks get the path of this machine", async () => {
    const project = await FarProject.with(SAVE_INPUT);
    project.runtime.failing = "writeFile";
    const result = await project.stop();
    expect(result.warnings).toEqual([
      "the transcript could not be copied to ssh://box, so hooks that read it there will not find it: no space left on device",
    ]);
    expect((await givenTo(project)).transcript_path).toBe(project.transcript);
  });

  test("are not copied if no program runs", async () => {
    const project = await FarProject.with();
    const builtins = new BuiltinHooks().register("own", () => Promise.resolve(undefined), {
      events: ["Stop"],
    });
    const watched = watch(project, builtins);
    await watched.turnEnds();
    await watched.turnEnds();
    expect(project.runtime.takeTicks().flat()).not.toContain("scratchDir");
    await watched.controller.dispose();
  });
});

describe("round trips", () => {
  test("a warm stop makes one before its hooks, and one per hook", async () => {
    const project = await FarProject.with("exit 0", "true", {
      command: "exit 0 ",
      dialect: "claude",
    });
    await project.write(".mux/stop", "#!/bin/sh\n", 0o755);
    await project.write(".gauntlet/config.yml", "entry_points: [{path: .}]\n");
    await project.write(".gauntlet/checks/lint.yml", "command: 'true'\n");
    await project.write("sub/.keep", "");
    await aWhile();
    const watched = watch(project, createBuiltinsWithoutRuns());
    const input = { ...project.input, cwd: join(project.dir, "sub") };
    await watched.controller.beginTurn();
    project.runtime.takeTicks();
    await watched.turnEnds({ input });
    const cold = project.runtime.takeTicks();
    await appendFile(project.transcript, '{"role":"user","parts":[]}\n');
    await watched.turnEnds({ input });
    const warm = project.runtime.takeTicks();
    expect(warm.map((tick) => tick.filter((what) => what !== "stat"))).toEqual([
      ["appendFile", "appendFile"],
      ["exec", "exec", "exec", "scratchDir"],
      // A script hook runs from a copy, which is written before and removed after (H31).
      ["createFile"],
      ["exec"],
      ["remove"],
    ]);
    expect(cold.map((tick) => [...new Set(tick)].join())).toEqual([
      "stat",
      "scratchDir",
      "writeFile,stat",
      "exec,scratchDir",
      "createFile",
      "exec",
      "remove",
    ]);
    await watched.controller.dispose();
  });

  test("a stop without hooks makes one", async () => {
    const project = await FarProject.with();
    const watched = watch(project);
    await watched.turnEnds();
    project.runtime.takeTicks();
    await watched.turnEnds();
    expect(project.runtime.takeTicks()).toEqual([["stat"]]);
  });

  test("hooks that were added after the last stop get the transcript as well", async () => {
    const project = await FarProject.with("exit 0");
    const watched = watch(project);
    await watched.turnEnds();
    await project.configure(hooks(COPY, command(SAVE_INPUT, { dialect: "claude" })));
    await watched.turnEnds();
    expect(await project.read("seen.jsonl")).toBe(await readFile(project.transcript, "utf8"));
    expect((await givenTo(project)).transcript_path).toMatch(/\.claude\.jsonl$/);
    await watched.controller.dispose();
  });
});

describe("a lost connection (H35)", () => {
  const LOST = "no hook runs, because the workspace cannot be reached: box: connection refused";

  /** Lets the connection end at that point of a stop. */
  function cutWhile({ runtime }: FarProject, when: "transcripts are sent" | "hooks run"): void {
    const [exec, scratchDir] = [runtime.exec.bind(runtime), runtime.scratchDir.bind(runtime)];
    if (when === "hooks run") {
      runtime.exec = async (request) => {
        const result = await exec(request);
        return { ...result, end: { kind: "lost", message: "box: cut" } };
      };
    } else {
      runtime.scratchDir = async () => {
        runtime.lost = "box: cut";
        return await scratchDir();
      };
    }
  }

  test("is one warning after a single attempt, and the agent stops", async () => {
    const project = await FarProject.with("exit 2", "exit 2 ", "exit 2  ");
    await configureUser(project, hooks("exit 2   "));
    await project.write(".gauntlet/config.yml", "entry_points: [{path: .}]\n");
    const watched = watch(project, createBuiltins());
    await watched.controller.beginTurn();
    project.runtime.takeTicks();
    project.runtime.lost = "box: connection refused";
    expect(await watched.turnEnds()).toEqual({ action: "end", reason: LOST, unverified: true });
    expect(watched.notices).toEqual([LOST]);
    expect(project.runtime.takeTicks()).toHaveLength(1);
  });

  test("before the first stop, or during a single call, is one warning as well", async () => {
    const project = await FarProject.with("exit 2");
    project.runtime.lost = "box: connection refused";
    const watched = watch(project, createBuiltins());
    await watched.controller.beginTurn();
    await watched.turnEnds();
    expect(watched.notices).toEqual([LOST]);
    expect(project.runtime.takeTicks()).toHaveLength(2);
    const single = await project.stop();
    expect(single).toMatchObject({ shouldStop: true, warnings: [expect.stringContaining(LOST)] });
    await watched.controller.dispose();
  });

  test("while transcripts are sent is one warning, and no hook runs", async () => {
    const project = await FarProject.with("exit 2", "exit 2 ");
    const watched = watch(project);
    await watched.controller.beginTurn();
    project.runtime.takeTicks();
    cutWhile(project, "transcripts are sent");
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toEqual([
      "no hook runs, because the workspace cannot be reached: box: cut",
    ]);
    expect(project.runtime.takeTicks().flat()).not.toContain("exec");
  });

  test("blocks for a hook with failClosed, within the limit of continuations (H44)", async () => {
    const project = await FarProject.with("exit 2", { command: "exit 0", failClosed: true });
    const watched = watch(project);
    await watched.controller.beginTurn();
    project.runtime.lost = "box: connection refused";
    const message = expect.stringMatching(
      /\nThe hook project:Stop\[1\] \(exit 0\) failed, .*: no hook runs, because the workspace cannot be reached: box: connection refused\./
    ) as string;
    for (const continuation of [1, 2, 3]) {
      const verdict = await watched.turnEnds();
      expect(verdict).toMatchObject({ action: "continue", continuation, message });
    }
    const reason = expect.stringContaining("stopHooks.maxContinuations") as string;
    expect(await watched.turnEnds()).toMatchObject({ action: "end", reason });
  });

  test.each(["transcripts are sent", "hooks run"] as const)(
    "while %s blocks for a hook with failClosed (H44)",
    async (when) => {
      const project = await FarProject.with({ command: "exit 0", failClosed: true });
      cutWhile(project, when);
      const result = await project.stop();
      expect(result).toMatchObject({ shouldStop: false, warnings: [expect.any(String)] });
      expect(result.continueReason).toMatch(/^The hook project:Stop\[0\] .*box: cut/);
    }
  );

  test("that comes back within the turn restores the hooks of the turn", async () => {
    const project = await FarProject.with("echo R >&2; exit 2");
    const { runtime } = project;
    const watched = watch(project);
    await watched.controller.beginTurn();
    runtime.lost = "gone";
    await watched.controller.beginTurn();
    await watched.turnEnds();
    runtime.lost = undefined;
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    expect(watched.notices).toHaveLength(1);
    await watched.controller.dispose();
  });

  test("does not delay the end of a session for ever", async () => {
    const project = await FarProject.with("exit 0");
    const watched = watch(project);
    await watched.turnEnds();
    project.runtime.remove = () => new Promise(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const disposed = watched.controller.dispose();
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    await disposed;
  });

  test("does not delay an interrupt (H22)", async () => {
    const project = await FarProject.with("exit 2");
    const watched = watch(project);
    await watched.controller.beginTurn();
    project.runtime.stat = () => new Promise(() => undefined);
    const ending = watched.turnEnds();
    watched.controller.cancel();
    expect(await ending).toEqual({
      action: "end",
      reason: "interrupted while hooks ran",
      unverified: true,
    });
  });
});

/** Returns the built-in handlers. The gauntlet is inspected as usual, but does not run. */
function createBuiltinsWithoutRuns(): BuiltinHooks {
  const builtins = createBuiltins();
  const [[, inspect] = []] = builtins.inspectors;
  return new BuiltinHooks().register("gauntlet", () => Promise.resolve(undefined), {
    events: ["Stop"],
    ...(inspect === undefined ? {} : { inspect }),
  });
}

/** Waits until the caches accept the timestamps of files that were just written. */
async function aWhile(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
