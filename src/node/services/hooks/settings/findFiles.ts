/**
 * Finds the files of a machine that may contain settings or be hooks themselves, without reading them, and reports
 * files that are ignored because another one is there (H1, H8, H9, H10). Also finds the user's settings folder, the
 * main checkout of a linked worktree, and the checkout whose trust the worktree shares (H31).
 */
import { stampOf } from "@/node/runtime/fileContents";
import {
  claudeConfigDir,
  MachineView,
  type UserPaths,
} from "@/node/services/hooks/settings/cachedReads";
import { posix } from "node:path";
import { type Diagnostic, fileDiagnostic } from "@/common/diagnostics";
import type { FileFailure, FileStat, Files, PresentStat } from "@/node/runtime/HookRuntime";
import type { HookEventName } from "@/node/services/hooks/contract/types";
import type { Result } from "neverthrow";
import { parseCommonDir, parseGitFile } from "@/common/linkedWorktree";
import { KIB } from "@/common/limits";

/** A file that exists, or whose stat failed. */
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
  readonly diagnostics: readonly Diagnostic[];
}

export interface ProjectFiles extends UserFiles {
  readonly local?: FoundFile;
}

const LOCAL_NAME = "settings.local.json";
/** Names of files that are hooks themselves, and the events they are for (H8). */
const SCRIPT_NAMES = ["stop", "subagent_stop"] as const;
const SCRIPT_EVENTS = ["Stop", "SubagentStop"] as const satisfies readonly HookEventName[];

/** Settings folders, the host's newer name first. If both hold a file, only the newer one counts (H10). */
const FOLDERS = [".xum", ".mux"] as const;

/** Returns the event that a file of this name is a hook for, or undefined if it is not a hook. */
export function scriptEvent(path: string): HookEventName | undefined {
  return SCRIPT_EVENTS[SCRIPT_NAMES.findIndex((name) => name === posix.basename(path))];
}

/**
 * Returns the user root: `XUM_ROOT`, else `MUX_ROOT`, else a `~/.xum` that is not empty, else `~/.mux` (H1). Without an
 * absolute home the last two do not exist (H31).
 */
export async function findUserRoot(host: Files, place: UserPaths): Promise<string | undefined> {
  return await userRoot(new MachineView(host, ""), place);
}

/** Finds the settings and the script hooks in the user root. */
export async function findUserFiles(view: MachineView, place: UserPaths): Promise<UserFiles> {
  const root = await userRoot(view, place);
  if (root === undefined) return { scripts: [], diagnostics: [] };
  const names = ["settings.json", ...SCRIPT_NAMES];
  const [files, diagnostics] = await Promise.all([
    findInFolders(view, pathsIn(root, names)),
    noteOlderRoot(view, place, root, [...names, "hook-trust.json"]),
  ]);
  const [settings, ...scripts] = files;
  return { settings, scripts: nameScripts(scripts), diagnostics };
}

function pathsIn(dir: string, names: readonly string[]): string[] {
  return names.map((name) => posix.join(dir, name));
}

/** Reports files of `~/.mux` that have no effect, because `~/.xum` is the user root (H1). */
async function noteOlderRoot(
  view: MachineView,
  { home }: UserPaths,
  root: string,
  names: readonly string[]
): Promise<Diagnostic[]> {
  const older = posix.join(home, ".mux");
  if (root !== posix.join(home, ".xum")) return [];
  const [ofOlder, ofNewer] = await Promise.all(
    [older, root].map((dir) => view.stats.stat(pathsIn(dir, names)))
  );
  return names.flatMap((name, i) => {
    const [lost, used] = [ofOlder?.[i], ofNewer?.[i]];
    if (lost?.kind !== "file" || (used?.kind === "file" && stampOf(lost) === stampOf(used)))
      return [];
    // Both records of trust may be valid: each project is trusted in the one that counts, or it is reported.
    if (used?.kind !== "missing" && name === "hook-trust.json") return [];
    const message =
      used?.kind === "missing"
        ? `this file is ignored, because your settings are read from ${root}; move this file to ${root}`
        : shadowedBy(posix.join(root, name));
    return [fileDiagnostic("error", posix.join(older, name), message)];
  });
}

