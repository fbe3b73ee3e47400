/**
 * Finds the scripts of package.json and the tasks of Make, just and Task that a command line runs, directly or through
 * others (G20d), and parses the files that define them, which `init` uses too.
 */
import { tryOr } from "@/common/errors";
import type { MakeTarget } from "@/node/services/gauntlet/shell/splitFailFast";
import { isJsonObject, parseJson } from "@/common/json";
import { parse as parseYaml } from "yaml";
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import {
  SCRIPT_FILES,
  type ScriptTool,
} from "@/node/services/gauntlet/domain/commands/scriptFiles";
import { matchingScripts } from "@/node/services/gauntlet/shell/programFacts";
import { parseShellLine } from "@/node/services/gauntlet/shell/shellLine";

/** Reads a file of scripts by its path relative to the project. Returns undefined if it does not exist. */
export type ReadScripts = (path: string, tool: ScriptTool) => Promise<ScriptLookup | undefined>;

/** Reads a file by its path relative to the project. Returns undefined if it cannot be read. */
export type ReadText = (path: string) => Promise<string | undefined>;

export interface NamedScript {
  readonly tool: ScriptTool;
  /** Where it is called, relative to the project. */
  readonly folder: string;
  /** Absent: the script that runs by default. */
  readonly name?: string;
}

export const MAX_FILE_BYTES = 512 * KIB;
const MAX_DEPTH = 3;
const MAX_SCRIPTS = 50;
/** A script may name many others that do not exist. */
const MAX_LOOKUPS = 200;
const MAX_CHARS = 65_536;

const TOOLS: Readonly<Record<string, ScriptTool>> = {
  ...{ npm: "npm", pnpm: "npm", yarn: "npm", bun: "npm" },
  ...{ make: "make", gmake: "make", just: "just", task: "task", "go-task": "task" },
};

/** Returns the scripts that a command runs, directly or in others, by a key that does not depend on their text. */
export async function namedScripts(
  command: string,
  folder: string,
  read: ReadScripts
): Promise<ReadonlyMap<string, NamedScript>> {
  const found = new Map<string, NamedScript>();
  const seen = new Set<string>();
  const follow = async (line: string, at: string, depth: number): Promise<void> => {
    for (const script of scriptCalls(line, at)) {
      const key = JSON.stringify(script);
      if (seen.has(key) || found.size >= MAX_SCRIPTS || seen.size >= MAX_LOOKUPS) continue;
      seen.add(key);
      const defined = await findScript(script, read);
      if (defined?.text === undefined) continue;
      found.set(key, script);
      // The text of a pattern is a list of scripts, which is no level of its own.
      const next = script.name?.includes("*") === true ? depth : depth + 1;
      if (next <= MAX_DEPTH) await follow(defined.text, posix.dirname(defined.path), next);
    }
  };
  await follow(command, folder, 1);
  return found;
}

/** Returns the file in which the script is looked for, and its text if it is defined there. */
export async function findScript(
  { tool, folder, name }: NamedScript,
  read: ReadScripts
): Promise<{ readonly path: string; readonly text: string | undefined } | undefined> {
  for (let dir = folder; ; dir = posix.dirname(dir)) {
    for (const file of SCRIPT_FILES[tool]) {
      const path = posix.join(dir, file);
      const scripts = await read(path, tool);
      if (scripts !== undefined) return { path, text: scripts(name) };
    }
    // Only make does not look in the folders above.
    if (dir === "." || tool === "make") return undefined;
  }
}

/** Returns the function that reads and parses each file of a project once. */
export function readScriptsIn(runtime: Pick<HookRuntime, "readFile">, projectDir: string) {
  return parsed(readTexts(runtime, projectDir));
}

/** Returns the function that reads a file of a project. */
export function readTexts(runtime: Pick<HookRuntime, "readFile">, projectDir: string): ReadText {
  return async (path) =>
    await readText(runtime, posix.join(projectDir, path), { maxBytes: MAX_FILE_BYTES });
}

/** Returns the function that reads each file with `read` and parses it, once. */
export function parsed(read: ReadText): ReadScripts {
  const files = new Map<string, ReturnType<ReadScripts>>();
  return (path, tool) => {
    const parse = async () => {
      const text = await read(path);
      return text === undefined ? undefined : scriptsOf(tool, text);
    };
    const file = files.get(path) ?? parse();
    files.set(path, file);
    return file;
  };
}

/** Returns a command and the texts of all scripts that it runs. */
export async function commandTexts(
  command: string,
  folder: string,
  read: ReadScripts
): Promise<string[]> {
  const scripts = await namedScripts(command, folder, read);
  const found = [...scripts.values()].map((script) => findScript(script, read));
  return [command, ...(await Promise.all(found)).flatMap((script) => script?.text ?? [])];
}

function scriptCalls(line: string, folder: string): NamedScript[] {
  let at = posix.normalize(folder).replace(/(?<=.)\/$/, "");
  const items = line.length > MAX_CHARS ? [] : (parseShellLine(line)?.items ?? []);
  return items.flatMap(({ group, words }) => {
    if (group !== undefined) return scriptCalls(group, at);
    // A shell replaces `lint:*` only if files have such names.
    const [program = "", ...args] = words
      .filter(({ raw }) => !/^(?:(?:cross-)?env$|[A-Za-z_]\w*=)/.test(raw))
      .map(({ raw, value }) => value ?? (/^[\w:-]+\*+$/.test(raw) ? raw : ""));
    if (program === "cd") at = folderAt(at, args[0]);
    return callsOf(program, args, at);
  });
}

