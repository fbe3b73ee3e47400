/** The members of a workspace, and the checks that each of them defines. */
import picomatch from "picomatch";
import { suggestScripts } from "@/cli/gauntlet/init/detect/javascript/commands";
import {
  readPackageJson,
  type PackageJson,
} from "@/cli/gauntlet/init/detect/javascript/packageJson";
import type { PackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { Suggestion } from "@/cli/gauntlet/init/detect/types";

/** More members are not read. */
const MAX_MEMBERS = 500;
/** A script that only some members have gets an entry point for each of them, if they are few. */
const MAX_SINGLE = 20;

/** Returns the globs of the members: those of pnpm-workspace.yaml, else those of package.json. */
export async function memberGlobs(
  project: ProjectFolder,
  { workspaces }: PackageJson
): Promise<readonly string[]> {
  if (project.find("pnpm-workspace.yaml") === undefined) return workspaces;
  return textsOf((await project.yaml("pnpm-workspace.yaml")).packages);
}

/** Suggests a check for a glob if all its members have the script, else one for each member that has it. */
export async function suggestMembers(
  project: ProjectFolder,
  globs: readonly string[],
  manager: PackageManager
): Promise<Suggestion[]> {
  const suggestions: Suggestion[] = [];
  const isExcluded = exclusion(globs);
  for (const glob of globs.map(normalGlob).filter(isFolderGlob)) {
    const folders = (await foldersOf(project, glob)).filter((folder) => !isExcluded(folder));
    const members = (
      await Promise.all(
        folders
          .slice(0, MAX_MEMBERS)
          .map(async (folder) =>
            (await project.hasFile(`${folder}/package.json`))
              ? [suggestScripts(await readPackageJson(project, folder), manager, undefined, folder)]
              : []
          )
      )
    ).flat();
    suggestions.push(...shared(members, glob), ...single(members));
  }
  return suggestions;
}

/** Returns the suggestions that all members have, for the glob. */
function shared(members: readonly Suggestion[][], glob: string): Suggestion[] {
  const [first = []] = members;
  return first
    .filter(({ command }) => members.every((member) => member.some((s) => s.command === command)))
    .map((suggestion) => ({
      ...suggestion,
      entryPoint: glob,
      exampleFolder: suggestion.entryPoint,
    }));
}

function single(members: readonly Suggestion[][]): Suggestion[] {
  const own = members.flat().filter(({ command }) => {
    const having = members.filter((member) => member.some((s) => s.command === command)).length;
    return having < members.length && having <= MAX_SINGLE;
  });
  return own;
}

/** Lists the folders of `packages/*`, or the folder itself if there is no glob in it. */
async function foldersOf(project: ProjectFolder, glob: string): Promise<string[]> {
  if (!glob.includes("*")) return [glob];
  const parent = glob.slice(0, -"/*".length);
  return (await project.folders(parent)).map((name) => `${parent}/${name}`);
}

/** Entry points can have any glob, but only these forms name exactly one level of folders. */
function isFolderGlob(glob: string): boolean {
  return /^[\w@.-]+(?:\/[\w@.-]+)*(?:\/\*)?$/.test(glob) && !glob.split("/").includes("..");
}

function normalGlob(glob: string): string {
  return glob.replace(/^\.\//, "").replace(/\/+$/, "");
}

function exclusion(globs: readonly string[]): (folder: string) => boolean {
  const excluded = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  return excluded.length === 0 ? () => false : picomatch(excluded.map(normalGlob));
}
