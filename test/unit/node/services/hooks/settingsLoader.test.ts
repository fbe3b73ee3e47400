import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, truncate, utimes } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { FileStat } from "@/node/runtime/HookRuntime";
import { loadHooks, loadHookSettings } from "@/node/services/hooks/settingsLoader";
import { createBuiltins } from "@/wiring";
import { CountingRuntime } from "@test/helpers/countingRuntime";
import {
  command,
  hooks,
  listHooks,
  listProblems,
  SettingsProject,
  subagentHooks,
} from "@test/helpers/hooks/settingsProject";
import { createWorktree } from "@test/helpers/gitProject";
import { UNTRUSTED, watchedTrust } from "@test/helpers/hooks/hookProject";
import { putFile } from "@test/helpers/tempDir";

test("Load Stop hooks from settings", async () => {
  const handler = command("$MUX_PROJECT_DIR/.mux/hooks/stop-check.sh", { timeout: 30 });
  const project = await SettingsProject.create({ project: hooks(handler) });
  const settings = await project.load();
  expect(settings).toEqual({
    disableAllHooks: false,
    maxContinuations: 3,
    hooks: [
      {
        name: "project:Stop[0]",
        event: "Stop",
        layer: "project",
        fromProject: true,
        source: { file: project.path("project"), line: 6, column: 11 },
        handler,
      },
    ],
    skipped: [],
    passEnv: [],
    files: [project.path("project")],
    diagnostics: [],
    trust: { trusted: true },
    checkout: new Map(),
  });
});

test("a decision about trust has the command that runs because the project has no gates (H30, H31)", async () => {
  const line = "./x.sh; agent-gauntlet stop-hook";
  const project = await SettingsProject.create({ project: hooks(line) });
  const trust = watchedTrust();
  const settings = await project.load({ builtins: createBuiltins(), trust });
  expect(listHooks(settings)).toContain(`project:Stop[0] ${line}`);
  const texts = trust.asked.flatMap(({ items }) => items.map(({ text }) => text));
  expect(texts.join()).toContain(line);
});

test("Load SubagentStop hooks from settings", async () => {
  const project = await SettingsProject.create({
    user: subagentHooks("explore|exec", "/path/to/subagent-stop-hook.py"),
  });
  const settings = await project.load();
  expect(listHooks(settings, "SubagentStop")).toEqual([
    "user:SubagentStop[0] /path/to/subagent-stop-hook.py",
  ]);
  expect(settings.hooks[0]).toMatchObject({ matcher: "explore|exec", fromProject: false });
});

test("Merge user + project + local settings", async () => {
  const project = await SettingsProject.create({
    user: { ...hooks("A"), stopHooks: { maxContinuations: 5, timeout: 20 } },
    project: { ...hooks("B"), stopHooks: { maxContinuations: 8 } },
    local: { ...hooks("C"), stopHooks: { timeout: 40 } },
  });
  const settings = await project.load();
  expect(listHooks(settings)).toEqual(["user:Stop[0] A", "project:Stop[0] B", "local:Stop[0] C"]);
  expect(settings).toMatchObject({ maxContinuations: 8, defaultTimeoutS: 40 });
});

