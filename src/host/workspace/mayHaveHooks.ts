/**
 * Checks synchronously whether any hook may be configured, because a Mux without hooks must run unmodified; the engine
 * decides later. Also lists the folders with the user's settings, finds the main checkout of a worktree, and checks
 * whether Claude Code may have Stop hooks that the user was not notified of (H46).
 */
import { tryOr } from "@/common/errors";
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { parseCommonDir, parseGitFile } from "@/common/linkedWorktree";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import { type Checkout, isLocallyReadable } from "@/host/workspace/liveWorkspaces";

const FOLDERS = [".mux", ".xum"];
const USER_FILES = ["settings.json", "stop", "subagent_stop"];
const PROJECT_FILES = [...USER_FILES, "settings.local.json"];
const GAUNTLET = join(".gauntlet", "config.yml");

/** The environment and the home folder that determine the user roots. */
export interface CandidatePlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** Returns whether hooks may be configured; the loader decides. True for a broken link, which is reported (H2a). */
export function mayHaveHooks(projectDir: string, place: CandidatePlace): boolean {
  return (
    userMayHaveHooks(place) ||
    inFolders(projectDir, PROJECT_FILES).some(isThere) ||
    mainCheckout(projectDir).some((dir) => inFolders(dir, ["settings.local.json"]).some(isThere)) ||
    upToRepository(projectDir).some((dir) => isThere(join(dir, GAUNTLET))) ||
    FOLDERS.some((name) => isLinkToNothing(join(projectDir, name))) ||
    mayBeOnRecord(JSON.stringify(projectDir), place)
  );
}

function isThere(path: string): boolean {
  return tryOr(() => lstatSync(path, { throwIfNoEntry: false }), undefined) !== undefined;
}

function isLinkToNothing(folder: string): boolean {
  return isThere(folder) && !existsSync(folder);
}

/** Returns whether the trust store contains a name. Trusted hooks run even if the checkout has none left (H31). */
function mayBeOnRecord(name: string, place: CandidatePlace): boolean {
  return userRoots(place).some((root) => {
    const record = tryOr(() => readFileSync(join(root, "hook-trust.json"), "utf8"), "");
    return record.includes(name);
  });
}

/** Returns the possible user roots by precedence, without checking whether they exist. */
export function userRoots({ env, home }: CandidatePlace): string[] {
  const named = [env.XUM_ROOT, env.MUX_ROOT].filter((root = "") => root !== "") as string[];
  return [...named, ...(isAbsolute(home) ? FOLDERS.map((name) => join(home, name)) : [])];
}

/** Returns whether the user layer may have hooks. It is on this machine even if the project is not. */
export function userMayHaveHooks(place: CandidatePlace): boolean {
  return userRoots(place).some(
    (root) => isLinkToNothing(root) || USER_FILES.some((name) => isThere(join(root, name)))
  );
}

/** Returns whether a checkout may have hooks. Always true if this machine cannot read its files. */
export function hasHookFiles(checkout: Checkout, place: CandidatePlace): boolean {
  const { dir, metadata } = checkout;
  const { type, containerName = metadata.id } = metadata.runtimeConfig ?? {};
  return (
    !isLocallyReadable(checkout) ||
    mayHaveHooks(dir, place) ||
    mayBeOnRecord(JSON.stringify(metadata.projectPath), place) ||
    // The trusted name of a dev container's checkout ends with its folder there, which is not known yet.
    (checkout.remote && mayBeOnRecord(`"${type}://${containerName}/`, place))
  );
}

function inFolders(dir: string, names: readonly string[]): string[] {
  return FOLDERS.flatMap((folder) => names.map((name) => join(dir, folder, name)));
}

/** Returns the main checkout of a linked worktree. Returns an empty list for any other folder. */
export function mainCheckout(dir: string): string[] {
  return tryOr(() => {
    const path = join(dir, ".git");
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const gitDir = parseGitFile(readFileSync(path, "utf8"), dir);
    if (gitDir === undefined) return [];
    const main = parseCommonDir(readFileSync(join(gitDir, "commondir"), "utf8"), gitDir);
    return main === undefined ? [] : [main];
  }, []);
}

/** Returns the folder and those above it, up to the root of its repository. */
function upToRepository(dir: string): string[] {
  const parent = dirname(dir);
  if (parent === dir || existsSync(join(dir, ".git"))) return [dir];
  return [dir, ...upToRepository(parent)];
}

const CLAUDE_FILES = [".claude/settings.json", ".claude/settings.local.json"];

/** Returns whether Claude Code's files may have Stop hooks that the user was not notified of (H46). The engine decides. */
export function mayNeedHint(checkout: Checkout, place: CandidatePlace): boolean {
  if (!isLocallyReadable(checkout)) return false;
  const { dir, metadata } = checkout;
  // The user's settings of Claude Code (H39).
  const { CLAUDE_CONFIG_DIR: named = "" } = place.env;
  const folder = named === "" ? join(place.home, ".claude") : named;
  const userFile = isAbsolute(folder) ? join(folder, "settings.json") : "";
  const isInProject = CLAUDE_FILES.some((name) => mayHaveStopHook(join(dir, name)));
  if (!isInProject && !mayHaveStopHook(userFile)) return false;
  const name = isInProject ? metadata.projectPath : userFile;
  return !userRoots(place).some((root) =>
    readText(join(root, "hook-hints.json")).includes(JSON.stringify(name))
  );
}

const HOOKS_OR_PLUGINS = ['"Stop"', '"SubagentStop"', '"enabledPlugins"'];

function mayHaveStopHook(path: string): boolean {
  const text = path === "" ? "" : readText(path);
  return HOOKS_OR_PLUGINS.some((name) => text.includes(name));
}

/** Returns an empty text for a file that is missing, too large or unreadable. */
function readText(path: string): string {
  return tryOr(() => {
    const stat = statSync(path, { throwIfNoEntry: false });
    const isSmall = stat?.isFile() === true && stat.size <= MAX_SETTINGS_BYTES;
    return isSmall ? readFileSync(path, "utf8") : "";
  }, "");
}
