import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { createBuiltins } from "@/wiring";
import { CountingRuntime } from "@test/helpers/countingRuntime";
import {
  ClaudeHome,
  commandsOf,
  enable,
  marketplace,
  stopHooks,
  writeCatalog,
  writeJson,
  writePlugin,
} from "@test/helpers/hooks/claudePlugins";
import { UNTRUSTED, watchedTrust } from "@test/helpers/hooks/hookProject";

const ID = "gate@team";

afterEach(() => void vi.useRealTimers());

type LoadOptions = Parameters<ClaudeHome["load"]>[0];

/** Creates a home with an installed plugin with these files, which a layer enables. */
async function withPlugin(
  files: Parameters<ClaudeHome["install"]>[1],
  layer: Parameters<ClaudeHome["configure"]>[0] = "user"
): Promise<ClaudeHome> {
  const claude = await ClaudeHome.create();
  await claude.install(ID, files);
  await claude.configure(layer, enable(ID));
  return claude;
}

/** The folder of the installed plugin. */
const rootOf = ({ plugins }: ClaudeHome): string => join(plugins, "cache", "team", "gate", "1.0.0");

/** Returns `name command` of every Stop hook. */
async function list(claude: ClaudeHome, options?: LoadOptions): Promise<string[]> {
  const { hooks } = await claude.load(options);
  return hooks.map(({ name, handler }) => `${name} ${String(handler.command)}`);
}

async function problems(claude: ClaudeHome, options?: LoadOptions): Promise<string[]> {
  const { diagnostics } = await claude.load(options);
  return diagnostics.map(
    (diagnostic) =>
      `${diagnostic.severity} ${formatDiagnostic(diagnostic).replaceAll(claude.project.home, "~")}`
  );
}

describe("a plugin that the user enables (H38)", () => {
  test("is trusted, and its hooks come after the file that enables it", async () => {
    const claude = await ClaudeHome.create();
    const root = await claude.install(ID, { hooks: stopHooks("gate") });
    await claude.configure("user", { ...stopHooks("own"), ...enable(ID) });
    expect(await list(claude, { trust: UNTRUSTED })).toEqual([
      "user:Stop[0] own",
      "user:Stop[1] gate",
    ]);
    const { hooks } = await claude.load();
    expect(hooks[1]).toMatchObject({
      layer: "user",
      fromProject: false,
      handler: { dialect: "claude" },
      source: { file: join(root, "hooks", "hooks.json"), line: 7 },
      plugin: { id: ID, version: "1.0.0", root, data: join(claude.plugins, "data", "gate-team") },
    });
  });

  test("does not run without importClaudeHooks", async () => {
    const claude = await withPlugin({ hooks: stopHooks("gate") });
    await claude.project.configureUser({});
    expect(await list(claude)).toEqual([]);
  });

  test("has hooks of its own, even if another plugin and a settings file have the same command", async () => {
    const claude = await ClaudeHome.create();
    const hooks = stopHooks('sh "${CLAUDE_PLUGIN_ROOT}/stop.sh"');
    await claude.install(ID, { hooks });
    await claude.install("other@team", { hooks });
    await claude.configure("user", { ...hooks, ...enable(ID, "other@team") });
    const ids = (await claude.load()).hooks.map(({ plugin }) => plugin?.id);
    expect(ids).toEqual([undefined, ID, "other@team"]);
  });
});

