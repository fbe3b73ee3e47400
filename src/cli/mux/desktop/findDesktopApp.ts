/**
 * Finds packaged Mux apps at a path or in the usual places (the Electron executable and the archive with the build),
 * and chooses one or says why none can be used. Also recognizes AppImages, and finds `mux`, or `xum` as newer versions
 * are called, on the PATH.
 */
import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { findOnPath } from "@/node/runtime/process/startFailure";

/** The name of the archive, which Electron prefers to `resources/app`. */
export const ARCHIVE = "app.asar";
/** The name of the archive while the shim is installed. Mux recognizes an archive by the suffix `app.asar`. */
export const KEPT_ARCHIVE = "_app.asar";
/** The path of the CLI script in the archive, as Electron resolves it. */
export const ENTRY = join("dist", "cli", "index.js");

export interface DesktopApp {
  /** Absolute. */
  readonly executable: string;
  /** Absolute: the folder that holds the archive. */
  readonly resources: string;
  /** Absolute: the shipped archive. */
  readonly archive: string;
  /** Whether the app has a code signature, which a change would invalidate. */
  readonly isSigned: boolean;
}

/**
 * Finds the packaged app of a path.
 *
 * @param path the program, its folder, a `.app` bundle, or a folder that an AppImage was unpacked to
 * @returns undefined if there is no packaged app
 */
export async function findDesktopApp(path: string): Promise<DesktopApp | undefined> {
  const real = await realpath(path).catch(() => path);
  const isFolder = (await stat(real).catch(() => undefined))?.isDirectory() === true;
  if (extname(real) === ".app" && isFolder) return await ofBundle(real);
  const bundle = /^(.*\.app)\/Contents\//.exec(real)?.[1];
  if (bundle !== undefined) return await ofBundle(bundle);
  const folder = isFolder ? real : dirname(real);
  const resources = join(folder, "resources");
  const archive = findArchive(resources);
  if (archive === undefined) return undefined;
  const executable = isFolder ? await findExecutable(folder) : real;
  if (executable === undefined) return undefined;
  return { executable, resources, archive, isSigned: false };
}

async function ofBundle(folder: string): Promise<DesktopApp | undefined> {
  const resources = join(folder, "Contents", "Resources");
  const archive = findArchive(resources);
  const programs = join(folder, "Contents", "MacOS");
  const [program] = (await readdir(programs).catch(() => [])).sort();
  if (archive === undefined || program === undefined) return undefined;
  return { executable: join(programs, program), resources, archive, isSigned: true };
}

/** Returns the archive. Prefers that of an update to the one that the shim renamed. */
function findArchive(resources: string): string | undefined {
  return [ARCHIVE, KEPT_ARCHIVE].map((name) => join(resources, name)).find(existsSync);
}

/** Finds the executable by its name, because the folder also contains Electron's helper programs. */
async function findExecutable(folder: string): Promise<string | undefined> {
  for (const name of ["xum", "mux"]) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true && (found.mode & 0o111) !== 0) return path;
  }
  return undefined;
}

/** Returns whether a file is an AppImage, which has to be mounted or unpacked before its contents can run. */
export function isAppImage(file: string, head: string): boolean {
  return extname(file) === ".AppImage" || head.slice(8, 10) === "AI";
}

/** Searches the usual places, for `desktop` and `doctor` without a path. */
export async function findDesktopApps(
  place: Pick<CliContext, "env" | "home">
): Promise<DesktopApp[]> {
  const { home } = place;
  const places = [
    ...(await programsOnPath(place)),
    ...["/opt/Xum", "/opt/xum", "/opt/Mux", "/opt/mux"],
    ...["/Applications/Xum.app", "/Applications/Mux.app"],
    ...[join(home, "Applications", "Xum.app"), join(home, "Applications", "Mux.app")],
  ];
  const found = await Promise.all(places.map(findDesktopApp));
  const apps = found.filter((app) => app !== undefined);
  return apps.filter(({ archive }, i) => apps.findIndex((app) => app.archive === archive) === i);
}

export function notPackaged(path: string): string {
  return `${path} is not a Mux desktop app: it has no resources/app.asar`;
}

/** Returns the app at `path`, or the only installed one. */
export async function chooseDesktopApp(
  path: string | undefined,
  place: Pick<CliContext, "env" | "home">
): Promise<Result<DesktopApp, string>> {
  if (path !== undefined) {
    if (isAppImage(path, ""))
      return err(
        `${path} is an AppImage, whose files cannot be changed; unpack it with "${path} --appimage-extract", name squashfs-root with --app, and start the app with squashfs-root/AppRun`
      );
    const app = await findDesktopApp(path);
    return app === undefined ? err(notPackaged(path)) : ok(app);
  }
  const [app, ...others] = await findDesktopApps(place);
  if (app === undefined)
    return err("no Mux desktop app was found; give its path with --app <path>");
  if (others.length === 0) return ok(app);
  return err(
    `several Mux desktop apps were found; select one with --app <path>: ${[app, ...others].map(({ executable }) => executable).join(", ")}`
  );
}

/** Returns the absolute paths of `mux` and `xum` on the PATH, if they exist. */
export async function programsOnPath({ env }: Pick<CliContext, "env">): Promise<string[]> {
  const found = await Promise.all(["mux", "xum"].map((name) => findOnPath(name, env.PATH)));
  return found.filter((path) => path !== undefined);
}
