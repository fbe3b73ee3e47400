/**
 * Suggests the tasks of Make, just and Task, and of Turborepo and Nx, that have usual names of checks. Reads the files
 * and runs none, so tasks of included files are not found.
 */
import type { Evidence } from "@/cli/gauntlet/init/detect/workflowEvidence";
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind, type Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";
import { SCRIPT_FILES } from "@/node/services/gauntlet/domain/commands/scriptFiles";
import { justRecipes, scriptsOf } from "@/node/services/gauntlet/shell/scriptsAndTasks";

type Names = Readonly<Record<CheckKind, readonly string[]>>;

/** Names in the order of preference. */
const TASKS: Names = {
  test: ["test", "tests", "check"],
  lint: ["lint"],
  format: ["format-check", "fmt-check", "check-format", "check-fmt", "format:check", "fmt:check"],
  types: ["typecheck", "type-check", "types", "mypy", "check-types"],
};
const MONOREPO_TASKS: Names = {
  test: ["test"],
  lint: ["lint"],
  format: ["format:check", "format-check"],
  types: ["typecheck", "type-check", "check-types"],
};

/** Suggests tasks of Make, just and Task. */
export async function suggestTasks(
  project: ProjectFolder,
  evidence: Evidence
): Promise<Suggestion[]> {
  const found = (["make", "just", "task"] as const).map(async (tool) => {
    const file = project.find(...SCRIPT_FILES[tool]);
    const text = file === undefined ? "" : await project.text(file);
    const textOf = scriptsOf(tool, text);
    // A recipe `test name:` of just needs an argument; `@test *args: build` does not.
    const recipes = tool === "just" ? justRecipes(text) : undefined;
    const needsNoArgument = (name: string): boolean =>
      (recipes?.get(name)?.parameters ?? []).every((word) => /^\*|=/.test(word));
    return tasksOf(
      (kind) =>
        evidence
          .order(tool, kind, TASKS[kind], textOf)
          .find((name) => needsNoArgument(name) && textOf(name) !== undefined),
      file ?? tool,
      tool,
      (task) => `${tool} ${task}`
    );
  });
  return (await Promise.all(found)).flat();
}

/** Suggests tasks of Turborepo or Nx, which run in all members, and which select and cache by themselves. */
export async function suggestMonorepoTasks(
  project: ProjectFolder,
  exec: (line: string) => string
): Promise<Suggestion[]> {
  const turbo = project.find("turbo.json", "turbo.jsonc");
  const file = turbo ?? project.find("nx.json");
  if (file === undefined) return [];
  const json = await project.data(file);
  // Earlier versions of Turborepo have "pipeline".
  const tasks =
    turbo === undefined
      ? objectAt(json, "targetDefaults")
      : { ...objectAt(json, "pipeline"), ...objectAt(json, "tasks") };
  // A task may be that of one package, as in `web#test`.
  const names = new Set(Object.keys(tasks).map((task) => task.slice(task.indexOf("#") + 1)));
  return tasksOf(
    (kind) => MONOREPO_TASKS[kind].find((name) => names.has(name)),
    file,
    turbo === undefined ? "nx" : "turbo",
    (task) => exec(turbo === undefined ? `nx run-many -t ${task}` : `turbo run ${task}`)
  );
}

/** Suggests one task for each kind of check, if it has one. */
function tasksOf(
  nameOf: (kind: CheckKind) => string | undefined,
  file: string,
  tool: string,
  commandOf: (task: string) => string
): Suggestion[] {
  return CHECK_KINDS.flatMap((kind) => {
    const task = nameOf(kind);
    if (task === undefined) return [];
    return { kind, tool, command: commandOf(task), reason: reasons.task(task, file) };
  });
}
