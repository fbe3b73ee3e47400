/** Finds the checkout that a folder of this machine belongs to. */
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Markers of a project root, by precedence: a checkout may contain packages that have hooks of their own. */
const MARKS = [[".git"], [".xum", ".mux"]] as const;

/** Returns the root of the checkout around `cwd`, or `cwd` itself if there is none. @param cwd a real path */
export async function checkoutAround(cwd: string, home: string): Promise<string> {
  // The current folder is a real path, but home may not be.
  const realHome = await realpath(home).catch(() => home);
  const folders = ancestors(cwd);
  for (const marks of MARKS) {
    for (const folder of folders) {
      // Settings in the home folder are the user's layer, not a project that contains all others.
      if (folder === realHome && folder !== cwd) continue;
      const found = await Promise.all(marks.map((mark) => exists(join(folder, mark))));
      if (found.includes(true)) return folder;
    }
  }
  return cwd;
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false
  );
}
