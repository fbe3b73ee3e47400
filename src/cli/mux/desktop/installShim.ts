/**
 * Adds hooks to a packaged Mux app for `hooks desktop`: installs, removes and describes a shim, which is a folder
 * `resources/app` that loads the hooks and then Mux. Renames the app's archive, which Electron would prefer, and
 * completes a change that was interrupted.
 */
import { shownCommand } from "@/common/ownCommandName";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import { isJsonObject, parseJson, parseObject } from "@/common/json";
import { uniqueName } from "@/common/randomName";
import { ARCHIVE, type DesktopApp, KEPT_ARCHIVE } from "@/cli/mux/desktop/findDesktopApp";

/** Keys of the app's `package.json` that Electron reads for its name and its data folder. */
const KEPT_KEYS = ["name", "version", "productName", "desktopName", "description", "author"];
const MARK = "mux-stop-hooks.json";
const UNPACKED = `${ARCHIVE}.unpacked`;
const KEPT_UNPACKED = `${KEPT_ARCHIVE}.unpacked`;
/** A folder of this program that is not complete, or about to be removed. */
const TEMPORARY = /^app\.\w+\.tmp$/;

type ShimState =
  | { readonly kind: "absent" }
  | { readonly kind: "installed"; readonly preload: string; readonly isPreloadThere: boolean }
  /** An update added a new archive, which Electron prefers to the shim. */
  | { readonly kind: "updated" }
  /** An install or uninstall was interrupted. */
  | { readonly kind: "incomplete" }
  /** Another tool created `resources/app`. */
  | { readonly kind: "foreign" };

/** Returns the state of the shim, by the files on the disk. */
export async function shimState({ resources }: DesktopApp): Promise<ShimState> {
  const names = await fs.readdir(resources).catch((): string[] => []);
  const [hasApp, hasArchive, hasKept] = ["app", ARCHIVE, KEPT_ARCHIVE].map((name) =>
    names.includes(name)
  );
  const mark = await readMark(resources);
  if (hasApp && mark === undefined) return { kind: "foreign" };
  const isOurs = (name: string): boolean => TEMPORARY.test(name) || name === KEPT_UNPACKED;
  if (!hasApp) return { kind: hasKept || names.some(isOurs) ? "incomplete" : "absent" };
  if (hasArchive) return { kind: hasKept ? "updated" : "incomplete" };
  if (!hasKept || mark === undefined) return { kind: "incomplete" };
  return { kind: "installed", preload: mark, isPreloadThere: await exists(mark) };
}

/** Describes the changes that {@link installShim} makes. */
export function plannedChanges({ resources }: DesktopApp): string[] {
  return [
    `rename ${join(resources, ARCHIVE)} to ${KEPT_ARCHIVE}`,
    `add ${join(resources, KEPT_UNPACKED)}, a link to ${UNPACKED} if there is such a folder`,
    `add ${join(resources, "app")}: package.json, main.js and ${MARK}`,
  ];
}

/**
 * Installs the shim. Does nothing if it is installed with the same preload. Electron loads `resources/app` only if
 * there is no `app.asar`, so the archive is renamed but not modified. A link makes its unpacked files those of the
 * renamed archive. After a kill at any step, the next install or uninstall continues from the files on the disk.
 *
 * @param preload absolute path
 * @returns an error message if a file cannot be changed
 */
export async function installShim(app: DesktopApp, preload: string): Promise<Result<void, string>> {
  const { resources } = app;
  const state = await shimState(app);
  if (state.kind === "foreign") return err(foreign(app));
  if (state.kind === "installed" && state.preload === preload) return ok();
  const next = join(resources, temporaryName());
  try {
    const manifest = await readManifest(app.archive);
    const kept = Object.entries(manifest).filter(([key]) => KEPT_KEYS.includes(key));
    const main = typeof manifest.main === "string" ? manifest.main : "index.js";
    await fs.mkdir(next);
    const own = { ...Object.fromEntries(kept), main: "main.js" };
    await fs.writeFile(join(next, "package.json"), toJson(own));
    await fs.writeFile(join(next, "main.js"), shimSource(main, preload));
    await fs.writeFile(join(next, MARK), toJson({ preload }));
    // Electron ignores these changes until the archive is renamed.
    await removeApp(resources, next);
    await fs.rename(next, join(resources, "app"));
    // Unless an earlier version renamed the folder of the unpacked files.
    if (!(await isLink(resources)) && (await exists(join(resources, UNPACKED)))) {
      await remove(resources, KEPT_UNPACKED);
      await fs.symlink(UNPACKED, join(resources, KEPT_UNPACKED));
    }
    await move(resources, ARCHIVE, KEPT_ARCHIVE);
    return ok();
  } catch (thrown) {
    await fs.rm(next, { recursive: true, force: true }).catch(() => undefined);
    return err(notChanged(app, thrown));
  }
}

