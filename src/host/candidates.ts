/** Whether anything could be configured at all, asked without waiting: a host without hooks is left as it is. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInSight, type Checkout } from "@/host/Checkouts";

const FOLDERS = [".mux", ".xum"];
const SCRIPTS = ["stop", "subagent_stop"];
const PROJECT_FILES = ["settings.json", "settings.local.json", ...SCRIPTS];
const GAUNTLET = join(".gauntlet", "config.yml");

export interface CandidatePlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** More than may count in the end: which of them do is the loader's to say. */
export function mayHaveHooks(projectDir: string, place: CandidatePlace): boolean {
  return userMayHaveHooks(place) || ofProject(projectDir).some((path) => existsSync(path));
}

/** The same of what is the user's own, which is on this machine wherever the project is. */
function userMayHaveHooks({ env, home }: CandidatePlace): boolean {
  const roots = [env.XUM_ROOT, env.MUX_ROOT, ...FOLDERS.map((name) => join(home, name))];
  return roots.some(
    (root = "") =>
      root !== "" && ["settings.json", ...SCRIPTS].some((name) => existsSync(join(root, name)))
  );
}

/** Of a workspace elsewhere it is not known before its machine was asked. */
export function mayBeConfigured(checkout: Checkout, place: CandidatePlace): boolean {
  return !isInSight(checkout) || mayHaveHooks(checkout.dir, place);
}

/** What is the project's counts as it was when the turn began, and what is the user's as it is (H7). */
export function isStillBare(
  { isBare }: { readonly isBare?: boolean },
  place: CandidatePlace
): boolean {
  return isBare === true && !userMayHaveHooks(place);
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

/** `.git` of a linked worktree names `<main>/.git/worktrees/<name>`. */
export function mainCheckout(dir: string): string[] {
  try {
    const path = join(dir, ".git");
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const [, main] =
      /^gitdir: (.+)[\\/]\.git[\\/]worktrees[\\/]/.exec(readFileSync(path, "utf8")) ?? [];
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
