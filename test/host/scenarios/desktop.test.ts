import { createHash } from "node:crypto";
import { cp, lstat, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import "@test/helpers/freshBuild";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { installDesktop, packDesktop } from "@test/host/rig/launchCommands";
import { buildBed } from "@test/host/rig/buildBed";
import { putFile, tempDir } from "@test/helpers/tempDir";

let build: { folder: string; dist: string };

beforeAll(async () => {
  const folder = await tempDir();
  await buildBed(folder, "0.28");
  build = { folder, dist: join(folder, "dist") };
  await installDesktop(build);
});

/** Installs the app in a new folder. */
async function install() {
  const folder = await tempDir();
  await cp(join(build.folder, "opt"), join(folder, "opt"), {
    recursive: true,
    preserveTimestamps: true,
  });
  const executable = join(folder, "opt", "Xum", "xum");
  const project = await HookProject.create();
  const call = async (...args: string[]) =>
    await muxHooks(project, ["desktop", ...args, "--app", executable], { env: { HOME: "/" } });
  return { executable, resources: join(executable, "..", "resources"), call };
}

/** Returns each path below a folder with the mode, the modification time and the hash of the file. */
async function treeOf(dir: string): Promise<string[]> {
  const names = (await readdir(dir, { recursive: true })).sort();
  return await Promise.all(
    names.map(async (name) => {
      const stat = await lstat(join(dir, name));
      const bytes = stat.isFile() ? await readFile(join(dir, name)) : "";
      const hash = createHash("sha256").update(bytes).digest("hex");
      return [name, stat.mode, stat.isFile() ? stat.mtimeMs : "", hash].join(" ");
    })
  );
}

test("uninstall restores every byte", async () => {
  const { resources, call } = await install();
  const before = await treeOf(resources);
  expect(before.some((line) => line.startsWith("app.asar.unpacked/"))).toBe(true);
  const absent = await call("status");
  expect(absent.code).toBe(1);
  expect(absent.stdout).toContain("no hooks are installed");

  // Without a terminal it needs --yes.
  expect((await call("install")).code).toBe(1);
  expect(await treeOf(resources)).toEqual(before);
  const installed = await call("install", "--yes");
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  expect(installed.stdout).toContain(`rename ${join(resources, "app.asar")} to _app.asar`);
  expect(await readdir(resources)).toEqual([
    ...["_app.asar", "_app.asar.unpacked", "app", "app.asar.unpacked"],
  ]);
  const manifest = JSON.parse(
    await readFile(join(resources, "app", "package.json"), "utf8")
  ) as object;
  expect(manifest).toEqual({
    ...{ name: "@coder/xum", version: "0.28.2", productName: "Xum", main: "main.js" },
  });
  await rm(join(resources, "app"), { recursive: true });
  expect((await call("status")).stdout).toContain("an earlier change was interrupted");
  expect(await call("install", "--yes")).toMatchObject({ code: 0 });
  const after = await treeOf(resources);
  expect(await call("status")).toMatchObject({ code: 0 });
  expect((await call("install")).stdout).toContain("hooks are installed");
  expect(await treeOf(resources)).toEqual(after);

  expect(await call("uninstall")).toMatchObject({ code: 0, stderr: "" });
  expect(await treeOf(resources)).toEqual(before);
  expect((await call("uninstall")).stdout).toContain("no hooks are installed");
});

test("status reports an update of the app, and install adapts to it", async () => {
  const { resources, call } = await install();
  await call("install", "--yes");
  await packDesktop(build, resources, "0.28.3");
  const updated = await treeOf(resources);
  const status = await call("status");
  expect(status.code).toBe(1);
  expect(status.stdout).toContain("the app was updated and runs without hooks");
  expect((await call("install", "--yes")).code).toBe(0);
  expect((await call("status")).code).toBe(0);
  const manifest = JSON.parse(
    await readFile(join(resources, "app", "package.json"), "utf8")
  ) as object;
  expect(manifest).toMatchObject({ version: "0.28.3" });
  await call("uninstall");
  const ofUpdate = updated.filter((line) => line.startsWith("app.asar"));
  expect((await treeOf(resources)).filter((line) => line.startsWith("app.asar"))).toEqual(ofUpdate);
  expect(await readdir(resources)).toEqual(["app.asar", "app.asar.unpacked"]);
});

test("a resources/app of another tool is not touched", async () => {
  const { resources, call } = await install();
  const file = await putFile(join(resources, "app", "package.json"), "{}");
  for (const action of ["install", "uninstall"]) {
    const { code, stderr } = await call(action, "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("was not written by mux-stop-hooks, so nothing was changed");
  }
  expect(await readFile(file, "utf8")).toBe("{}");
});

test("status and doctor report a missing preload", async () => {
  const { resources, executable, call } = await install();
  await call("install", "--yes");
  const mark = join(resources, "app", "mux-stop-hooks.json");
  await writeFile(mark, JSON.stringify({ preload: "/gone/register.cjs" }));
  const status = await call("status");
  expect(status.code).toBe(1);
  expect(status.stdout).toContain("/gone/register.cjs no longer exists");
  const project = await HookProject.create();
  const { stdout } = await muxHooks(project, ["doctor", "--mux", executable]);
  expect(stdout).toContain(`Mux desktop app 0.28.2 (Xum)  ${executable}`);
  expect(stdout).toContain("yes  hooks in the server of the app, which you use in a browser");
  expect(stdout).toContain("/gone/register.cjs no longer exists");
});