/** Finds the settings, the local settings and the script hooks of a project. */
export async function findProjectFiles(view: MachineView, dir: string): Promise<ProjectFiles> {
  const names = ["settings.json", LOCAL_NAME, ...SCRIPT_NAMES];
  const { files, diagnostics } = await chooseFiles(view, dir, names);
  const [settings, ownLocal, ...scripts] = files;
  const main = ownLocal === undefined ? await findMainCheckout(view, dir) : undefined;
  const shared = main === undefined ? undefined : await chooseFiles(view, main, [LOCAL_NAME]);
  const local = ownLocal ?? shared?.files[0];
  return {
    settings,
    local,
    scripts: nameScripts(scripts),
    diagnostics: [...diagnostics, ...(shared?.diagnostics ?? [])],
  };
}

/**
 * Returns the path of the local settings, which may not exist. In a linked worktree it may be its main checkout's (H1).
 */
export async function findLocalSettings(files: Files, projectDir: string): Promise<string> {
  const { local } = await findProjectFiles(new MachineView(files, projectDir), projectDir);
  return local?.path ?? posix.join(projectDir, ".mux", LOCAL_NAME);
}

/** Layers whose settings are in one file. */
export type FileLayer = "user" | "project" | "local";
export const FILE_LAYERS: readonly FileLayer[] = ["user", "project", "local"];

/**
 * Returns the settings file of a layer, which may not exist (H1). Returns undefined for the user's file without an
 * absolute home.
 */
export async function findLayerFile(
  files: Files,
  projectDir: string,
  place: UserPaths,
  layer: FileLayer
): Promise<string | undefined> {
  const view = new MachineView(files, projectDir);
  if (layer === "user") {
    const root = await userRoot(view, place);
    return root && posix.join(root, "settings.json");
  }
  if (layer === "local") return await findLocalSettings(files, projectDir);
  const { settings } = await findProjectFiles(view, projectDir);
  return settings?.path ?? posix.join(projectDir, ".mux", "settings.json");
}

/** Returns the main checkout of a linked worktree on this machine, or undefined for any other folder. */
export async function findMainProject(
  files: Files,
  projectDir: string
): Promise<string | undefined> {
  return await findMainCheckout(new MachineView(files, projectDir), projectDir);
}

/** Returns the paths of Claude Code's own files: the user's, the project's and the local one (H9, H39). */
export function claudePaths(home: string, projectDir: string, env: UserPaths["env"] = {}) {
  return {
    user: posix.join(claudeConfigDir({ home, env }), "settings.json"),
    project: posix.join(projectDir, ".claude", "settings.json"),
    local: posix.join(projectDir, ".claude", LOCAL_NAME),
  };
}

/** Returns the file at each path, in order, or undefined if it does not exist. */
export async function findFiles(
  view: MachineView,
  paths: readonly string[]
): Promise<(FoundFile | undefined)[]> {
  const stats = await view.stats.stat(paths);
  return paths.map((path, i) => {
    const stat = stats[i];
    if (stat !== undefined && stat.kind !== "missing") return { path, stat };
    if (isDangling(stat)) return dangling(path, "it is a symbolic link to a file");
    // Removing a file is deliberate, unlike a typo in it, so its last parsed version is discarded (H5).
    view.memory.settings.forget(path);
    return undefined;
  });
}

