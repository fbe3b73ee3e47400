/** Where `init` sets a project up. */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";

/**
 * The project that a command would find from there (G24); where there is none, the root of the repository, so that it is
 * found from every folder of it; outside a repository that folder itself.
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
  // A home folder under version control is no project that holds all the others.
  return root === home ? cwd : root;
}

function withParents(folder: string): string[] {
  const parent = posix.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
