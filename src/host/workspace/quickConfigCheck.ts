/** Whether anything could be configured at all, asked without waiting: a host without hooks is left as it is. */
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { parseCommonDir, parseGitFile } from "@/common/gitFile";
import { isLocallyReadable, type Checkout } from "@/host/workspace/WorkspaceLocator";

const FOLDERS = [".mux", ".xum"];
const SCRIPTS = ["stop", "subagent_stop"];
const PROJECT_FILES = ["settings.json", "settings.local.json", ...SCRIPTS];
const GAUNTLET = join(".gauntlet", "config.yml");

export interface CandidatePlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** More than may count in the end, which the loader decides. A link to nothing is reported, so it counts (H2a). */
export function mayHaveHooks(projectDir: string, place: CandidatePlace): boolean {
  return (
    userMayHaveHooks(place) ||
    ofProject(projectDir).some(isThere) ||
    FOLDERS.some((name) => isLinkToNothing(join(projectDir, name))) ||
    mayBeOnRecord(projectDir, place)
  );
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isLinkToNothing(folder: string): boolean {
  return isThere(folder) && !existsSync(folder);
}

/** Definitions that a person has trusted go on to run where the checkout has none any more (H31). */
function mayBeOnRecord(projectDir: string, place: CandidatePlace): boolean {
  return userRoots(place).some((root) => {
    try {
      return readFileSync(join(root, "hook-trust.json"), "utf8").includes(
        JSON.stringify(projectDir)
      );
    } catch {
      return false;
    }
  });
}

/** In the order in which they count; which of them are there is not asked. */
export function userRoots({ env, home }: CandidatePlace): string[] {
  const named = [env.XUM_ROOT, env.MUX_ROOT].filter((root = "") => root !== "") as string[];
  return [...named, ...(isAbsolute(home) ? FOLDERS.map((name) => join(home, name)) : [])];
}

/** The same of what is the user's own, which is on this machine wherever the project is. */
export function userMayHaveHooks(place: CandidatePlace): boolean {
  return userRoots(place).some(
    (root) =>
      isLinkToNothing(root) ||
      ["settings.json", ...SCRIPTS].some((name) => isThere(join(root, name)))
  );
}

/** Of a workspace elsewhere it is not known before its machine was asked. */
export function hasHookFiles(checkout: Checkout, place: CandidatePlace): boolean {
  const { dir, metadata } = checkout;
  return (
    !isLocallyReadable(checkout) ||
    mayHaveHooks(dir, place) ||
    mayBeOnRecord(metadata.projectPath, place)
  );
}

function ofProject(projectDir: string): string[] {
  return [
    ...inFolders(projectDir, PROJECT_FILES),
    ...mainCheckout(projectDir).flatMap((dir) => inFolders(dir, ["settings.local.json"])),
    ...upToRepository(projectDir).map((dir) => join(dir, GAUNTLET)),
  ];
}

function inFolders(dir: string, names: readonly string[]): string[] {
  return FOLDERS.flatMap((folder) => names.map((name) => join(dir, folder, name)));
}

/** The checkout that a linked worktree belongs to. */
export function mainCheckout(dir: string): string[] {
  try {
    const path = join(dir, ".git");
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const gitDir = parseGitFile(readFileSync(path, "utf8"), dir);
    if (gitDir === undefined) return [];
    const main = parseCommonDir(readFileSync(join(gitDir, "commondir"), "utf8"), gitDir);
    return main === undefined ? [] : [main];
  } catch {
    return [];
  }
}

function upToRepository(dir: string): string[] {
  const parent = dirname(dir);
  if (parent === dir || existsSync(join(dir, ".git"))) return [dir];
  return [dir, ...upToRepository(parent)];
}