describe("values", () => {
  test.each([
    ...[0, 51, -1, 2.5, "abc", null, []].map((value) => [value, 3, ["warning"]] as const),
    ...[1, 50].map((value) => [value, value, []] as const),
  ])("maxContinuations of %j counts as %i (H4)", async (value, counts, severities) => {
    const project = await SettingsProject.create({
      user: { stopHooks: { maxContinuations: value } },
    });
    const { maxContinuations, diagnostics } = await project.load();
    expect(maxContinuations).toBe(counts);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(severities);
  });

  test("an invalid value names the lower layer whose value is used instead (H4)", async () => {
    const project = await SettingsProject.create({
      user: { stopHooks: { maxContinuations: 5 } },
      project: { stopHooks: { maxContinuations: 0 } },
    });
    const { maxContinuations, diagnostics } = await project.load();
    expect(maxContinuations).toBe(5);
    expect(diagnostics[0]?.message).toBe(
      `expected number to be >=1, found 0; the value in ${project.path("user")} is used`
    );
  });

  test("a default limit that is not a number of seconds is a warning, and is not set (H4)", async () => {
    const project = await SettingsProject.create({ user: { stopHooks: { timeout: "5" } } });
    const settings = await project.load();
    expect(settings.defaultTimeoutS).toBeUndefined();
    expect(listProblems(project, settings)).toEqual([
      'warning home/.mux/settings.json:3:16: stopHooks.timeout: expected a number of seconds above 0, found "5"; the default is used',
    ]);
  });

  test("names of passed variables count only in the user's file (H31)", async () => {
    const project = await SettingsProject.create({
      user: { hookEnv: { pass: ["OPENAI_API_KEY", 3] } },
      project: { hookEnv: { pass: ["ANTHROPIC_API_KEY"] } },
    });
    const settings = await project.load();
    expect(settings.passEnv).toEqual(["OPENAI_API_KEY"]);
    expect(listProblems(project, settings)).toEqual([
      "error home/.mux/settings.json:5:7: hookEnv.pass[1]: expected a string, found 3",
      "notice project/.mux/settings.json:3:13: hookEnv.pass: ignored here: it has an effect only in your user settings, such as ~/.mux/settings.json",
    ]);
  });
});

describe("the user root", () => {
  test("is XUM_ROOT, or else MUX_ROOT, a populated ~/.xum or ~/.mux (H1)", async () => {
    const project = await SettingsProject.create({ user: hooks("mux") });
    await project.write("home/.xum/settings.json", JSON.stringify(hooks("xum")));
    await project.write("a/settings.json", JSON.stringify(hooks("XUM_ROOT")));
    await project.write("b/settings.json", JSON.stringify(hooks("MUX_ROOT")));
    const [a, b] = [join(project.root, "a"), join(project.root, "b")];
    const load = async (env: NodeJS.ProcessEnv) => listHooks(await project.load({ env }));
    expect(await load({ XUM_ROOT: a, MUX_ROOT: b })).toEqual(["user:Stop[0] XUM_ROOT"]);
    expect(await load({ XUM_ROOT: "", MUX_ROOT: b })).toEqual(["user:Stop[0] MUX_ROOT"]);
    expect(await load({})).toEqual(["user:Stop[0] xum"]);
    await rm(join(project.home, ".xum", "settings.json"));
    expect(await load({})).toEqual(["user:Stop[0] mux"]);
    // Only one root counts.
    await project.write("home/.xum/config.json", "{}");
    expect(await load({})).toEqual([]);
    await rm(join(project.home, ".xum"), { recursive: true });
    expect(await load({})).toEqual(["user:Stop[0] mux"]);
  });
});

