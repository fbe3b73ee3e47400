/** Plugins of Claude Code that a checkout brings: trust before they are read, and one budget for all files. */
import { rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { KIB } from "@/common/limits";
import type { ReadOptions } from "@/node/runtime/HookRuntime";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { describeImportHint } from "@/node/services/hooks/settings/claudeHookHints";
import { loadHooks, loadHookSettings } from "@/node/services/hooks/settingsLoader";
import { trustStorePath } from "@/node/services/hooks/trust/trustRecord";
import { recordTrust, storedTrust } from "@/node/services/hooks/trust/trustDecisions";
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
import { WatchedController } from "@test/helpers/hooks/stopController";
import { expectLinear } from "@test/helpers/process/cpuTime";

const ID = "gate@team";
const BLOCKS = "echo held >&2; exit 2";

afterEach(() => void vi.useRealTimers());

/** A runtime that keeps the paths of the files that it reads. */
class WatchedReads extends LocalRuntime {
  readonly paths: string[] = [];

  override readFile(path: string, options: ReadOptions) {
    this.paths.push(path);
    return super.readFile(path, options);
  }
}

function trustOf({ project }: ClaudeHome) {
  const store = { files: project.runtime.host, path: trustStorePath(join(project.home, ".mux")) };
  return { store, policy: storedTrust({ ...store, env: {} }) };
}

/** Records trust like `mux-stop-hooks hooks trust`. */
async function trust(claude: ClaudeHome): Promise<void> {
  const { runtime, dir, load } = claude.project;
  const { checkout } = await loadHooks(runtime, dir, load);
  const request = { projectDir: dir, definitions: checkout.definitions };
  (await recordTrust(trustOf(claude).store, request, new Date(0)))._unsafeUnwrap();
}

async function load(claude: ClaudeHome, runtime = new WatchedReads()) {
  const settings = await claude.load({ runtime, trust: trustOf(claude).policy });
  return { ...settings, commands: commandsOf(settings), runtime };
}

/** Begins a turn in the project. */
async function beginTurn(claude: ClaudeHome, runtime = claude.project.runtime) {
  const { dir, load: place, input } = claude.project;
  const load = { ...place, trust: trustOf(claude).policy };
  return await WatchedController.begin({ runtime, dir, load, input });
}

/** Writes a marketplace with one plugin. */
async function writeMarket(folder: string, command: string): Promise<void> {
  await writeCatalog(folder, [{ name: "gate", source: "./gate" }]);
  await writePlugin(join(folder, "gate"), { hooks: stopHooks(command) });
}

/** Ways in which a checkout brings a plugin. Each returns the folder that must not be read. */
const WAYS: [string, (claude: ClaudeHome) => Promise<string>][] = [
  [
    "from its own marketplace",
    async (claude) => {
      await writeMarket(claude.project.path("market"), BLOCKS);
      await claude.configure("project", { ...enable(ID), ...marketplace("./market") });
      return claude.project.path("market");
    },
  ],
  [
    "that is installed for the user",
    async (claude) => {
      await claude.configure("local", enable(ID));
      return await claude.install(ID, { hooks: stopHooks(BLOCKS) });
    },
  ],
  [
    "that the user enables from a marketplace in it",
    async (claude) => {
      const market = claude.project.path("market");
      await writeMarket(market, BLOCKS);
      await claude.configure("user", { ...enable(ID), ...marketplace(market) });
      return market;
    },
  ],
  [
    "that the user enables from a link to a marketplace in it",
    async (claude) => {
      const [market, link] = [claude.project.path("market"), join(claude.project.home, "market")];
      await writeMarket(market, BLOCKS);
      await symlink(market, link);
      await claude.configure("user", { ...enable(ID), ...marketplace(link) });
      return link;
    },
  ],
  [
    "as a link in a marketplace of the user",
    async (claude) => {
      const [market, plugin] = [join(claude.project.home, "market"), claude.project.path("gate")];
      await writeMarket(market, BLOCKS);
      await rename(join(market, "gate"), plugin);
      await symlink(plugin, join(market, "gate"));
      await claude.configure("user", { ...enable(ID), ...marketplace(market) });
      return join(market, "gate");
    },
  ],
  [
    "that is installed for the user from a link",
    async (claude) => {
      const root = await claude.install(ID, { hooks: stopHooks(BLOCKS) });
      await rename(root, claude.project.path("gate"));
      await symlink(claude.project.path("gate"), root);
      await claude.configure("user", enable(ID));
      return root;
    },
  ],
];

describe("a plugin that a checkout brings (H31, H38)", () => {
  test.each(WAYS)("%s is read once the project is trusted", async (_, prepare) => {
    const claude = await ClaudeHome.create();
    const folder = await prepare(claude);
    const before = await load(claude);
    expect(before.commands).toEqual([]);
    expect(before.trust).toMatchObject({ trusted: false });
    expect(before.runtime.paths.filter((path) => path.startsWith(folder))).toEqual([]);

    await trust(claude);
    const after = await load(claude);
    expect(after.trust).toMatchObject({ trusted: true });
    expect(after.hooks).toMatchObject([{ fromProject: true, handler: { command: BLOCKS } }]);
    expect(after.runtime.paths.filter((path) => path.startsWith(folder))).not.toEqual([]);

    const root = folder.endsWith("market") ? join(folder, "gate") : folder;
    await writePlugin(root, {
      hooks: stopHooks("echo edited >&2; exit 2", "echo added >&2; exit 2"),
    });
    const edited = await load(claude);
    expect(edited.commands).toEqual([BLOCKS]);
    expect(edited.trust).toMatchObject({
      notice: expect.stringContaining(`plugin ${ID}`) as string,
    });
  });

  test("is not read during a turn that began without trust, and not for the hint (H46)", async () => {
    const claude = await ClaudeHome.create();
    const { project } = claude;
    const runtime = new WatchedReads();
    const watched = await beginTurn(claude, runtime);
    await writeMarket(project.path("market"), BLOCKS);
    await claude.configure("project", { ...enable(ID), ...marketplace("./market") });
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    await describeImportHint(runtime, project.dir, { home: project.home, env: {} }, (path) => path);
    expect(runtime.paths.filter((path) => path.includes("/market/"))).toEqual([]);
    expect(watched.notices.join("\n")).toContain(`plugin ${ID}`);
  });

  test("gets no keys of model providers, also if the user enables it (H14)", async () => {
    const claude = await ClaudeHome.create({ env: { OPENAI_API_KEY: "secret" } });
    const { project } = claude;
    await writeMarket(project.path("market"), 'echo "key ${OPENAI_API_KEY-none}" >&2; exit 2');
    await claude.configure("user", { ...enable(ID), ...marketplace(project.path("market")) });
    expect(await project.stop()).toMatchObject({ continueReason: "key none" });
  });

  test("counts as the user's in the user's plugin folder, also in a project in the home folder", async () => {
    const claude = await ClaudeHome.create();
    const { project } = claude;
    await claude.install(ID, { hooks: stopHooks("gate") });
    await claude.configure("user", enable(ID));
    const options = { ...project.load, trust: trustOf(claude).policy };
    const { hooks } = await loadHookSettings(project.runtime, project.home, options);
    expect(hooks).toMatchObject([{ layer: "user", fromProject: false }]);
  });
});

describe("a trusted plugin in the checkout whose files change during a turn (H7, H38)", () => {
  const RUN = '"${CLAUDE_PLUGIN_ROOT}"/check.sh --all';
  const sent = (text: string) => ({ message: `[Stop hook requested continuation]\n${text}` });
  const script = (text: string) => `#!/bin/sh\necho ${text} >&2\nexit 2\n`;

  async function begin(command: string) {
    const claude = await ClaudeHome.create({ name: "a project" });
    const { project } = claude;
    await writeMarket(project.path("market"), command);
    await project.write("market/gate/check.sh", script("before"), 0o755);
    await claude.configure("project", { ...enable(ID), ...marketplace("./market") });
    await trust(claude);
    return { project, watched: await beginTurn(claude) };
  }

  test.each([RUN, '"$CLAUDE_PLUGIN_ROOT/check.sh"'])(
    "runs the current version of the program of %s, with a notice",
    async (command) => {
      const { project, watched } = await begin(command);
      expect(await watched.turnEnds()).toMatchObject(sent("before"));
      expect(watched.notices).toEqual([]);
      await project.write("market/gate/check.sh", script("after"), 0o755);
      expect(await watched.turnEnds()).toMatchObject(sent("after"));
      expect(watched.notices.join("\n")).toContain("check.sh: a hook runs this program");
    }
  );

  test("notifies the user of a link in place of its folder", async () => {
    const { project, watched } = await begin(`sh ${RUN}`);
    await rename(project.path("market", "gate"), project.path("moved"));
    await writePlugin(join(project.home, "other"), { hooks: stopHooks(`sh ${RUN}`) });
    await symlink(join(project.home, "other"), project.path("market", "gate"));
    await watched.turnEnds();
    expect(watched.notices.join("\n")).toContain("gate: a hook runs this program");
  });

  test("runs a hook without the folder although that is moved, and names the next step", async () => {
    const { project, watched } = await begin(BLOCKS);
    await rename(project.path("market", "gate"), project.path("moved"));
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    const notices = watched.notices.join("\n");
    expect(notices).toContain("does not exist; restore the folder, or remove the plugin");
    await rename(project.path("market"), project.path("gone"));
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    expect(watched.notices.join("\n")).toContain("does not have it; add it there");
    expect(watched.notices.join("\n")).not.toContain("/plugin install");
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
  });
});

/** Returns a list of Stop hooks with `size` bytes. */
function hooksOfSize(name: string, size: number): string {
  const text = JSON.stringify(stopHooks(name));
  return text + " ".repeat(size - text.length);
}

/** Writes plugins of the checkout, and enables them in this order. */
async function writeCheckout(plugins: readonly Parameters<typeof writePlugin>[1][]) {
  const claude = await ClaudeHome.create();
  const { project } = claude;
  const names = plugins.map((_, i) => `p${i}`);
  for (const [i, files] of plugins.entries()) await writePlugin(project.path(`p${i}`), files);
  const listed = names.map((name) => ({ name, source: `./${name}` }));
  await writeCatalog(project.dir, listed);
  const ids = names.map((name) => `${name}@team`);
  await claude.configure("project", { ...enable(...ids), ...marketplace(".") });
  return claude;
}

describe("the budget of a checkout (H5)", () => {
  test("has 1 MiB for all files, and names those that are not read", async () => {
    const claude = await writeCheckout(
      Array.from({ length: 6 }, (_, i) => ({ hooks: hooksOfSize(`p${i}`, 250 * KIB) }))
    );
    await trust(claude);
    const { commands, diagnostics, runtime } = await load(claude);
    expect(commands).toEqual(["p0", "p1", "p2", "p3"]);
    expect(diagnostics).toMatchObject(
      [4, 5].map((i) => ({
        file: claude.project.path(`p${i}`, "hooks", "hooks.json"),
        message: expect.stringContaining("at most 1 MiB in 100 files") as string,
      }))
    );
    expect(runtime.paths.join("\n")).not.toMatch(/p[45]\/hooks/);
  });

  test("has 500 handlers for all files, and names the first one of a file that is skipped", async () => {
    const many = (count: number) =>
      stopHooks(...Array.from({ length: count }, (_, i) => `check ${i}`));
    const claude = await writeCheckout([{ hooks: many(300) }, { hooks: many(300) }]);
    await claude.project.configure(many(100));
    await trust(claude);
    const { hooks, diagnostics } = await load(claude);
    expect(hooks).toHaveLength(500);
    expect(diagnostics).toMatchObject([
      {
        file: claude.project.path("p1", "hooks", "hooks.json"),
        keyPath: "hooks.Stop",
        message: expect.stringContaining("at most 500 handlers") as string,
      },
    ]);
  });

  test("has 100 files", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${i}.json`, JSON.stringify(stopHooks(`check ${i}`))])
    );
    const manifest = { hooks: Object.keys(files) };
    const claude = await writeCheckout(Array.from({ length: 12 }, () => ({ manifest, files })));
    await trust(claude);
    const { runtime, diagnostics } = await load(claude);
    const read = runtime.paths.filter((path) => path.startsWith(claude.project.dir));
    expect(new Set(read).size).toBe(100);
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  test("does not count the files of the user", async () => {
    const claude = await ClaudeHome.create();
    const ids = Array.from({ length: 6 }, (_, i) => `p${i}@team`);
    for (const id of ids) await claude.install(id, { hooks: hooksOfSize(id, 250 * KIB) });
    await claude.configure("user", enable(...ids));
    expect((await load(claude)).commands).toEqual(ids);
  });
});

describe("a hostile plugin (H20a)", () => {
  test("of the largest size takes a bounded time, at the first stop and at the next", async () => {
    const text = JSON.stringify(
      stopHooks(...Array.from({ length: 500 }, (_, i) => `x${i} ${"y ".repeat(220)}`))
    );
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.json`, text]));
    const manifest = { hooks: Object.keys(files) };
    const claude = await writeCheckout(Array.from({ length: 20 }, () => ({ manifest, files })));
    const { runtime } = await expectLinear(() => load(claude));
    const { dir } = claude.project;
    expect(runtime.paths.filter((path) => path.startsWith(dir))).toEqual([
      join(dir, ".claude", "settings.json"),
    ]);
    await trust(claude);
    await expectLinear(async () => {
      for (let stop = 0; stop < 2; stop++) await load(claude);
    });
  });

  test.each([
    ["that does not parse", (size: number) => "[".repeat(size), 900 * KIB, "cannot be used"],
    ["that is too large", (size: number) => " ".repeat(size), 1100 * KIB, "at most 1 MiB"],
  ])("list of a marketplace %s is reported, and is read at most once", async (...row) => {
    const [, text, size, problem] = row;
    const claude = await writeCheckout([{ hooks: stopHooks("gate") }]);
    await trust(claude);
    await writeJson(claude.project.path(".claude-plugin", "marketplace.json"), text(size));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    const { runtime, diagnostics } = await load(claude);
    expect(diagnostics).toMatchObject([
      { keyPath: "enabledPlugins", message: expect.stringContaining(problem) as string },
    ]);
    runtime.paths.length = 0;
    await load(claude, runtime);
    expect(runtime.paths.filter((path) => path.startsWith(claude.project.dir))).toEqual([]);
  });

  test("with hooks in its manifest is parsed once", async () => {
    const { hooks } = stopHooks("gate") as { hooks: object };
    const claude = await writeCheckout([{ manifest: { hooks: [hooks] } }]);
    await trust(claude);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    const first = await load(claude);
    const second = await load(claude, first.runtime);
    expect(second.hooks[0]?.handler).toBe(first.hooks[0]?.handler);
  });
});
