/** `mux-stop-hooks hooks desktop` after a kill at each step: the app can always be restored. */
import * as fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPackageWithOptions } from "@electron/asar";
import { expect, test } from "vitest";
import { findPreload } from "@/cli/mux/hostProgram";
import "@test/helpers/freshBuild";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { childScript } from "@test/helpers/process/childScript";
import { execFileAsync } from "@test/helpers/process/processes";
import { folderWith, tempDir } from "@test/helpers/tempDir";

type Tree = Record<string, string>;
type Action = "install" | "uninstall";

class App {
  private constructor(
    private readonly project: HookProject,
    readonly executable: string
  ) {}

  static async create(): Promise<App> {
    const app = new App(await HookProject.create(), join(await tempDir(), "xum"));
    await fs.writeFile(app.executable, "", { mode: 0o755 });
    await app.update("1.0.0");
    return app;
  }

  get #resources(): string {
    return join(dirname(this.executable), "resources");
  }

  /** Writes the archive of a version, and its unpacked files. */
  async update(version: string): Promise<void> {
    const manifest = JSON.stringify({ name: "xum", version });
    const files = { "package.json": manifest, "native.node": `of ${version}` };
    const content = await folderWith(files);
    const archive = join(this.#resources, "app.asar");
    await fs.mkdir(this.#resources, { recursive: true });
    await fs.rm(`${archive}.unpacked`, { recursive: true, force: true });
    await createPackageWithOptions(content, archive, { unpack: "*.node" });
  }

  /** Renames the unpacked files, as earlier versions did. */
  async renameUnpacked(): Promise<void> {
    await fs.rm(join(this.#resources, "_app.asar.unpacked"));
    await fs.rename(
      join(this.#resources, "app.asar.unpacked"),
      join(this.#resources, "_app.asar.unpacked")
    );
  }

  async copy(): Promise<App> {
    const folder = await tempDir();
    const options = { recursive: true, verbatimSymlinks: true };
    await fs.cp(dirname(this.executable), folder, options);
    return new App(this.project, join(folder, "xum"));
  }

  /** Returns each path of the app with the content of the file. */
  async tree(): Promise<Tree> {
    const entries = await fs.readdir(this.#resources, { recursive: true, withFileTypes: true });
    const read = entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(this.#resources.length + 1);
      if (entry.isSymbolicLink()) return [name, `-> ${await fs.readlink(path)}`];
      if (entry.isDirectory()) return [name, "folder"];
      return [name, `${(await fs.stat(path)).mode} ${await fs.readFile(path, "latin1")}`];
    });
    return Object.fromEntries(await Promise.all(read)) as Tree;
  }

  async call(action: Action | "status"): Promise<{ code: number; stdout: string }> {
    const yes = action === "install" ? ["--yes"] : [];
    return await muxHooks(this.project, ["desktop", action, ...yes, "--app", this.executable]);
  }

  /** Performs the action. Returns the app as a kill before each of its changes would leave it. */
  async kills(action: Action): Promise<App[]> {
    const folder = await tempDir();
    const preload = findPreload().unwrapOr("");
    const script = await childScript("shimSteps");
    await execFileAsync(process.execPath, [script, action, this.executable, preload, folder]);
    const steps = (await fs.readdir(folder)).map(Number).sort((a, b) => a - b);
    return steps.map((step) => new App(this.project, join(folder, String(step), "xum")));
  }
}

/** Kills the action at each of its steps. Both commands that `status` may advise must then do all of their work. */
async function expectUndone(from: App, action: Action, original: Tree, full: Tree): Promise<void> {
  const killed = await (await from.copy()).kills(action);
  expect(killed.length).toBeGreaterThan(3);
  for (const [index, app] of killed.entries()) {
    const step = `after step ${index} of ${action}`;
    const { stdout } = await app.call("status");
    const other = await app.copy();
    expect(await app.call("uninstall")).toMatchObject({ code: 0 });
    expect(await app.tree(), `uninstall ${step}: ${stdout}`).toEqual(original);
    await other.call("install");
    expect(await other.call("status")).toMatchObject({ code: 0 });
    expect(await other.tree(), `install ${step}`).toEqual(full);
  }
}

test.each([
  ["install", "of the app", false],
  ["uninstall", "of the app", false],
  ["install", "after an update of the app", true],
  ["uninstall", "after an update of the app", true],
] as const)("a kill at any step of %s %s", async (action, _, isUpdated) => {
  const app = await App.create();
  if (isUpdated) {
    await app.call("install");
    await app.update("2.0.0");
  }
  const uninstalled = await app.copy();
  await uninstalled.call("uninstall");
  const original = await uninstalled.tree();
  const installed = await app.copy();
  await installed.call("install");
  expect(Object.keys(original).sort()).toEqual([
    ...["app.asar", "app.asar.unpacked", "app.asar.unpacked/native.node"],
  ]);
  const version = isUpdated ? "of 2.0.0" : "of 1.0.0";
  expect(original["app.asar.unpacked/native.node"]).toContain(version);
  const from = isUpdated || action === "install" ? app : installed;
  await expectUndone(from, action, original, await installed.tree());
});

test("uninstall restores the unpacked files of an install that an earlier version made", async () => {
  const app = await App.create();
  const original = await app.tree();
  await app.call("install");
  await app.renameUnpacked();
  expect(await app.call("uninstall")).toMatchObject({ code: 0 });
  expect(await app.tree()).toEqual(original);
});