describe("scripts", () => {
  const SCRIPT = "#!/bin/sh\nexit 0\n";

  test("run directly, each for its event, after the local layer, and those of the user after the user's settings (H8, H12)", async () => {
    const project = await SettingsProject.create({ user: hooks("A"), local: hooks("C") });
    const own = await project.write("home/.mux/stop", SCRIPT, 0o755);
    const stop = await project.write("project/.mux/stop", SCRIPT, 0o755);
    const subagent = await project.write("project/.mux/subagent_stop", SCRIPT, 0o755);
    const settings = await project.load();
    expect(settings.hooks.map(({ name, source }) => [name, source])).toEqual([
      ["user:Stop[0]", { file: project.path("user"), line: 6, column: 11 }],
      ["user:Stop[1]", { file: own, line: 1, column: 1 }],
      ["local:Stop[0]", { file: project.path("local"), line: 6, column: 11 }],
      ["script:Stop[0]", { file: stop, line: 1, column: 1 }],
      ["script:SubagentStop[0]", { file: subagent, line: 1, column: 1 }],
    ]);
    expect(settings.hooks[1]).toMatchObject({
      fromProject: false,
      handler: command(own, { args: [] }),
    });
  });

  test("may be links to a file, but not folders or over 1 MiB (H8, H31)", async () => {
    const project = await SettingsProject.create();
    await project.write("project/gate.sh", SCRIPT, 0o755);
    await mkdir(join(project.dir, ".mux", "subagent_stop"), { recursive: true });
    await symlink("../gate.sh", join(project.dir, ".mux", "stop"));
    const settings = await project.load();
    expect(settings.hooks.map(({ name }) => name)).toEqual(["script:Stop[0]"]);
    expect(settings.skipped).toMatchObject([
      { hook: { name: "script:SubagentStop[0]" }, reason: "it is a folder, not a file" },
    ]);
    await project.write("project/gate.sh", SCRIPT + "#".repeat(1024 * 1024), 0o755);
    expect((await project.load()).skipped[0]).toMatchObject({
      reason: expect.stringContaining("larger than 1 MiB") as string,
      visible: true,
    });
  });

  test("are two hooks if the file of one event is a link to that of the other (H8)", async () => {
    const project = await SettingsProject.create();
    await project.write("project/.mux/stop", SCRIPT, 0o755);
    await symlink("stop", join(project.dir, ".mux", "subagent_stop"));
    const { hooks: all } = await project.load();
    expect(all.map(({ name }) => name)).toEqual(["script:Stop[0]", "script:SubagentStop[0]"]);
  });

  test("and settings that are broken links are errors, one each (H2a)", async () => {
    const project = await SettingsProject.create();
    await mkdir(join(project.dir, ".mux"), { recursive: true });
    for (const name of ["stop", "settings.json", "settings.local.json"]) {
      await symlink("/nowhere/at/all", join(project.dir, ".mux", name));
    }
    const { hooks, diagnostics } = await project.load();
    expect(hooks).toEqual([]);
    expect(diagnostics.map(({ severity, file }) => [severity, basename(file)]).sort()).toEqual([
      ["error", "settings.json"],
      ["error", "settings.local.json"],
      ["error", "stop"],
    ]);
    expect(diagnostics[0]?.message).toContain("a symbolic link to a file that does not exist");
  });

  test("and settings in a folder that is a broken link are one error of its settings file (H2a)", async () => {
    const project = await SettingsProject.create();
    await symlink("/nowhere/at/all", join(project.dir, ".mux"));
    const { hooks, diagnostics } = await project.load();
    expect(hooks).toEqual([]);
    const [{ severity, file, message } = { file: "", message: "" }, ...more] = diagnostics;
    expect([severity, relative(project.dir, file)]).toEqual(["error", ".mux/settings.json"]);
    expect(message).toContain("its folder is a symbolic link to a folder that does not exist");
    expect(more).toEqual([]);
    await putFile(join(project.dir, ".xum", "settings.json"), "{}");
    expect((await project.load()).diagnostics).toEqual([]);
  });
});

test.each(["", ".", "sub"])(
  "the home %j, which is no absolute path, has no user layer, and is a warning (H31)",
  async (home) => {
    const project = await SettingsProject.create();
    const before = process.cwd();
    process.chdir(project.dir);
    try {
      await project.set("project", hooks("theirs"));
      const settings = await project.load({ home, trust: UNTRUSTED });
      expect(settings.hooks).toEqual([]);
      expect(settings.diagnostics).toMatchObject([
        { severity: "warning", message: expect.stringContaining("HOME is") as string },
      ]);
    } finally {
      process.chdir(before);
    }
  }
);

describe("a linked worktree", () => {
  test("uses the main checkout's local file if that exists and it has no own one (H1)", async () => {
    const project = await SettingsProject.create();
    const main = join(project.root, "main");
    createWorktree(main, project.dir);
    const text = JSON.stringify(hooks("main"));
    const local = await project.write("main/.mux/settings.local.json", text);
    await project.write("main/.mux/settings.json", JSON.stringify(hooks("not here")));
    const settings = await project.load();
    expect(listHooks(settings)).toEqual(["local:Stop[0] main"]);
    expect(settings.hooks[0]?.source?.file).toBe(local);

    await project.set("local", hooks("own"));
    expect(listHooks(await project.load())).toEqual(["local:Stop[0] own"]);

    await rm(project.path("local"));
    await rename(main, join(project.root, "gone"));
    expect(await project.load()).toMatchObject({ hooks: [], diagnostics: [] });
  });

  test.each([
    ["a submodule", "gitdir: ../.git/modules/x\n"],
    ["invalid text", "x".repeat(10_000)],
    ["no content", ""],
  ])("is not recognized by a .git file with %s (H1)", async (_, text) => {
    const project = await SettingsProject.create();
    await project.write("project/.git", text);
    expect(await project.load()).toMatchObject({ hooks: [], diagnostics: [] });
  });
});

