/** Tasks of Make, just and Task. The files are read, not run: what a task file includes is not found. */
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind, type Detected } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";
import { SCRIPT_FILES } from "@/node/services/gauntlet/domain/scriptFiles";
import { justRecipes, makeRules } from "@/node/services/gauntlet/known/taskFiles";

/** Names of tasks in the order of preference. */
const TASKS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test", "tests", "check"],
  lint: ["lint"],
  format: ["format-check", "fmt-check", "check-format", "check-fmt", "format:check", "fmt:check"],
  types: ["typecheck", "type-check", "types", "mypy", "check-types"],
};

type TaskNames = (project: ProjectFolder, file: string) => Promise<ReadonlySet<string>>;

const RUNNERS: Readonly<Record<"make" | "just" | "task", TaskNames>> = {
  make: async (project, file) => new Set(makeRules(await project.text(file)).keys()),
  just: async (project, file) => freeRecipes(await project.text(file)),
  task: async (project, file) => new Set(Object.keys(objectAt(await project.yaml(file), "tasks"))),
};

export async function suggestTasks(project: ProjectFolder): Promise<Detected> {
  const found = await Promise.all(
    (["make", "just", "task"] as const).map(async (tool) => {
      const file = project.find(...SCRIPT_FILES[tool]);
      const names = file === undefined ? new Set<string>() : await RUNNERS[tool](project, file);
      return CHECK_KINDS.flatMap((kind) => {
        const name = TASKS[kind].find((task) => names.has(task));
        if (name === undefined) return [];
        const reason = reasons.task(name, file ?? tool);
        const command = `${tool} ${name}`;
        return [{ kind, tool, command, reason, entryPoint: ".", origin: "task" } as const];
      });
    })
  );
  return { suggestions: found.flat() };
}

/** Returns the recipes that need no argument: `test:`, `@test *args: build`, but not `test name:`. */
function freeRecipes(text: string): ReadonlySet<string> {
  const isFree = (word: string): boolean => word.startsWith("*") || word.includes("=");
  const recipes = [...justRecipes(text)].filter(([, { parameters }]) => parameters.every(isFree));
  return new Set(recipes.map(([name]) => name));
}
