/** Finds the folder that `init` sets up. */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";

/**
 * Returns the project that a command would find from that folder (G24). Without one, returns the root of the
 * repository, so that the project is found from all its folders; outside a repository, the folder itself.
 */
export async function findInitFolder(
  files: Files,
  { cwd, home }: { readonly cwd: string; readonly home: string }
): Promise<string> {
  const project = await findGauntletProject(files, cwd);
  if (project !== undefined) return project;
  const folders = withParents(cwd);
  const stats = await files.stat(folders.map((folder) => posix.join(folder, ".git")));
  const root = folders.find((_, i) => stats[i]?.kind !== "missing") ?? cwd;
  // A home folder under version control is not a project that contains all others.
  return root === home ? cwd : root;
}

function withParents(folder: string): string[] {
  const parent = posix.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
