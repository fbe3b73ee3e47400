/** Messages about Mux on this machine: how it is found and started, and whether hooks run in it. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

export const NOT_BUILT =
  'mux-stop-hooks (the package of mux-hooks) is not built; run "make build" in its folder';

// Finding the program

export function programMissing(path: string): string {
  return `${path} does not exist`;
}

export function programNotOnPath(name: string): string {
  return `${name} is not on the PATH; install it, or give the path of its dist/cli/index.js`;
}

export function programIsFolder(path: string): string {
  return `${path} is a folder; name the program in it, for example node <mux>/dist/cli/index.js`;
}

export function windowsProgram(path: string): string {
  return `${path} is a Windows program, which cannot load hooks from this system; install Mux on this system`;
}

/** @param runtime such as `bun` */
export function notRunByNode(path: string, runtime: string): string {
  return `${path} is run by ${runtime}, which cannot load the hooks; start the build with Node: "${ownCommand()} hooks attach -- node <mux>/dist/cli/index.js …"`;
}

// Starting it

/** Appears if the command is still running after a minute. */
export const HOST_NOT_STARTED_YET = "Mux has not started yet, so no hooks run";

export const HOST_NEVER_STARTED =
  "the command ended without starting Mux, so no hooks ran; attach to the command that starts Mux";

/** The editor uses a running server for its turns. */
export function serverWithoutHooks(pid: number): string {
  return `the Mux server that runs as process ${pid} has no hooks, so none run for your editor either; quit it, and start it with "${ownCommand()} hooks attach -- mux server"`;
}

// Examining it

export const NO_HOST = "No Mux found";

export const HOST_NOT_ON_PATH =
  "neither mux nor xum is on the PATH; name the folder of Mux with --mux <dir>";

export function hostIsLauncher(path: string): string {
  return `${path} is a program that starts Mux; name the folder of the build with --mux <dir>`;
}

export function notHost(path: string): string {
  return `${path} is not Mux; name the folder of Mux with --mux <dir>`;
}

export function noBuild(folder: string): string {
  return `${folder} does not contain a build of Mux`;
}

export function modulesNotLoaded(folder: string, why: string): string {
  return `the modules in ${folder} could not be loaded${why === "" ? "" : `: ${why}`}`;
}

export const UNEXAMINED_IMAGE = "an AppImage; its contents are examined when it is started";
export const UNEXAMINED_BUNDLE =
  "a single-file bundle; missing features are reported when it is started";

/** The features of a host, by the key of the feature. */
export const FEATURES = {
  stop: "Stop hooks",
  "subagent-stop": "SubagentStop hooks",
  run: "waiting for the hooks in `mux run`",
  editor: "waiting for the hooks in `mux acp`, before it replies to the editor",
  trust: "the check whether Mux trusts the project",
  remote: "hooks in remote workspaces",
} as const;

/** @param missing the missing parts of the build, such as `the class AgentSession` */
export function featureMissing(feature: string, missing: readonly string[]): string {
  return `${feature}: not available, because this version of Mux has no ${missing.join(", no ")}`;
}

export function updateMayHelp(problem: string): string {
  return `${problem}; an update of Mux or mux-stop-hooks may fix this`;
}

// The report of `doctor`

export const RUNNING = "Running with hooks";

/** @param lack the inactive integration points, each after a semicolon, or an empty text */
export function attachedHost({ pid, startedAt, host, plugin }: AttachedHost, lack: string): string {
  return `process ${pid} since ${startedAt}: version ${host.version}, with mux-stop-hooks ${plugin}${lack}`;
}

interface AttachedHost {
  readonly pid: number;
  readonly startedAt: string;
  readonly plugin: string;
  readonly host: { readonly version: string };
}

/** @param command the command line of the process, or an empty text */
export function hostWithoutHooks(pid: number, command: string): string {
  const name = command === "" ? "" : ` (${command})`;
  return `a Mux without hooks is running as process ${pid}${name} and holds the server lock; quit it (the desktop app too) before you start one with hooks`;
}

export const NO_PROBLEMS = "No problems found.";

export function startedWith(commands: readonly string[]): string {
  return `Hooks run if Mux is started with: ${commands.join(", or ")}`;
}

export const PROBLEMS = "Problems to fix";

/** @param by the program, or the host and its file */
/** The record of the project itself, or of the main checkout of a linked worktree. */
export function ownRecord({
  project,
  path,
}: {
  readonly project: string;
  readonly path: string;
}): string {
  return `mux-hooks, with the record of ${project} in ${path}`;
}

export function trustedBy(by: string): string {
  return `The project is trusted by ${by}.`;
}

/** @param name `Mux` or `Xum` */
export function notTrustedInHost(projectPath: string, name: string): string {
  return `${projectPath} is not trusted in ${name}, so its hooks do not run; trust it in ${name} (in the project's settings, or with "${name.toLowerCase()} trust" in newer versions)`;
}

export const ALL_HOOKS_DISABLED = "all hooks are turned off by disableAllHooks";

export const NO_HOOKS_CONFIGURED =
  "no hooks are configured; add one to .mux/settings.json, or an executable .mux/stop";

export function errorsInSettings(count: number): string {
  return `${plural(count, "error")} in the settings; run "${ownCommand()} hooks validate"`;
}