describe("Claude Code's files", () => {
  const all = {
    claudeUser: hooks("cu"),
    claudeProject: hooks("cp"),
    claudeLocal: {
      ...hooks(command("cl", { dialect: "mux" })),
      stopHooks: { maxContinuations: 9 },
    },
    user: hooks("u"),
    project: hooks("p"),
    local: hooks("l"),
  };

  test("are not read by default (H9)", async () => {
    const project = await SettingsProject.create({ ...all, claudeUser: "broken" });
    const settings = await project.load();
    expect(listHooks(settings).map((line) => line.split(" ")[1])).toEqual(["u", "p", "l"]);
    expect(settings.diagnostics).toEqual([]);
  });

  test("come right before their Mux layers, in Claude's dialect, and only with their hooks (H3, H9)", async () => {
    const project = await SettingsProject.create({
      ...all,
      project: { ...all.project, importClaudeHooks: true },
    });
    const settings = await project.load();
    expect(
      settings.hooks.map(({ name, handler }) => [name, handler.command, handler.dialect])
    ).toEqual([
      ["user:Stop[0]", "cu", "claude"],
      ["user:Stop[1]", "u", undefined],
      ["project:Stop[0]", "cp", "claude"],
      ["project:Stop[1]", "p", undefined],
      // The file's own dialect counts.
      ["local:Stop[0]", "cl", "mux"],
      ["local:Stop[1]", "l", undefined],
    ]);
    expect(settings).toMatchObject({ disableAllHooks: false, maxContinuations: 3 });
  });

  test("of the user count if only the trusted definitions, not the changed ones, import them (H9, H31)", async () => {
    const project = await SettingsProject.create({
      claudeUser: hooks("cu"),
      project: { ...hooks("p"), importClaudeHooks: true },
    });
    const { runtime, dir, home } = project;
    const { checkout } = await loadHooks(runtime, dir, { env: {}, home });
    await project.set("project", hooks("changed"));
    const trust = watchedTrust({ trusted: true, instead: checkout.definitions });
    const settings = await project.load({ trust });
    expect(listHooks(settings)).toEqual(["user:Stop[0] cu", "project:Stop[0] p"]);
  });

  test("are not read if a later layer disables it (H9)", async () => {
    const project = await SettingsProject.create({
      ...all,
      user: { importClaudeHooks: true },
      local: { importClaudeHooks: false },
    });
    expect(listHooks(await project.load())).toEqual(["project:Stop[0] p"]);
  });
});

