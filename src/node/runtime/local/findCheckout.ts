/**
 * Finds the project of a command or of an opencode session: the root of the checkout around its current folder, else
 * the nearest folder with settings of Mux, else the current folder itself.
 */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Markers of a project root, by precedence: a checkout may contain packages that have hooks of their own. */
const MARKS = [[".git"], [".xum", ".mux"]] as const;

/** Returns the root of the checkout, else the nearest folder with settings, else `cwd`. @param cwd a real path */
export async function checkoutAround(cwd: string, home: string): Promise<string> {
  // The current folder is a real path, but home may not be.
  const realHome = await realpath(home).catch(() => home);
  const folders = ancestors(cwd);
  for (const marks of MARKS) {
    for (const folder of folders) {
      // Settings in the home folder are the user's layer, not a project that contains all others.
      if (folder === realHome && folder !== cwd) continue;
      if (marks.some((mark) => existsSync(join(folder, mark)))) return folder;
    }
  }
  return cwd;
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}
