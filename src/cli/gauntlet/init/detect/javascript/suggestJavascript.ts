import * as reasons from "@/cli/gauntlet/messages/shared";
import {
  findScript,
  suggestScripts,
  suggestTools,
} from "@/cli/gauntlet/init/detect/javascript/commands";
import {
  readPackageJson,
  type PackageJson,
} from "@/cli/gauntlet/init/detect/javascript/packageJson";
import {
  findPackageManager,
  type PackageManager,
} from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { memberGlobs, suggestMembers } from "@/cli/gauntlet/init/detect/javascript/workspaces";
import type { Evidence } from "@/cli/gauntlet/init/detect/evidence";
import { type ProjectFolder, objectAt } from "@/cli/gauntlet/init/detect/ProjectFolder";
import {
  type CheckKind,
  type Detected,
  CHECK_KINDS,
  type Suggestion,
} from "@/cli/gauntlet/init/detect/types";

// Turborepo and Nx run a task in all members, and select and cache by themselves.

/** Names of tasks in the order of preference. */
const TASKS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test"],
  lint: ["lint"],
  format: ["format:check", "format-check"],
  types: ["typecheck", "type-check", "check-types"],
};

async function suggestMonorepoTasks(
  project: ProjectFolder,
  { exec }: PackageManager
): Promise<Suggestion[]> {
  const turbo = project.find("turbo.json", "turbo.jsonc");
  if (turbo !== undefined) {
    const json = await project.json(turbo);
    // Earlier versions have "pipeline".
    const tasks = Object.keys({ ...objectAt(json, "pipeline"), ...objectAt(json, "tasks") });
    return suggestTasks(tasks, turbo, "turbo", (task) => exec(`turbo run ${task}`));
  }
  const nx = project.find("nx.json");
  if (nx === undefined) return [];
  const tasks = Object.keys(objectAt(await project.json(nx), "targetDefaults"));
  return suggestTasks(tasks, nx, "nx", (task) => exec(`nx run-many -t ${task}`));
}

function suggestTasks(
  tasks: readonly string[],
  file: string,
  tool: string,
  commandOf: (task: string) => string
): Suggestion[] {
  // A task may be that of one package, as in `web#test`.
  const names = new Set(tasks.map((task) => task.slice(task.indexOf("#") + 1)));
  return CHECK_KINDS.flatMap((kind): Suggestion[] => {
    const task = TASKS[kind].find((name) => names.has(name));
    if (task === undefined) return [];
    const reason = reasons.task(task, file);
    return [{ kind, tool, command: commandOf(task), reason, entryPoint: ".", origin: "script" }];
  });
}

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