function folderAt(folder: string, path = ""): string {
  return path.startsWith("/") ? path : posix.join(folder, path);
}

const FOLDER_OPTION = /^(?:-C|-d|--prefix|--dir|--cwd|--directory|--working-directory)(?:=(.+))?$/;

function callsOf(program: string, args: readonly string[], at: string): NamedScript[] {
  // A line of a recipe may begin with `@` or `-`.
  const command = program.replace(/^[@+-]+/, "");
  const shell = /^(?:ba|da|z|)sh$/.test(command)
    ? args.findIndex((arg) => /^-\w*c$/.test(arg))
    : -1;
  if (shell !== -1) return scriptCalls(args[shell + 1] ?? "", at);
  const isRunAll = /^(?:npm-run-all2?|run-s|run-p)$/.test(command);
  const tool = isRunAll ? "npm" : Object.hasOwn(TOOLS, command) ? TOOLS[command] : undefined;
  if (tool === undefined) return [];
  let folder = at;
  const names: string[] = [];
  for (let i = 0; i < args.length && args[i] !== "--"; i++) {
    const arg = args[i] ?? "";
    const option = FOLDER_OPTION.exec(arg);
    if (option !== null) folder = folderAt(folder, option[1] ?? args[++i]);
    else if (!/^-|^[\d.]+$/.test(arg)) names.push(arg);
  }
  if (folder.startsWith("..") || folder.startsWith("/")) return [];
  if (tool !== "npm") {
    return names.length === 0 ? [{ tool, folder }] : names.map((name) => ({ tool, folder, name }));
  }
  const called = isRunAll ? names : npmScript(command, names);
  // npm runs these before and after a script.
  const all = called.flatMap((name) =>
    name.includes("*") ? [name] : [`pre${name}`, name, `post${name}`]
  );
  return all.map((name) => ({ tool, folder, name }));
}

/** Returns the script that a command of a package manager names. */
function npmScript(manager: string, [verb = "", second = ""]: readonly string[]): string[] {
  const isRun = /^(?:run|run-script|rum|urn)$/.test(verb);
  const isTest = /^(?:test|t|tst)$/.test(verb) && manager !== "bun";
  const isShort = manager !== "npm" && verb !== "test";
  const name = isRun ? second : isTest ? "test" : isShort ? verb : "";
  return name === "" ? [] : [name];
}

/**
 * A function that returns the text of a script: its commands, after those of its dependencies, joined by `; `, or
 * undefined if the file does not define it. Without a name, it is the script that runs by default. The text of a pattern
 * of npm-run-all, such as `lint:*`, is a list of the scripts that match it.
 */
export type ScriptLookup = (name: string | undefined) => string | undefined;

/** Parses a file, once for any number of its scripts. */
export function scriptsOf(tool: ScriptTool, file: string): ScriptLookup {
  switch (tool) {
    case "npm": {
      const scripts = entry(parseJson(file).unwrapOr({}), "scripts");
      const names = isJsonObject(scripts) ? Object.keys(scripts) : [];
      return (name = "") => {
        const script = name.includes("*")
          ? scriptText("npm run", matchingScripts(name, names).slice(0, MAX_SCRIPTS), [])
          : entry(scripts, name);
        return typeof script === "string" ? script : undefined;
      };
    }
    case "make":
    case "just": {
      const rules = tool === "make" ? makeRules(file) : justRecipes(file);
      const [first = ""] = rules.keys();
      return (name = first) => {
        const rule = rules.get(name);
        return rule && scriptText(tool, rule.prerequisites, rule.recipe);
      };
    }
    case "task": {
      const options = { logLevel: "silent", maxAliasCount: 100 } as const;
      const content = tryOr((): unknown => parseYaml(file, options), undefined);
      const tasks = entry(content, "tasks");
      return (name = "default") => taskText(entry(tasks, name));
    }
  }
}

/** Joins the calls of dependencies and the commands after them. */
function scriptText(program: string, names: readonly string[], lines: readonly string[]): string {
  return [...names.map((name) => `${program} ${name}`), ...lines].join("; ");
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

interface JustRecipe extends MakeTarget {
  readonly parameters: readonly string[];
}

/** Returns the recipes: `test:`, `@test *args: build`. */
export function justRecipes(text: string): ReadonlyMap<string, JustRecipe> {
  const recipes = new Map<string, JustRecipe>();
  let current: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s/.test(line)) {
      if (line.trim() !== "") current.push(line.trim());
      continue;
    }
    const [, name, parameters = "", rest = ""] =
      /^@?([A-Za-z_][\w-]*)([^:]*):(?!=)(.*)/.exec(line.slice(0, 1_000)) ?? [];
    if (name !== undefined) {
      const words = wordsOf(rest.split("#", 1)[0] ?? "");
      const prerequisites = words.filter((one) => /^[\w-]+$/.test(one));
      current = [];
      recipes.set(name, { parameters: wordsOf(parameters), prerequisites, recipe: current });
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
  if (!isJsonObject(task)) return steps(task, false).join("; ");
  return [...steps(task.deps, true), ...steps(task.cmds ?? task.cmd, false)].join("; ");
}
