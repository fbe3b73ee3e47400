/**
 * The shim beside the archive of a packaged app. Electron loads `app.asar`, and `app` where there is none: the archive
 * gets another name, and `app` loads the preload and then the archive's own entry. Nothing in the archive changes.
 */
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import { isJsonObject, parseJson } from "@/common/json";
import { ARCHIVE, type DesktopApp, KEPT_ARCHIVE } from "@/cli/mux/desktop/DesktopApp";

/** Of the app's own `package.json`: Electron takes the app's name and the folder of its data from them. */
const KEPT_KEYS = ["name", "version", "productName", "desktopName", "description", "author"];
const MARK = "mux-stop-hooks.json";
/** Files that the archive has outside of itself lie beside it, under its name. */
const BESIDE = ".unpacked";

export type ShimState =
  | { readonly kind: "absent" }
  | { readonly kind: "installed"; readonly preload: string; readonly isPreloadThere: boolean }
  /** The app has brought a new archive, which Electron loads in place of the shim. */
  | { readonly kind: "updated" }
  /** It was begun, or taken away, and not finished. */
  | { readonly kind: "incomplete" }
  /** `resources/app` is of somebody else. */
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

/** In words, before anything is done. */
export function plannedChanges({ resources }: DesktopApp): string[] {
  return [
    `rename ${join(resources, ARCHIVE)} to ${KEPT_ARCHIVE}, and ${ARCHIVE}${BESIDE} with it`,
    `add ${join(resources, "app")}: package.json, main.js and ${MARK}`,
  ];
}

/**
 * Does nothing where it is installed with the same preload.
 *
 * @param preload absolute
 * @returns what cannot be done, and why
 */
export async function installShim(app: DesktopApp, preload: string): Promise<Result<void, string>> {
  const { resources } = app;
  const state = await shimState(app);
  if (state.kind === "foreign") return err(foreign(app));
  if (state.kind === "installed" && state.preload === preload) return ok();
  try {
    const manifest = await readManifest(app.archive);
    const next = join(resources, `app.${process.pid}.tmp`);
    await mkdir(next);
    await writeFile(join(next, "package.json"), toJson(shimManifest(manifest)));
    await writeFile(
      join(next, "main.js"),
      shimSource(typeof manifest.main === "string" ? manifest.main : "index.js", preload)
    );
    await writeFile(join(next, MARK), toJson({ preload }));
    // As long as the archive has its name, Electron does not look at the folder.
    await rm(join(resources, "app"), { recursive: true, force: true });
    await rename(next, join(resources, "app"));
    if (await exists(join(resources, ARCHIVE))) await swap(resources, ARCHIVE, KEPT_ARCHIVE);
    return ok();
  } catch (thrown) {
    return err(notChanged(app, thrown));
  }
}

/** Every file is then as it was. Does nothing where there is no shim. */
export async function uninstallShim(app: DesktopApp): Promise<Result<void, string>> {
  const { resources } = app;
  const { kind } = await shimState(app);
  if (kind === "foreign") return err(foreign(app));
  if (kind === "absent") return ok();
  try {
    if (!(await exists(join(resources, ARCHIVE)))) await swap(resources, KEPT_ARCHIVE, ARCHIVE);
    // Of the version before an update.
    for (const name of [KEPT_ARCHIVE, `${KEPT_ARCHIVE}${BESIDE}`]) await remove(resources, name);
    await remove(resources, "app");
    return ok();
  } catch (thrown) {
    return err(notChanged(app, thrown));
  }
}

/** What is left of an earlier version under the new name goes first. */
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

/** Of the app, from its archive. */
export async function readManifest(archive: string): Promise<Record<string, unknown>> {
  const { extractFile } = await import("@electron/asar");
  const text = extractFile(archive, "package.json").toString("utf8");
  const manifest = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(manifest)) throw new Error(`package.json in ${archive} is no JSON object`);
  return manifest;
}

function shimManifest(manifest: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(manifest).filter(([key]) => KEPT_KEYS.includes(key));
  return { ...Object.fromEntries(kept), main: "main.js" };
}

function shimSource(main: string, preload: string): string {
  return `"use strict";
// Written by "mux-hooks desktop install"; "mux-hooks desktop uninstall" takes it away.
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

/** The preload of the shim that is there. */
async function readMark(resources: string): Promise<string | undefined> {
  const text = await readFile(join(resources, "app", MARK), "utf8").catch(() => "");
  const mark = parseJson(text).unwrapOr(undefined);
  return isJsonObject(mark) && typeof mark.preload === "string" ? mark.preload : undefined;
}

function foreign({ resources }: DesktopApp): string {
  return `${join(resources, "app")} is there and was not written by mux-hooks: it is left as it is`;
}

function notChanged({ executable }: DesktopApp, thrown: unknown): string {
  return `${executable} could not be changed: ${describeError(thrown)}; "mux-hooks desktop status" shows how it stands`;
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
