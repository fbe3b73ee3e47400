/**
 * Finds the command with which the user can start this package, and filters the folders of PATH for other look-ups.
 * Also resolves links and lists the folders around a path. Starts no process.
 */
import { tryOr } from "@/common/errors";
import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { CliContext } from "@/cli/context";
import { commandWord } from "@/common/safeText";

const NAME = "mux-stop-hooks";

/**
 * Returns the name if the user's shell finds it; else, in a project that has installed this package, a call of npx that
 * downloads nothing; else the path of the program.
 */
export function findOwnCommand(context: Pick<CliContext, "env" | "cwd" | "program">): string {
  const { env, cwd, program } = context;
  const folders = withoutPackageRunners(env.PATH ?? "").split(delimiter);
  const isOnPath = (word: string): boolean =>
    folders.some((folder) => isAbsolute(folder) && isExecutable(join(folder, word)));
  if (isOnPath(NAME)) return NAME;
  const isInstalled = withParents(cwd).some((folder) =>
    existsSync(join(folder, "node_modules", ".bin", NAME))
  );
  if (isInstalled && isOnPath("npx")) return `npx --no-install ${NAME}`;
  const script = join(dirname(realPath(program)), `${NAME}.cjs`);
  if (!existsSync(script)) return NAME;
  return `node ${commandWord(script)}`;
}

/** Removes the folders that a package runner such as npx adds to PATH. The user's shell and hosts do not have them. */
export function withoutPackageRunners(path: string): string {
  const isAdded = (folder: string): boolean =>
    basename(folder) === ".bin" && basename(dirname(folder)) === "node_modules";
  return path
    .split(delimiter)
    .filter((folder) => !isAdded(folder))
    .join(delimiter);
}

/** Returns the folders of PATH outside the project's repository, so that they have none of its programs. */
export function pathOutside(
  projectDir: string,
  { env, home }: Pick<CliContext, "env" | "home">
): string {
  const repository = withParents(projectDir).find((folder) => existsSync(join(folder, ".git")));
  // A folder that contains the home is not a project: it also contains the user's own programs.
  const project = [repository, projectDir].find(
    (folder) => folder !== undefined && !isIn(folder, home)
  );
  return withoutPackageRunners(env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(project !== undefined && isIn(project, folder)))
    .join(delimiter);
}

function isIn(folder: string, path: string): boolean {
  return withParents(realPath(path)).includes(realPath(folder));
}

/** Returns the folder and those that contain it, the nearest first. */
export function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function isExecutable(file: string): boolean {
  return tryOr(() => {
    accessSync(file, constants.X_OK);
    return true;
  }, false);
}

/** Returns the path without links, or the path itself if it cannot be resolved. */
export function realPath(file: string): string {
  return tryOr(() => realpathSync(file), file);
}
