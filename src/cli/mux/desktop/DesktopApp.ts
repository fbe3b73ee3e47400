/** A packaged Mux on this machine: an Electron program, and the archive beside it that holds Mux's own build. */
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { err, ok, type Result } from "neverthrow";

/** Electron loads it before `resources/app`. */
export const ARCHIVE = "app.asar";
/** What it is called while the shim stands in for it. Whatever ends in `app.asar` is an archive to Mux, too. */
export const KEPT_ARCHIVE = "_app.asar";
/** The program's entry, within the archive. */
const ENTRY = join("dist", "cli", "index.js");

export interface DesktopApp {
  /** Absolute. */
  readonly executable: string;
  /** Absolute: the folder that holds the archive. */
  readonly resources: string;
  /** Absolute: of Mux's build, as it was shipped. */
  readonly archive: string;
  /** Its files are sealed by a signature. */
  readonly isSigned: boolean;
}

/** The program's entry as Electron sees it: a path within the archive. */
export function entryOf({ archive }: DesktopApp): string {
  return join(archive, ENTRY);
}

/**
 * @param path the program, its folder, a `.app` bundle, or a folder that an AppImage was unpacked to
 * @returns nothing where there is no packaged app
 */
export async function findDesktopApp(path: string): Promise<DesktopApp | undefined> {
  const real = await realpath(path).catch(() => path);
  const isFolder = (await statOf(real))?.isDirectory() === true;
  if (extname(real) === ".app" && isFolder) return await ofBundle(real);
  const bundle = /^(.*\.app)\/Contents\//.exec(real)?.[1];
  if (bundle !== undefined) return await ofBundle(bundle);
  const folder = isFolder ? real : dirname(real);
  const resources = join(folder, "resources");
  const archive = await findArchive(resources);
  if (archive === undefined) return undefined;
  const executable = isFolder ? await findExecutable(folder) : real;
  if (executable === undefined) return undefined;
  return { executable, resources, archive, isSigned: false };
}

async function ofBundle(folder: string): Promise<DesktopApp | undefined> {
  const resources = join(folder, "Contents", "Resources");
  const archive = await findArchive(resources);
  const programs = join(folder, "Contents", "MacOS");
  const [program] = (await readdir(programs).catch(() => [])).sort();
  if (archive === undefined || program === undefined) return undefined;
  return { executable: join(programs, program), resources, archive, isSigned: true };
}

/** A new one that an update has brought counts before the one that was kept. */
async function findArchive(resources: string): Promise<string | undefined> {
  for (const name of [ARCHIVE, KEPT_ARCHIVE]) {
    const path = join(resources, name);
    if ((await statOf(path)) !== undefined) return path;
  }
  return undefined;
}

const NAMES = ["xum", "mux"];

/** Beside the program lie Electron's own, whose names do not change. */
async function findExecutable(folder: string): Promise<string | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const found = await statOf(path);
    if (found?.isFile() === true && (found.mode & 0o111) !== 0) return path;
  }
  return undefined;
}

/** An AppImage is a file system that is mounted, or unpacked, before anything in it can be run. */
export function isAppImage(file: string, head: string): boolean {
  return extname(file) === ".AppImage" || head.slice(8, 10) === "AI";
}

/** What `desktop` and `doctor` look at where no path is given. */
export async function findDesktopApps(
  home: string,
  onPath: readonly string[]
): Promise<DesktopApp[]> {
  const places = [
    ...onPath,
    ...["/opt/Xum", "/opt/xum", "/opt/Mux", "/opt/mux"],
    ...["/Applications/Xum.app", "/Applications/Mux.app"],
    ...[join(home, "Applications", "Xum.app"), join(home, "Applications", "Mux.app")],
  ];
  const found = await Promise.all(places.map(findDesktopApp));
  const apps = found.filter((app) => app !== undefined);
  return apps.filter(({ archive }, i) => apps.findIndex((app) => app.archive === archive) === i);
}

/** The one that is meant; a path that leads to none, and several to choose from, are errors. */
export async function chooseDesktopApp(
  path: string | undefined,
  find: () => Promise<DesktopApp[]>
): Promise<Result<DesktopApp, string>> {
  if (path !== undefined) {
    if (isAppImage(path, "")) return err(unpackFirst(path));
    const app = await findDesktopApp(path);
    return app === undefined
      ? err(`${path} is no packaged Mux: there is no resources/${ARCHIVE} beside it`)
      : ok(app);
  }
  const [app, ...others] = await find();
  if (app === undefined) return err("no packaged Mux was found: name it with --app <path>");
  if (others.length === 0) return ok(app);
  const names = [app, ...others].map(({ executable }) => executable).join(", ");
  return err(`there are several packaged apps, so name one with --app <path>: ${names}`);
}

function unpackFirst(path: string): string {
  return `${path} is an AppImage, which nothing can be added to: unpack it with "${path} --appimage-extract", start the app as squashfs-root/AppRun, and name squashfs-root with --app`;
}

async function statOf(path: string) {
  return await stat(path).catch(() => undefined);
}