describe("a plugin that the project enables (H38, H31)", () => {
  test.each(["project", "local"] as const)(
    "needs trust in its ID, version, folder and hooks, and belongs to the %s layer",
    async (layer) => {
      const files = { "other.sh": "exit 0" };
      const claude = await withPlugin({ hooks: stopHooks("gate"), files }, layer);
      expect(await list(claude)).toEqual([`${layer}:Stop[0] gate`]);
      const { hooks, skipped } = await claude.load({ trust: UNTRUSTED });
      expect([...hooks, ...skipped]).toEqual([]);

      const trust = watchedTrust();
      await claude.load({ trust });
      const { asked } = trust;
      expect(
        asked.map(({ purpose, items }) => [purpose, ...items.map(({ text }) => text)])
      ).toEqual([
        ["read", `plugin ${ID}, which is read once the project is trusted`],
        ["look", `Stop, plugin ${ID} 1.0.0: gate`],
      ]);
      const recorded = asked.at(-1)?.definitions.plugins ?? {};
      expect(Object.keys(recorded)).toEqual([ID]);
      const text = recorded[ID] ?? "";
      expect(JSON.parse(text)).toMatchObject({
        enabledIn: layer,
        version: "1.0.0",
        root: rootOf(claude),
        hooks: { Stop: [{ hooks: [{ command: "gate" }] }] },
      });
      expect(text).not.toContain("other.sh");
    }
  );

  test("keeps the folder and the hooks that were trusted after an update", async () => {
    const claude = await withPlugin({ hooks: stopHooks("first") }, "project");
    const record = watchedTrust();
    const before = await claude.load({ trust: record });
    await claude.install(ID, { hooks: stopHooks("second") }, { version: "2.0.0" });
    const trust = watchedTrust({ trusted: true, instead: record.asked.at(-1)!.definitions });
    const { hooks } = await claude.load({ trust });
    expect(hooks[0]?.plugin).toEqual(before.hooks[0]?.plugin);
    const handler = { command: "first", dialect: "claude" };
    expect(hooks).toMatchObject([{ handler, plugin: { root: rootOf(claude), version: "1.0.0" } }]);
  });

  test("counts with the local file if both files of the project name it", async () => {
    const claude = await withPlugin({ hooks: stopHooks("gate") }, "project");
    await claude.configure("local", { enabledPlugins: { [ID]: false } });
    expect(await list(claude)).toEqual([]);
  });

  test("runs once, in the user's layer, if the user enables it too, whether or not the project does", async () => {
    const claude = await withPlugin({ hooks: stopHooks("gate") });
    for (const isOn of [true, false]) {
      await claude.configure("project", { enabledPlugins: { [ID]: isOn } });
      expect(await list(claude)).toEqual(["user:Stop[0] gate"]);
    }
  });
});

describe("the list of installed plugins (H38)", () => {
  test("of version 1 has one installation for each plugin", async () => {
    const claude = await withPlugin({ hooks: stopHooks("gate") });
    const entry = { version: "0.3.0", installPath: `${rootOf(claude)}/`, isLocal: true };
    await claude.list({ version: 1, plugins: { [ID]: entry } });
    expect((await claude.load()).hooks[0]?.plugin).toMatchObject({ version: "0.3.0" });
  });

  test.each([
    [{ version: 3, plugins: {} }, "its version (3) is unknown"],
    [{ plugins: {} }, "its version (none) is unknown"],
    ["{", "no plugin of Claude Code is read from this list: "],
    ["[]", "is unknown"],
  ])("%j is not read, with one notice", async (value, notice) => {
    const claude = await withPlugin({ hooks: stopHooks("gate") });
    await claude.list(value);
    expect(await list(claude)).toEqual([]);
    const found = await problems(claude);
    expect(found[0]).toContain("notice ~/.claude/plugins/installed_plugins.json:1:1: ");
    expect(found[0]).toContain(notice);
  });

  test("prefers the installation for this project to that of the user", async () => {
    const claude = await withPlugin({ hooks: stopHooks("mine") });
    const { dir } = claude.project;
    const other = join(claude.plugins, "other");
    await writePlugin(other, { hooks: stopHooks("elsewhere") });
    const entries = (projectPath: string) => [
      { scope: "project", projectPath, installPath: other, version: "9" },
      { scope: "user", installPath: rootOf(claude), version: "1" },
    ];
    await claude.list({ version: 2, plugins: { [ID]: entries("/another/project") } });
    expect(await list(claude)).toEqual(["user:Stop[0] mine"]);
    await claude.list({ version: 2, plugins: { [ID]: entries(dir) } });
    expect(await list(claude)).toEqual(["user:Stop[0] elsewhere"]);
  });

  test("without the plugin, or with a missing folder, names the next step", async () => {
    const claude = await ClaudeHome.create();
    await claude.configure("user", enable(ID));
    const next = `install it in Claude Code with "/plugin install ${ID}"`;
    expect(await problems(claude)).toEqual([
      `notice ~/.claude/settings.json:3:18: enabledPlugins: the plugin ${ID} is not installed for you or for this project, so its hooks do not run; ${next}`,
    ]);
    await rm(await claude.install(ID, {}), { recursive: true });
    expect(await problems(claude)).toEqual([
      `warning ~/.claude/settings.json:3:18: enabledPlugins: the hooks of the plugin ${ID} do not run, because its folder ~/.claude/plugins/cache/team/gate/1.0.0 does not exist; install it again in Claude Code with "/plugin install ${ID}"`,
    ]);
  });

  test.each(["relative/path", "/nul\0", 5, null])("ignores the path %j", async (installPath) => {
    const claude = await ClaudeHome.create();
    await claude.list({ version: 2, plugins: { [ID]: [{ scope: "user", installPath }] } });
    await claude.configure("user", enable(ID));
    expect(await list(claude)).toEqual([]);
    expect(await problems(claude)).toHaveLength(1);
  });
});

