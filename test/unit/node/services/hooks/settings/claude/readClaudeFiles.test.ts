import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ClaudeHome,
  commandsOf,
  enable,
  stopHooks,
  writeJson,
} from "@test/helpers/hooks/claudePlugins";
import { createWorktree } from "@test/helpers/gitProject";
import { UNTRUSTED, watchedTrust } from "@test/helpers/hooks/hookProject";

describe("CLAUDE_CONFIG_DIR (H39)", () => {
  test("names the user's folder, with its settings and plugins", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", stopHooks("default"));
    const config = join(claude.project.home, "work claude");
    const root = join(config, "plugins", "gate");
    await writeJson(join(root, "hooks", "hooks.json"), stopHooks("gate"));
    await writeJson(join(config, "settings.json"), { ...stopHooks("moved"), ...enable("gate@m") });
    await writeJson(join(config, "plugins", "installed_plugins.json"), {
      version: 2,
      plugins: { "gate@m": [{ scope: "user", installPath: root, version: "1" }] },
    });
    expect(commandsOf(await claude.load())).toEqual(["default"]);
    const settings = await claude.load({ env: { CLAUDE_CONFIG_DIR: config } });
    expect(commandsOf(settings)).toEqual(["moved", "gate"]);
    expect(settings.hooks[1]?.plugin?.data).toBe(join(config, "plugins", "data", "gate-m"));
    expect(commandsOf(await claude.load({ env: { CLAUDE_CONFIG_DIR: "" } }))).toEqual(["default"]);
  });

  test("is a warning if it is not absolute", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", stopHooks("default"));
    const settings = await claude.load({ env: { CLAUDE_CONFIG_DIR: ".claude" } });
    expect(settings.hooks).toEqual([]);
    expect(settings.diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringContaining('_DIR is ".claude"') as string },
    ]);
  });
});

test("the local file of a linked worktree is that of its main checkout, unless it has its own (H39)", async () => {
  const claude = await ClaudeHome.create();
  const { dir } = claude.project;
  const main = join(dir, "..", "main");
  createWorktree(main, dir);
  const file = join(main, ".claude", "settings.local.json");
  await writeJson(file, stopHooks("main's"));
  const { hooks, files } = await claude.load();
  expect(hooks).toMatchObject([{ name: "local:Stop[0]", handler: { command: "main's" } }]);
  expect(files).toContain(file);
  expect(commandsOf(await claude.load({ trust: UNTRUSTED }))).toEqual([]);
  await claude.configure("local", stopHooks("own"));
  expect(commandsOf(await claude.load())).toEqual(["own"]);
});

describe("disableAllHooks of Claude Code's files (H39)", () => {
  test("turns off their hooks and plugins, but no hook of Mux's files", async () => {
    const claude = await ClaudeHome.create();
    await claude.install("gate@m", { hooks: stopHooks("plugin") });
    const file = await claude.configure("user", {
      ...stopHooks("user"),
      ...enable("gate@m"),
      disableAllHooks: true,
    });
    await claude.configure("project", stopHooks("project"));
    await claude.project.configure(stopHooks("mux"));
    const settings = await claude.load();
    expect(commandsOf(settings)).toEqual(["mux"]);
    expect(settings.disableAllHooks).toBe(false);
    const reason = `turned off by disableAllHooks in ${file}`;
    expect(settings.skipped.map(({ hook, ...why }) => [hook.handler.command, why])).toEqual(
      ["user", "plugin", "project"].map((command) => [command, { reason, visible: false }])
    );
  });

  test("of the highest file counts", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", { ...stopHooks("user"), disableAllHooks: true });
    await claude.configure("local", { disableAllHooks: false });
    expect(commandsOf(await claude.load())).toEqual(["user"]);
  });

  test("of a project does not count without trust, and is part of the record", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", stopHooks("user"));
    await claude.configure("project", { disableAllHooks: true });
    const trust = watchedTrust();
    expect(commandsOf(await claude.load({ trust }))).toEqual([]);
    const recorded = trust.asked.at(-1)?.definitions.settings;
    expect(recorded).toEqual({ ".claude/settings.json": '{\n  "disableAllHooks": true\n}\n' });
    expect(commandsOf(await claude.load({ trust: UNTRUSTED }))).toEqual(["user"]);
  });

  test("does not hide the same hook in a file of Mux", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", { ...stopHooks("same"), disableAllHooks: true });
    await claude.project.configure(stopHooks("same"));
    expect((await claude.load()).hooks).toMatchObject([{ name: "project:Stop[0]" }]);
  });
});
