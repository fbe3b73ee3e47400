/** Tasks of Make, just and Task. The files are read, not run: what a task file includes is not found. */
import type { Evidence } from "@/cli/gauntlet/init/detect/evidence";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind, type Detected } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";
import { SCRIPT_FILES, type ScriptTool } from "@/node/services/gauntlet/domain/scriptFiles";
import { justRecipes, scriptsOf } from "@/node/services/gauntlet/known/taskFiles";

/** Names of tasks in the order of preference. */
const TASKS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test", "tests", "check"],
  lint: ["lint"],
  format: ["format-check", "fmt-check", "check-format", "check-fmt", "format:check", "fmt:check"],
  types: ["typecheck", "type-check", "types", "mypy", "check-types"],
};

export async function suggestTasks(project: ProjectFolder, evidence: Evidence): Promise<Detected> {
  const found = await Promise.all(
    (["make", "just", "task"] as const).map(async (tool) => {
      const file = project.find(...SCRIPT_FILES[tool]);
      const text = file === undefined ? "" : await project.text(file);
      const textOf = scriptsOf(tool, text);
      return CHECK_KINDS.flatMap((kind) => {
        const names = evidence.order(tool, kind, TASKS[kind], textOf);
        const name = names.find((task) => isFree(tool, text, task) && textOf(task) !== undefined);
        if (name === undefined) return [];
        const reason = reasons.task(name, file ?? tool);
        const command = `${tool} ${name}`;
        return [{ kind, tool, command, reason, entryPoint: ".", origin: "task" } as const];
      });
    })
  );
  return { suggestions: found.flat() };
}

/** Returns whether a task needs no argument: `test:`, `@test *args: build`, but not the recipe `test name:` of just. */
function isFree(tool: ScriptTool, text: string, name: string): boolean {
  const recipe = tool === "just" ? justRecipes(text).get(name) : undefined;
  return (recipe?.parameters ?? []).every((word) => word.startsWith("*") || word.includes("="));
}
