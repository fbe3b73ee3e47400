/**
 * Installs a shim beside the archive of a packaged app. Electron loads `resources/app` if there is no `app.asar`: the
 * archive is renamed, and `app` requires the preload and then the entry of the archive. The archive is not modified.
 */
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import { isJsonObject, parseJson } from "@/common/json";
import { ARCHIVE, type DesktopApp, KEPT_ARCHIVE } from "@/cli/mux/desktop/DesktopApp";
import * as messages from "@/cli/messages/desktop";

/** Keys of the app's `package.json` that Electron reads for its name and its data folder. */
const KEPT_KEYS = ["name", "version", "productName", "desktopName", "description", "author"];
const MARK = "mux-stop-hooks.json";
/** The suffix of the folder with unpacked files of an archive. */
const BESIDE = ".unpacked";

export type ShimState =
  | { readonly kind: "absent" }
  | { readonly kind: "installed"; readonly preload: string; readonly isPreloadThere: boolean }
  /** An update added a new archive, which Electron prefers to the shim. */
  | { readonly kind: "updated" }
  /** An install or uninstall was interrupted. */
  | { readonly kind: "incomplete" }
  /** Another tool created `resources/app`. */
  | { readonly kind: "foreign" };

export async function shimState({ resources }: DesktopApp): Promise<ShimState> {
  const [hasApp, hasArchive, hasKept] = await Promise.all(
    ["app", ARCHIVE, KEPT_ARCHIVE].map((name) => exists(join(resources, name)))
  );
  const mark = await readMark(resources);
  if (hasApp && mark === undefined) return { kind: "foreign" };
  if (!hasApp) return { kind: hasKept ? "incomplete" : "absent" };
  if (hasArchive) return { kind: hasKept ? "updated" : "incomplete" };
  if (!hasKept || mark === undefined) return { kind: "incomplete" };
  return { kind: "installed", preload: mark, isPreloadThere: await exists(mark) };
}

/** Describes the changes that {@link installShim} makes. */
export function plannedChanges({ resources }: DesktopApp): string[] {
  return [
    messages.renamesArchive(join(resources, ARCHIVE), KEPT_ARCHIVE, `${ARCHIVE}${BESIDE}`),
    messages.addsFolder(join(resources, "app"), MARK),
  ];
}

/**
 * Installs the shim. Does nothing if it is installed with the same preload.
 *
 * @param preload absolute path
 * @returns an error message if a file cannot be changed
 */
export async function installShim(app: DesktopApp, preload: string): Promise<Result<void, string>> {
  const { resources } = app;
  const state = await shimState(app);
  if (state.kind === "foreign") return err(foreign(app));
  if (state.kind === "installed" && state.preload === preload) return ok();
  const next = join(resources, `app.${process.pid}.tmp`);
  try {
    const manifest = await readManifest(app.archive);
    await mkdir(next);
    await writeFile(join(next, "package.json"), toJson(shimManifest(manifest)));
    await writeFile(
      join(next, "main.js"),
      shimSource(typeof manifest.main === "string" ? manifest.main : "index.js", preload)
    );
    await writeFile(join(next, MARK), toJson({ preload }));
    // Electron ignores the folder until the archive is renamed.
    await rm(join(resources, "app"), { recursive: true, force: true });
    await rename(next, join(resources, "app"));
    if (await exists(join(resources, ARCHIVE))) await swap(resources, ARCHIVE, KEPT_ARCHIVE);
    return ok();
  } catch (thrown) {
    await rm(next, { recursive: true, force: true }).catch(() => undefined);
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
    if (!(await exists(join(resources, ARCHIVE)))) await swap(resources, KEPT_ARCHIVE, ARCHIVE);
    // Left from before an update.
    for (const name of [KEPT_ARCHIVE, `${KEPT_ARCHIVE}${BESIDE}`]) await remove(resources, name);
    await remove(resources, "app");
    return ok();
  } catch (thrown) {
    return err(notChanged(app, thrown));
  }
}

/** Renames an archive and its unpacked files. Replaces those of an earlier version. */
async function swap(resources: string, from: string, to: string): Promise<void> {
  for (const end of [BESIDE, ""]) {
    if (!(await exists(join(resources, from + end)))) continue;
    await remove(resources, to + end);
    await rename(join(resources, from + end), join(resources, to + end));
  }
}

async function remove(resources: string, name: string): Promise<void> {
  await rm(join(resources, name), { recursive: true, force: true });
}

/** Reads the `package.json` of the app from the archive. */
export async function readManifest(archive: string): Promise<Record<string, unknown>> {
  const { extractFile } = await import("@electron/asar");
  const text = extractFile(archive, "package.json").toString("utf8");
  const manifest = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(manifest)) throw new Error(messages.manifestNotObject(archive));
  return manifest;
}

function shimManifest(manifest: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(manifest).filter(([key]) => KEPT_KEYS.includes(key));
  return { ...Object.fromEntries(kept), main: "main.js" };
}

function shimSource(main: string, preload: string): string {
  return `"use strict";
// Written by "mux-hooks desktop install". "mux-hooks desktop uninstall" removes it.
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
  const text = await readFile(join(resources, "app", MARK), "utf8").catch(() => "");
  const mark = parseJson(text).unwrapOr(undefined);
  return isJsonObject(mark) && typeof mark.preload === "string" ? mark.preload : undefined;
}

function foreign({ resources }: DesktopApp): string {
  return messages.foreignNotChanged(join(resources, "app"));
}

function notChanged({ executable }: DesktopApp, thrown: unknown): string {
  return messages.appNotChanged(executable, describeError(thrown));
}

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false
  );
}