describe("the hooks of a plugin (H38)", () => {
  const withManifest = async (hooks: unknown, files = {}) => {
    const manifest = { name: "gate", hooks };
    return await withPlugin({ manifest, hooks: stopHooks("a"), files });
  };
  const more = { "config/more.json": JSON.stringify(stopHooks("b")) };
  const inline = { Stop: [{ hooks: [{ type: "command", command: "c" }] }] };

  test.each([
    ["no hooks", undefined, ["a"]],
    ["an object", inline, ["a", "c"]],
    ["a path", "./config/more.json", ["a", "b"]],
    ["the default path", "./hooks/hooks.json", ["a"]],
    ["a list", ["./config/more.json", inline], ["a", "b", "c"]],
  ])("are those of hooks.json and of the manifest with %s", async (_, hooks, commands) => {
    const claude = await withManifest(hooks, more);
    expect(commandsOf(await claude.load())).toEqual(commands);
    expect(await problems(claude)).toEqual([]);
  });

  test.each([
    ["../outside.json", "leads out of the folder of the plugin"],
    ["/etc/../outside.json", "does not exist"],
    ["./missing.json", "does not exist"],
    [5, "expected an object with hooks"],
  ])("are not read from %j", async (hooks, problem) => {
    const claude = await withManifest(hooks, {});
    await writeJson(join(claude.plugins, "cache", "team", "gate", "outside.json"), stopHooks("no"));
    expect(await list(claude)).toEqual(["user:Stop[0] a"]);
    expect(await problems(claude)).toMatchObject([expect.stringContaining(problem)]);
  });

  test("report a Stop beside hooks, a syntax error and a file that is too large", async () => {
    const claude = await ClaudeHome.create();
    await claude.install("a@m", { hooks: { Stop: [] } });
    await claude.install("b@m", { hooks: "{" });
    await claude.install("c@m", { hooks: " ".repeat(256 * 1024 + 1) });
    await claude.configure("user", enable("a@m", "b@m", "c@m"));
    const found = await problems(claude);
    expect(found).toHaveLength(3);
    expect(found.join("\n")).toMatch(/move it into "hooks"[^]*ignored until it is fixed[^]*larger/);
  });
});

describe("local marketplaces (H38)", () => {
  const local = async (folder: string, source = "./plugins/gate", more = {}) => {
    await writeCatalog(folder, [{ name: "gate", source, version: "0.1.0" }], more);
    await writePlugin(join(folder, "plugins", "gate"), { hooks: stopHooks("local") });
  };

  test.each([
    ["./plugins/gate", {}],
    ["gate", { metadata: { pluginRoot: "./plugins" } }],
  ])("of the user have plugins that are not installed: %s", async (source, more) => {
    const claude = await ClaudeHome.create();
    const folder = join(claude.project.home, "my market");
    await local(folder, source, more);
    await writeJson(join(claude.plugins, "known_marketplaces.json"), {
      team: { source: { source: "directory", path: folder }, installLocation: folder },
    });
    await claude.configure("user", enable(ID));
    expect((await claude.load()).hooks).toMatchObject([
      { plugin: { root: join(folder, "plugins", "gate"), version: "0.1.0" } },
    ]);
  });

  test.each(["../gate", "./../../gate", "https://example.org/gate.git"])(
    "have no plugin outside their folder: %s",
    async (source) => {
      const claude = await ClaudeHome.create();
      const path = join(claude.project.home, "market");
      await local(path, source);
      await writePlugin(join(claude.project.home, "gate"), { hooks: stopHooks("outside") });
      await claude.configure("user", { ...enable(ID), ...marketplace(path) });
      expect(await list(claude)).toEqual([]);
      await local(path);
      expect(await list(claude)).toEqual(["user:Stop[0] local"]);
    }
  );

  test("of the project count only for its own plugins, and only within the checkout", async () => {
    const claude = await ClaudeHome.create();
    const { project } = claude;
    await local(project.path("market"));
    await claude.configure("project", { ...enable(ID), ...marketplace("./market") });
    expect(await list(claude)).toEqual(["project:Stop[0] local"]);

    await claude.configure("user", enable(ID));
    expect(await list(claude)).toEqual([]);
    await claude.configure("user", {});

    const outside = join(project.home, "market");
    await local(outside);
    await claude.configure("project", { ...enable(ID), ...marketplace(outside) });
    expect(await list(claude)).toEqual([]);
  });
});