/** Restores the original files. Does nothing if no shim is installed. */
export async function uninstallShim(app: DesktopApp): Promise<Result<void, string>> {
  const { resources } = app;
  const { kind } = await shimState(app);
  if (kind === "foreign") return err(foreign(app));
  if (kind === "absent") return ok();
  try {
    if (!(await exists(join(resources, ARCHIVE)))) await move(resources, KEPT_ARCHIVE, ARCHIVE);
    // An earlier version renamed this folder, so it may be the only one with the unpacked files.
    const isOnly = !(await exists(join(resources, UNPACKED)));
    if (isOnly && !(await isLink(resources))) await move(resources, KEPT_UNPACKED, UNPACKED);
    await remove(resources, KEPT_UNPACKED);
    // It is from before an update of the app.
    await remove(resources, KEPT_ARCHIVE);
    await removeApp(resources);
    return ok();
  } catch (thrown) {
    return err(notChanged(app, thrown));
  }
}

async function isLink(resources: string): Promise<boolean> {
  return (await fs.readlink(join(resources, KEPT_UNPACKED)).catch(() => undefined)) !== undefined;
}

/**
 * Removes the shim, and the folders of interrupted commands except `next`. The shim is renamed first: half of it could
 * look like the folder of another tool.
 */
async function removeApp(resources: string, next?: string): Promise<void> {
  await move(resources, "app", temporaryName());
  for (const name of await fs.readdir(resources)) {
    if (TEMPORARY.test(name) && join(resources, name) !== next) await remove(resources, name);
  }
}

function temporaryName(): string {
  return `app.${uniqueName()}.tmp`;
}

/** Renames a file or a folder if it exists. */
async function move(resources: string, from: string, to: string): Promise<void> {
  if (await exists(join(resources, from))) {
    await fs.rename(join(resources, from), join(resources, to));
  }
}

async function remove(resources: string, name: string): Promise<void> {
  await fs.rm(join(resources, name), { recursive: true, force: true });
}

/** Reads the `package.json` of the app from the archive. */
export async function readManifest(archive: string): Promise<Record<string, unknown>> {
  const { extractFile } = await import("@electron/asar");
  const text = extractFile(archive, "package.json").toString("utf8");
  const manifest = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(manifest)) throw new Error(`package.json in ${archive} is not a JSON object`);
  return manifest;
}

function shimSource(main: string, preload: string): string {
  return `"use strict";
// Written by "mux-stop-hooks hooks desktop install". "mux-stop-hooks hooks desktop uninstall" removes it.
const { join } = require("node:path");
const { app } = require("electron");
const archive = join(__dirname, "..", ${JSON.stringify(KEPT_ARCHIVE)});
const main = join(archive, ${JSON.stringify(main)});
try {
  require(${JSON.stringify(preload)});
} catch (error) {
  console.error("[mux-stop-hooks] no hooks run in this app: " + error.message);
}
app.setAppPath(archive);
require.main.filename = main;
require(main);
`;
}

/** Returns the preload of the installed shim. */
async function readMark(resources: string): Promise<string | undefined> {
  const text = await fs.readFile(join(resources, "app", MARK), "utf8").catch(() => "");
  const { preload } = parseObject(text);
  return typeof preload === "string" ? preload : undefined;
}

function foreign({ resources }: DesktopApp): string {
  return `${join(resources, "app")} exists and was not written by mux-stop-hooks, so nothing was changed; if you do not need it, remove it and try again`;
}

function notChanged({ executable }: DesktopApp, thrown: unknown): string {
  return `${executable} could not be changed: ${describeError(thrown)}; "${shownCommand()} hooks desktop status" shows its state`;
}

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

async function exists(path: string): Promise<boolean> {
  return (await fs.lstat(path).catch(() => undefined)) !== undefined;
}

/** Describes the state and the next step. */
export function describeShim(state: ShimState, { resources }: DesktopApp): string {
  switch (state.kind) {
    case "installed":
      return state.isPreloadThere
        ? "hooks are installed"
        : `hooks are installed, but ${state.preload} no longer exists; run "${shownCommand()} hooks desktop install" again`;
    case "absent":
      return `no hooks are installed; run "${shownCommand()} hooks desktop install"`;
    case "updated":
      return `the app was updated and runs without hooks; run "${shownCommand()} hooks desktop install" again`;
    case "incomplete":
      return `an earlier change was interrupted; run "${shownCommand()} hooks desktop install" to complete it, or "${shownCommand()} hooks desktop uninstall" to undo it`;
    case "foreign":
      return `no hooks are installed: ${join(resources, "app")} exists but was not written by mux-stop-hooks; if you do not need it, remove it before you install the hooks`;
  }
}
