/** Tasks of Make, just and Task. The files are read, not run: what a task file includes is not found. */
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind, type Detected } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/detect";

/** Names of tasks in the order of preference. */
const TASKS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test", "tests", "check"],
  lint: ["lint"],
  format: ["format-check", "fmt-check", "check-format", "check-fmt", "format:check", "fmt:check"],
  types: ["typecheck", "type-check", "types", "mypy", "check-types"],
};

interface Runner {
  readonly tool: string;
  readonly files: readonly string[];
  readonly read: (project: ProjectFolder, file: string) => Promise<ReadonlySet<string>>;
}

const RUNNERS: readonly Runner[] = [
  {
    tool: "make",
    files: ["GNUmakefile", "makefile", "Makefile"],
    read: async (project, file) => makeTargets(await project.text(file)),
  },
  {
    tool: "just",
    files: ["justfile", "Justfile", ".justfile"],
    read: async (project, file) => justRecipes(await project.text(file)),
  },
  {
    tool: "task",
    files: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
    read: async (project, file) =>
      new Set(Object.keys(objectAt(await project.yaml(file), "tasks"))),
  },
];

export async function suggestTasks(project: ProjectFolder): Promise<Detected> {
  const found = await Promise.all(
    RUNNERS.map(async ({ tool, files, read }) => {
      const file = project.find(...files);
      const names = file === undefined ? new Set<string>() : await read(project, file);
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

/** Returns the targets of rules: `test lint: deps`, but not `A := b`, recipes and pattern rules. */
function makeTargets(text: string): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const line of text.split("\n")) {
    const names = /^([\w.:/-][\w.:/ -]*?)\s*::?(?!=)(?:\s|$)/.exec(line.slice(0, 1_000))?.[1];
    for (const name of names?.split(" ") ?? []) targets.add(name);
  }
  return targets;
}

/** Returns the recipes that need no argument: `test:`, `@test *args: build`, but not `test name:`. */
function justRecipes(text: string): ReadonlySet<string> {
  const recipes = new Set<string>();
  for (const line of text.split("\n")) {
    const [, name, parameters = ""] =
      /^@?([A-Za-z_][\w-]*)([^:]*):(?!=)/.exec(line.slice(0, 1_000)) ?? [];
    const words = parameters.split(/\s+/).filter((word) => word !== "");
    const isFree = words.every((word) => word.startsWith("*") || word.includes("="));
    if (name !== undefined && isFree) recipes.add(name);
  }
  return recipes;
}
