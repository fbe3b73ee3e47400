/** Which files of a machine may hold settings or be hooks themselves (H1, H8, H9, H10). Nothing is read here but folders. */
import { stampOf } from "@/node/services/hooks/contract/scriptStamp";
import { posix } from "node:path";
import type { Diagnostic } from "@/common/diagnostics";
import type { FileFailure, Files, FileStat, PresentStat } from "@/node/runtime/HookRuntime";
import { findMainCheckout } from "@/node/services/hooks/settings/linkedWorktree";
import { viewMachine, type MachineView } from "@/node/services/hooks/settings/cache/machineView";
import type { HookEventName } from "@/node/services/hooks/contract/types";

/** Where the user's own files are looked for. */
export interface UserPaths {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** A file that is there, or whose stat failed. */
export interface FoundFile {
  readonly path: string;
  readonly stat: Exclude<FileStat, { kind: "missing" }>;
}

/** A file that is itself the hook. */
export interface FoundScript extends FoundFile {
  readonly event: HookEventName;
}

export interface UserFiles {
  readonly settings?: FoundFile;
  readonly scripts: readonly FoundScript[];
}

export interface ProjectFiles extends UserFiles {
  readonly local?: FoundFile;
  readonly diagnostics: readonly Diagnostic[];
}

const LOCAL_NAME = "settings.local.json";
/** Files that are hooks themselves, and the events they are for (H8). */
const SCRIPT_NAMES = ["stop", "subagent_stop"] as const;
const SCRIPT_EVENTS = ["Stop", "SubagentStop"] as const satisfies readonly HookEventName[];

/** The newer name of the host first: it alone counts where both hold a file (H10). */
const FOLDERS = [".xum", ".mux"] as const;

/** Returns the event that a file of this name is a hook for. */
export function scriptEvent(path: string): HookEventName | undefined {
  return SCRIPT_EVENTS[SCRIPT_NAMES.findIndex((name) => name === posix.basename(path))];
}

/** `XUM_ROOT`, `MUX_ROOT`, a `~/.xum` with anything in it, `~/.mux` (H1); absent without an absolute home (H31). */
export async function findUserRoot(host: Files, place: UserPaths): Promise<string | undefined> {
  return await userRoot(viewMachine(host, ""), place);
}

export async function findUserFiles(view: MachineView, place: UserPaths): Promise<UserFiles> {
  const root = await userRoot(view, place);
  if (root === undefined) return { scripts: [] };
  const [settings, ...scripts] = await findInFolders(
    view,
    ["settings.json", ...SCRIPT_NAMES].map((name) => posix.join(root, name))
  );
  return { ...(settings && { settings }), scripts: nameScripts(scripts) };
}

export async function findProjectFiles(view: MachineView, dir: string): Promise<ProjectFiles> {
  const names = ["settings.json", LOCAL_NAME, ...SCRIPT_NAMES];
  const { files, diagnostics } = await chooseFiles(view, dir, names);
  const [settings, ownLocal, ...scripts] = files;
  const main = ownLocal === undefined ? await findMainCheckout(view, dir) : undefined;
  const shared = main === undefined ? undefined : await chooseFiles(view, main, [LOCAL_NAME]);
  const local = ownLocal ?? shared?.files[0];
  return {
    ...(settings && { settings }),
    ...(local && { local }),
    scripts: nameScripts(scripts),
    diagnostics: [...diagnostics, ...(shared?.diagnostics ?? [])],
  };
}

/** The local settings that count, or would if they were there; in a linked worktree perhaps its main checkout's (H1). */
export async function findLocalSettings(files: Files, projectDir: string): Promise<string> {
  const { local } = await findProjectFiles(viewMachine(files, projectDir), projectDir);
  return local?.path ?? posix.join(projectDir, ".mux", LOCAL_NAME);
}

/** Claude Code's own files: the user's, the project's and the local one (H9). */
export function claudePaths(home: string, projectDir: string) {
  return {
    user: posix.join(home, ".claude", "settings.json"),
    project: posix.join(projectDir, ".claude", "settings.json"),
    local: posix.join(projectDir, ".claude", LOCAL_NAME),
  };
}

/** One answer a path, in order. */
export async function findFiles(
  view: MachineView,
  paths: readonly string[]
): Promise<(FoundFile | undefined)[]> {
  const stats = await view.stats.stat(paths);
  return paths.map((path, i) => {
    const stat = stats[i];
    if (stat !== undefined && stat.kind !== "missing") return { path, stat };
    if (isDangling(stat)) return { path, stat: { kind: "failed", failure: dangling(path) } };
    // A file that was taken away is no slip of the pen: it does not count as it last parsed.
    view.memory.settings.forget(path);
    return undefined;
  });
}

/**
 * {@link findFiles} that asks for nothing in a folder that is not there, which most of these are not. Where none is
 * there and one is a link to nothing, that is told in place of the first file (H2a).
 */
async function findInFolders(
  view: MachineView,
  paths: readonly string[]
): Promise<(FoundFile | undefined)[]> {
  const folders = [...new Set(paths.map((path) => posix.dirname(path)))];
  const stats = await view.stats.stat(folders);
  const missing = new Set(folders.filter((_, i) => stats[i]?.kind === "missing"));
  const candidates = paths.filter((path) => !missing.has(posix.dirname(path)));
  const found = await findFiles(view, candidates);
  const [link] = folders.filter((_, i) => isDangling(stats[i]));
  const obstructed = paths.find((path) => posix.dirname(path) === link);
  return paths.map((path) => {
    if (!missing.has(posix.dirname(path))) return found[candidates.indexOf(path)];
    view.memory.settings.forget(path);
    if (path !== obstructed || candidates.length > 0) return undefined;
    return { path, stat: { kind: "failed", failure: dangling(path, "its folder", "one") } };
  });
}

function isDangling(stat: FileStat | undefined): boolean {
  return stat?.kind === "missing" && stat.dangling === true;
}

function dangling(path: string, what = "it", target = "a file"): FileFailure {
  const message = `${what} is a symbolic link to ${target} that does not exist`;
  return { path, code: "ENOENT", message };
}

async function userRoot(view: MachineView, { env, home }: UserPaths): Promise<string | undefined> {
  const named = [env.XUM_ROOT, env.MUX_ROOT].find((root) => root !== undefined && root !== "");
  if (named !== undefined) return posix.resolve(named);
  if (!posix.isAbsolute(home)) return undefined;
  const newer = posix.join(home, ".xum");
  return (await isPopulated(view, newer)) ? newer : posix.join(home, ".mux");
}

/** A folder that may not be listed is in use all the same. */
async function isPopulated(
  { files, stats, memory }: MachineView,
  folder: string
): Promise<boolean> {
  const [stat] = await stats.stat([folder]);
  if (stat?.kind !== "directory") return false;
  const listed = await memory.populated.get(folder, stat, async () =>
    (await files.list(folder)).map((names) => names.length > 0)
  );
  return listed.unwrapOr(true);
}

/** Of each name the file that counts, and a word about the one that does not. */
async function chooseFiles(
  view: MachineView,
  dir: string,
  names: readonly string[]
): Promise<{ files: (FoundFile | undefined)[]; diagnostics: Diagnostic[] }> {
  const paths = names.flatMap((name) => FOLDERS.map((folder) => posix.join(dir, folder, name)));
  const found = await findInFolders(view, paths);
  const diagnostics: Diagnostic[] = [];
  const files = names.map((_, i) => {
    const [newer, older] = found.slice(i * FOLDERS.length, (i + 1) * FOLDERS.length);
    if (isPresent(newer) && isPresent(older) && stampOf(newer.stat) !== stampOf(older.stat)) {
      diagnostics.push(shadowed(older, newer));
    }
    return newer ?? older;
  });
  return { files, diagnostics };
}

function isPresent(file: FoundFile | undefined): file is FoundFile & { stat: PresentStat } {
  return file !== undefined && file.stat.kind !== "failed";
}

function shadowed(older: FoundFile, newer: FoundFile): Diagnostic {
  const message = `this file does not count, because ${newer.path} is there as well; bring the two together there and remove this one`;
  return { severity: "warning", file: older.path, line: 1, column: 1, keyPath: "", message };
}

function nameScripts(files: readonly (FoundFile | undefined)[]): FoundScript[] {
  return files.flatMap((file, i) => {
    const event = SCRIPT_EVENTS[i];
    return file === undefined || event === undefined ? [] : { ...file, event };
  });
}
