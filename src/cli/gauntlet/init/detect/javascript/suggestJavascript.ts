import {
  findScript,
  suggestScripts,
  suggestTools,
} from "@/cli/gauntlet/init/detect/javascript/commands";
import { suggestMonorepoTasks } from "@/cli/gauntlet/init/detect/javascript/monorepoTools";
import {
  readPackageJson,
  type PackageJson,
} from "@/cli/gauntlet/init/detect/javascript/packageJson";
import { findPackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { memberGlobs, suggestMembers } from "@/cli/gauntlet/init/detect/javascript/workspaces";
import type { Evidence } from "@/cli/gauntlet/init/detect/evidence";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckKind, Detected } from "@/cli/gauntlet/init/detect/types";

/** A root script that runs the script of every member, so that both would run the same. */
const DELEGATES =
  /--workspaces?\b|\s-ws\b|\s-r\b|--recursive|--filter|\bworkspaces (?:run|foreach)|\blerna\b|\bturbo\b|\bnx\b/;

/** Suggests the checks of npm, pnpm, yarn and bun projects, with their workspaces. */
export async function suggestJavascript(
  project: ProjectFolder,
  evidence: Evidence
): Promise<Detected> {
  if (project.find("package.json") === undefined) return { suggestions: [] };
  const [pack, manager] = await Promise.all([
    readPackageJson(project),
    findPackageManager(project),
  ]);
  const own = [
    ...suggestScripts(pack, manager, evidence),
    ...suggestTools(pack, manager, evidence, (config) => project.match(config)),
  ];
  const tasks = await suggestMonorepoTasks(project, manager);
  const members =
    tasks.length > 0
      ? []
      : await suggestMembers(project, await memberGlobs(project, pack), manager);
  const byMembers = new Set([...tasks, ...members].map(({ kind }) => kind));
  const isCovered = (kind: CheckKind): boolean =>
    byMembers.has(kind) && delegates(kind, pack, evidence);
  return {
    suggestions: [...own.filter(({ kind }) => !isCovered(kind)), ...tasks, ...members],
    globalDependencies:
      members.length === 0 ? [] : ["package.json", "tsconfig*.json", ...manager.lockFiles],
  };
}

/** Whether the script of that kind, or one that it names, runs the members; any script if there is none of that kind. */
function delegates(kind: CheckKind, pack: PackageJson, evidence: Evidence): boolean {
  const name = findScript(kind, pack, evidence);
  const names = name === undefined ? [...pack.scripts.keys()] : [name];
  const called = names.flatMap((one) => pack.scripts.get(one)?.split(/[\s;&|]+/) ?? []);
  return [...names, ...called].some((one) => DELEGATES.test(pack.scripts.get(one) ?? ""));
}
