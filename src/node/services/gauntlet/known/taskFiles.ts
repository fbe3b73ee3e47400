/** Reads what the files of Make, just, Task and npm define by name. What such a file includes is not found. */
import { parse as parseYaml } from "yaml";
import { isJsonObject, parseJson } from "@/common/json";
import type { ScriptTool } from "@/node/services/gauntlet/domain/commands/scriptFiles";
import type { MakeTarget } from "@/node/services/gauntlet/known/commandParts";

/**
 * Returns the text of a script: its commands, after those of its dependencies, joined by `; `. Undefined if the file does
 * not define it. Without a name, it is the one that runs by default.
 */
export type ScriptLookup = (name: string | undefined) => string | undefined;

/** Parses a file once for any number of scripts. */
export function scriptsOf(tool: ScriptTool, file: string): ScriptLookup {
  switch (tool) {
    case "npm": {
      const scripts = entry(parseJson(file).unwrapOr({}), "scripts");
      return (name = "") => {
        const script = entry(scripts, name);
        return typeof script === "string" ? script : undefined;
      };
    }
    case "make": {
      const rules = makeRules(file);
      const [first = ""] = rules.keys();
      return (name = first) => {
        const rule = rules.get(name);
        return rule && joined(called("make", rule.prerequisites), rule.recipe);
      };
    }
    case "just": {
      const recipes = justRecipes(file);
      const [first = ""] = recipes.keys();
      return (name = first) => {
        const recipe = recipes.get(name);
        return recipe && joined(called("just", recipe.dependencies), recipe.lines);
      };
    }
    case "task": {
      const tasks = entry(yaml(file), "tasks");
      return (name = "default") => taskText(entry(tasks, name));
    }
  }
}

function called(program: string, names: readonly string[]): string[] {
  return names.map((name) => `${program} ${name}`);
}

function joined(...parts: readonly (readonly string[])[]): string {
  return parts.flat().join("; ");
}

function entry(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns the rules with plain names. Conditions, includes and variables are not evaluated. */
export function makeRules(text: string): ReadonlyMap<string, MakeTarget> {
  const rules = new Map<string, MakeTarget & { readonly recipe: string[] }>();
  let current: (MakeTarget & { readonly recipe: string[] })[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (line.startsWith("\t")) {
      for (const { recipe } of current) recipe.push(line.trim());
      continue;
    }
    const [rule = "", ...inline] = line.slice(0, 1_000).split(";");
    const match = /^([\w.:/-][\w.:/ -]*?)\s*::?(?!=)(?:\s|$)/.exec(rule);
    if (match === null) {
      if (line.trim() !== "" && !line.startsWith("#")) current = [];
      continue;
    }
    const rest = rule.slice(match[0].length).split("#", 1)[0] ?? "";
    const prerequisites = rest.split(/[\s|]+/).filter((name) => name !== "");
    const recipe = inline.length === 0 ? [] : [inline.join(";").trim()];
    current = (match[1] ?? "").split(" ").flatMap((name) => {
      if (name === "" || name.startsWith(".")) return [];
      const before = rules.get(name);
      const target = {
        prerequisites: [...(before?.prerequisites ?? []), ...prerequisites],
        recipe: [...(before?.recipe ?? []), ...recipe],
      };
      rules.set(name, target);
      return [target];
    });
  }
  return rules;
}

interface JustRecipe {
  readonly parameters: readonly string[];
  readonly dependencies: readonly string[];
  readonly lines: readonly string[];
}

/** Returns the recipes: `test:`, `@test *args: build`. */
export function justRecipes(text: string): ReadonlyMap<string, JustRecipe> {
  const recipes = new Map<string, JustRecipe & { readonly lines: string[] }>();
  let current: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s/.test(line)) {
      if (line.trim() !== "") current.push(line.trim());
      continue;
    }
    const [, name, parameters = "", rest = ""] =
      /^@?([A-Za-z_][\w-]*)([^:]*):(?!=)(.*)/.exec(line.slice(0, 1_000)) ?? [];
    if (name !== undefined) {
      const dependencies = wordsOf(rest.split("#", 1)[0] ?? "").filter((one) =>
        /^[\w-]+$/.test(one)
      );
      current = [];
      recipes.set(name, { parameters: wordsOf(parameters), dependencies, lines: current });
    } else if (line !== "") current = [];
  }
  return recipes;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** Returns the commands of a task of Task, which is a text, a list, or an object with `deps` and `cmds`. */
function taskText(task: unknown): string | undefined {
  if (task === undefined) return undefined;
  const steps = (value: unknown, isTask: boolean): string[] =>
    (Array.isArray(value) ? value : [value]).flatMap((step: unknown) => {
      const other = isTask && typeof step === "string" ? step : entry(step, "task");
      const text = typeof other === "string" ? `task ${other}` : (entry(step, "cmd") ?? step);
      return typeof text === "string" ? [text] : [];
    });
  if (!isJsonObject(task)) return joined(steps(task, false));
  return joined(steps(task.deps, true), steps(task.cmds ?? task.cmd, false));
}

function yaml(text: string): unknown {
  try {
    return parseYaml(text, { logLevel: "silent", maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
