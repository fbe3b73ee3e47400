/**
 * Names the files of a configuration and the example check of `init`, and finds the project that contains a folder
 * (G24). Also names the log folder in the project; `run/logs/logDir.ts` decides between it and one in the git folder.
 */
import { posix } from "node:path";
import type { FileStat } from "@/node/runtime/HookRuntime";

export const CONFIG_FOLDER = ".gauntlet";
export const CONFIG_FILE = `${CONFIG_FOLDER}/config.yml`;
/** The user's own file, which is not committed (G6a). */
export const LOCAL_CONFIG_FILE = `${CONFIG_FOLDER}/config.local.yml`;

/**
 * The default folder of the logs in the project: with reviews, without a repository, or if the git folder cannot be
 * written (G15).
 */
export const DEFAULT_LOG_DIR = "gauntlet_logs";

/** The check that `init` writes if no check of the project can be used. */
export const EXAMPLE_CHECK = "conflict-markers";

/**
 * Returns the nearest folder with a configuration, from `cwd` (absolute) up to the root of the repository. Outside a
 * repository only `cwd` counts. An unreadable configuration counts as well: loading it reports the error.
 */
export async function findGauntletProject(
  files: { stat(paths: readonly string[]): Promise<readonly Pick<FileStat, "kind">[]> },
  cwd: string
): Promise<string | undefined> {
  const folders = withParents(posix.resolve(cwd));
  const paths = [CONFIG_FILE, ".git"].flatMap((name) =>
    folders.map((folder) => posix.join(folder, name))
  );
  const isThere = (await files.stat(paths)).map(({ kind }) => kind !== "missing");
  const hasConfig = isThere.slice(0, folders.length);
  const root = isThere.slice(folders.length).indexOf(true);
  const reachable = folders.slice(0, root === -1 ? 1 : root + 1);
  return reachable.find((_, i) => hasConfig[i]);
}

/** Returns a folder and its parents: `/a/b` → `/a/b`, `/a`, `/`. */
function withParents(folder: string): string[] {
  const parent = posix.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
