/** Turborepo and Nx run a task in all members, and select and cache by themselves. */
import type { PackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind, type Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

/** Names of tasks in the order of preference. */
const TASKS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test"],
  lint: ["lint"],
  format: ["format:check", "format-check"],
  types: ["typecheck", "type-check", "check-types"],
};

export async function suggestMonorepoTasks(
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
