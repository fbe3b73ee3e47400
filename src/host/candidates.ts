/** Whether anything could be configured at all, asked without waiting: a host without hooks is left as it is. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

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
  return candidates(projectDir, place).some((path) => existsSync(path));
}

function candidates(projectDir: string, { env, home }: CandidatePlace): string[] {
  const roots = [env.XUM_ROOT, env.MUX_ROOT, ...FOLDERS.map((name) => join(home, name))];
  return [
    ...roots.flatMap((root = "") =>
      root === "" ? [] : ["settings.json", ...SCRIPTS].map((name) => join(root, name))
    ),
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