/**
 * Works like {@link findFiles}, but skips files in missing folders, since most of these folders do not exist. If none
 * exists and one is a dangling link, the first file in that one is reported as failed (H2a).
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
    return dangling(path, "its folder is a symbolic link to a folder");
  });
}

function isDangling(stat: FileStat | undefined): boolean {
  return stat?.kind === "missing" && stat.dangling === true;
}

function dangling(path: string, what: string): FoundFile {
  const failure = { path, code: "ENOENT", message: `${what} that does not exist` };
  return { path, stat: { kind: "failed", failure } };
}

async function userRoot(view: MachineView, { env, home }: UserPaths): Promise<string | undefined> {
  const named = [env.XUM_ROOT, env.MUX_ROOT].find((root) => root !== undefined && root !== "");
  if (named !== undefined) return posix.resolve(named);
  if (!posix.isAbsolute(home)) return undefined;
  const newer = posix.join(home, ".xum");
  const { files, stats, memory } = view;
  const [stat] = await stats.stat([newer]);
  if (stat?.kind !== "directory") return posix.join(home, ".mux");
  const listed = await memory.populated.get(newer, stat, async () =>
    (await files.list(newer)).map((names) => names.length > 0)
  );
  // A folder that cannot be listed counts as populated.
  return listed.unwrapOr(true) ? newer : posix.join(home, ".mux");
}

/** Returns the file that counts for each name, with a warning about one that does not. */
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
    const [used, lost] = [presentStat(newer), presentStat(older)];
    if (newer && older && used && lost && stampOf(used) !== stampOf(lost)) {
      diagnostics.push(fileDiagnostic("warning", older.path, shadowedBy(newer.path)));
    }
    return newer ?? older;
  });
  return { files, diagnostics };
}

function presentStat(file: FoundFile | undefined): PresentStat | undefined {
  return file === undefined || file.stat.kind === "failed" ? undefined : file.stat;
}

function nameScripts(files: readonly (FoundFile | undefined)[]): FoundScript[] {
  return files.flatMap((file, i) => {
    const event = SCRIPT_EVENTS[i];
    return file === undefined || event === undefined ? [] : { ...file, event };
  });
}

/** Returns the message for a file that is in both folders. */
function shadowedBy(newer: string): string {
  return `this file is ignored, because ${newer} also exists; move the settings of this file to ${newer}, then remove this file`;
}

const MAX_GIT_FILE_BYTES = 4 * KIB;

async function readGitFile(
  files: Pick<Files, "readFile">,
  path: string
): Promise<Result<string, FileFailure>> {
  const read = await files.readFile(path, { maxBytes: MAX_GIT_FILE_BYTES });
  return read.map((bytes) => new TextDecoder().decode(bytes));
}

/**
 * Returns the main checkout of a linked worktree, by git's own files: its `.git` names its git folder, and `commondir` in
 * that names the repository's (`<main>/.git`). Returns undefined for any other folder, or if the repository has none.
 */
export async function findMainCheckout(
  { files, stats, memory }: MachineView,
  projectDir: string
): Promise<string | undefined> {
  const gitFile = posix.join(projectDir, ".git");
  const [stat] = await stats.stat([gitFile]);
  if (stat?.kind !== "file") return undefined;
  const found = await memory.mainCheckouts.get(gitFile, stat, async () => {
    const pointer = await readGitFile(files, gitFile);
    const gitDir = pointer.map((text) => parseGitFile(text, projectDir));
    if (gitDir.isErr() || gitDir.value === undefined) return gitDir;
    const folder = gitDir.value;
    const common = await readGitFile(files, posix.join(folder, "commondir"));
    return common.map((text) => parseCommonDir(text, folder));
  });
  return found.unwrapOr(undefined);
}

/**
 * Returns the main checkout whose trust a linked worktree has (H31). The repository must name the worktree too, because a
 * `.git` file alone could claim the trust of any project.
 */
export async function findOwningCheckout(
  files: Pick<Files, "readFile">,
  projectDir: string
): Promise<string | undefined> {
  const gitFile = posix.join(projectDir, ".git");
  const pointer = await readGitFile(files, gitFile);
  const gitDir = pointer.map((text) => parseGitFile(text, projectDir)).unwrapOr(undefined);
  if (gitDir === undefined) return undefined;
  const common = await readGitFile(files, posix.join(gitDir, "commondir"));
  const main = common.map((text) => parseCommonDir(text, gitDir)).unwrapOr(undefined);
  const link = await readGitFile(files, posix.join(gitDir, "gitdir"));
  const named = posix.resolve(gitDir, link.unwrapOr("").trimEnd());
  const isOwner =
    main !== undefined &&
    posix.dirname(gitDir) === posix.join(main, ".git", "worktrees") &&
    named === gitFile;
  return isOwner ? main : undefined;
}