test("a checkout has at most 20 plugins of its own, with 10 entries in each manifest (H20a, H38)", async () => {
  const claude = await ClaudeHome.create();
  const { project } = claude;
  const names = Array.from({ length: 25 }, (_, i) => `p${i}`);
  const entry = { Stop: [{ hooks: [{ type: "command", command: "x" }] }] };
  const manifest = { hooks: Array.from({ length: 50 }, () => entry) };
  await writePlugin(project.path("p"), { manifest });
  const plugins = names.map((name) => ({ name, source: "./p" }));
  await writeCatalog(project.dir, plugins);
  const ids = names.map((name) => `${name}@team`);
  await claude.configure("project", { ...enable(...ids), ...marketplace(".") });
  const { hooks } = await claude.load();
  expect(new Set(hooks.map(({ plugin }) => plugin?.id)).size).toBe(20);
  // The same hook of a plugin runs once.
  expect(hooks).toHaveLength(20);
  expect(await problems(claude)).toHaveLength(5);
});

test("CLAUDE_CODE_PLUGIN_CACHE_DIR names the folder of plugins (H38)", async () => {
  const claude = await withPlugin({ hooks: stopHooks("gate") });
  const moved = join(claude.project.home, "moved plugins");
  const root = join(moved, "cache", "team", "gate", "1.0.0");
  await rename(claude.plugins, moved);
  await writeJson(join(moved, "installed_plugins.json"), {
    version: 2,
    plugins: { [ID]: [{ scope: "user", installPath: root, version: "1" }] },
  });
  const env = { CLAUDE_CODE_PLUGIN_CACHE_DIR: moved };
  const { hooks } = await claude.load({ env });
  expect(hooks[0]?.plugin).toMatchObject({ root, data: join(moved, "data", "gate-team") });
  expect(await problems(claude, { env: { CLAUDE_CODE_PLUGIN_CACHE_DIR: "x" } })).toMatchObject([
    expect.stringContaining("CLAUDE_CODE_PLUGIN_CACHE_DIR"),
  ]);
});

test("the Stop hook of this package's own plugin does not repeat the built-in gauntlet (H30)", async () => {
  const claude = await ClaudeHome.create();
  await claude.install("agent-gauntlet@mux-stop-hooks", {
    hooks: stopHooks('sh "${CLAUDE_PLUGIN_ROOT}/hooks/gauntlet.sh" stop-hook --verify'),
  });
  await claude.configure("user", enable("agent-gauntlet@mux-stop-hooks"));
  const { hooks, skipped } = await claude.load({ builtins: createBuiltins() });
  expect(hooks.map(({ name }) => name)).toEqual(["builtin:Stop[0]"]);
  expect(skipped).toMatchObject([{ hook: { name: "user:Stop[0]" }, visible: true }]);
});

test("unchanged plugins cost one stat call and no read (H7)", async () => {
  const manifest = { name: "gate", hooks: "./more.json" };
  const files = { "more.json": JSON.stringify(stopHooks("b")) };
  const claude = await withPlugin({ hooks: stopHooks("gate"), manifest, files });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  const runtime = new CountingRuntime();
  const first = await claude.load({ runtime });
  expect(first.hooks).toHaveLength(2);
  runtime.take();
  expect(await claude.load({ runtime })).toEqual(first);
  expect(runtime.take()).toEqual({ stats: 1, reads: 0, lists: 0 });
});

test("a folder in place of a file, and a link without end, are reported (H38)", async () => {
  const claude = await withPlugin({ files: { "hooks/hooks.json/x": "" } });
  await symlink("loop", join(rootOf(claude), ".claude-plugin"));
  expect(await list(claude)).toEqual([]);
  expect((await problems(claude))[0]).toContain("expected a file, found a folder");
});