describe("files that are not readable as settings", () => {
  test("a FIFO and a folder are reported and count as empty (H5)", async () => {
    const project = await SettingsProject.create({ user: hooks("ok") });
    await mkdir(project.path("local"), { recursive: true });
    execFileSync("mkfifo", [project.path("project")]);
    const settings = await project.load();
    expect(listHooks(settings)).toEqual(["user:Stop[0] ok"]);
    expect(listProblems(project, settings)).toEqual([
      "error project/.mux/settings.json:1:1: expected a file, found a FIFO, a socket or a device",
      "error project/.mux/settings.local.json:1:1: expected a file, found a folder",
    ]);
  });

  test("a file of 256 KiB is read, and a larger one of any size is rejected (H5)", async () => {
    const text = JSON.stringify(hooks("ok"));
    const project = await SettingsProject.create({ project: text.padEnd(256 * 1024, " ") });
    expect(listHooks(await project.load())).toEqual(["project:Stop[0] ok"]);
    for (const size of [256 * 1024 + 1, 2 ** 40]) {
      await truncate(project.path("project"), size);
      const settings = await project.load();
      expect(settings.hooks).toEqual([]);
      expect(listProblems(project, settings)).toEqual([
        "error project/.mux/settings.json:1:1: larger than 256 KiB, the maximum size of a settings file",
      ]);
    }
  });

  test("a folder without access is one problem, not one for each file in it (H5)", async () => {
    class Locked extends LocalRuntime {
      override async stat(paths: readonly string[]): Promise<FileStat[]> {
        const stats = await super.stat(paths);
        return stats.map((stat, i) => {
          const path = paths[i] ?? "";
          const failure = { path, code: "EACCES", message: `permission denied: ${path}` };
          return path.includes("project/.mux/") ? { kind: "failed", failure } : stat;
        });
      }
    }
    const project = await SettingsProject.create({ user: hooks("ok"), project: hooks("no") });
    const settings = await project.load({ runtime: new Locked() });
    expect(listHooks(settings)).toEqual(["user:Stop[0] ok"]);
    expect(listProblems(project, settings)).toEqual([
      "error project/.mux/settings.json:1:1: cannot be read: permission denied: project/.mux/settings.json",
    ]);
  });

  test("a file is read once it is readable, even if only its mode has changed (H5)", async () => {
    class Unreadable extends LocalRuntime {
      locked = true;
      override readFile(path: string, options: { maxBytes: number }) {
        return super.readFile(this.locked ? `${path}/x` : path, options);
      }
    }
    const runtime = new Unreadable();
    const project = await SettingsProject.create({ project: hooks("ok") });
    const locked = await project.load({ runtime });
    expect(locked.hooks).toEqual([]);
    expect(listProblems(project, locked)).toEqual([
      expect.stringMatching(/:1:1: cannot be read: /),
    ]);
    runtime.locked = false;
    expect(listHooks(await project.load({ runtime }))).toEqual(["project:Stop[0] ok"]);
  });

  test("keys with the names of prototypes are ordinary keys (H2)", async () => {
    const text = `{"__proto__": {"disableAllHooks": true}, "constructor": {}, "hooks": {"__proto__": {"Stop": 1},
      "Stop": [{"hooks": [{"type": "command", "command": "ok", "__proto__": {"async": true}}]}]}}`;
    const project = await SettingsProject.create({ project: text });
    const settings = await project.load();
    expect(listHooks(settings)).toEqual(["project:Stop[0] ok"]);
    const handler = settings.hooks[0]?.handler;
    expect(handler?.type === "command" && handler.async).toBe(undefined);
    expect(settings).toMatchObject({ disableAllHooks: false, diagnostics: [] });
    expect(({} as { async?: unknown }).async).toBeUndefined();
  });
});

describe("the cost (H7)", () => {
  /** Advances the clock. Files that were just written are read again, because their times could hide a second write. */
  function afterTheClockTick(): void {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  }

  afterEach(() => {
    vi.useRealTimers();
  });

  test("of unchanged settings is one stat call and no read, and of a changed file one read", async () => {
    const project = await SettingsProject.create({
      user: { ...hooks("A"), importClaudeHooks: true },
      project: hooks(".mux/check.sh", "B 1"),
      claudeProject: hooks("C"),
    });
    await project.write("home/.xum/settings.json", JSON.stringify({ importClaudeHooks: true }));
    await utimes(join(project.home, ".xum"), 1_700_000_000, 1_700_000_000);
    await project.write("project/.mux/check.sh", "exit 0");
    await project.write("project/.mux/stop", "#!/bin/sh\n", 0o755);
    const runtime = new CountingRuntime();
    afterTheClockTick();
    const first = await project.load({ runtime });
    runtime.take();
    expect(await project.load({ runtime })).toEqual(first);
    expect(runtime.take()).toEqual({ stats: 1, reads: 0, lists: 0 });
    await project.set("project", hooks(".mux/check.sh", "B 2"));
    expect(listHooks(await project.load({ runtime }))).toContain("project:Stop[2] B 2");
    expect(runtime.take()).toEqual({ stats: 1, reads: 1, lists: 0 });
  });
});

test("a removed file does not count as it last parsed (H5)", async () => {
  const project = await SettingsProject.create({ project: hooks("A") });
  await project.load();
  await rm(project.path("project"));
  await project.load();
  await project.set("project", "{");
  expect((await project.load()).hooks).toEqual([]);
});

test("a lost connection is reported, and the call does not reject (H35)", async () => {
  class Lost extends LocalRuntime {
    override stat(): Promise<FileStat[]> {
      return Promise.reject(new Error("connection lost"));
    }
  }
  const settings = await loadHookSettings(new Lost(), "/project", { env: {}, home: "/home/u" });
  expect(settings.hooks).toEqual([]);
  expect(settings.diagnostics).toMatchObject([
    { severity: "error", message: "the hook settings could not be loaded: connection lost" },
  ]);
});
