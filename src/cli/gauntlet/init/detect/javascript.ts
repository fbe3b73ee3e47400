/**
 * Suggests the checks of npm, pnpm, yarn and bun projects: their scripts, their installed tools, and the scripts of
 * their workspaces or the tasks of Turborepo or Nx. Also suggests the fixes of formatters.
 */
import picomatch from "picomatch";
import { WATCHES, type Evidence } from "@/cli/gauntlet/init/detect/workflowEvidence";
import {
  findPackageManager,
  readPackageJson,
  type PackageJson,
  type PackageManager,
} from "@/cli/gauntlet/init/detect/packageManager";
import { textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { suggestMonorepoTasks } from "@/cli/gauntlet/init/detect/taskRunners";
import * as detect from "@/cli/gauntlet/init/detect/types";

/** Names of scripts in the order of preference. */
const SCRIPTS: Readonly<Record<detect.CheckKind, readonly string[]>> = {
  test: ["test", "test:unit", "unit"],
  lint: ["lint", "lint:check", "eslint"],
  format: ["format:check", "format-check", "fmt:check", "check:format", "prettier:check"],
  types: ["typecheck", "type-check", "check-types", "check:types", "types", "tsc"],
};

/** The tools that are suggested if the project depends on their package and has their settings file. */
const TOOLS: readonly detect.ToolRow[] = [
  ["types", "typescript", /^tsconfig\.json$/, "tsc --noEmit"],
  ["lint", "eslint", /^(?:eslint\.config\.|\.eslintrc)/, "eslint ."],
  ["lint", "@biomejs/biome", /^biome\.jsonc?$/, "biome ci"],
  ["lint", "oxlint", /^\.oxlintrc\.json$/, "oxlint"],
  ["format", "prettier", /^\.?prettier/, "prettier --check ."],
  ["format", "oxfmt", /^\.oxfmtrc\.jsonc?$/, "oxfmt --check"],
  ["test", "vitest", /^(?:vitest|vite)\.config\./, "vitest run"],
  ["test", "jest", /^jest\.config\./, "jest"],
];

const SCRIPT_FILES = ["**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}"];
const WEB_FILES = [
  ...SCRIPT_FILES,
  "**/*.{json,jsonc,json5,css,scss,less,html,vue,graphql,md,mdx,yml,yaml}",
];
const BIOME_FILES = [...SCRIPT_FILES, "**/*.{json,jsonc,css,graphql}"];

/**
 * The fixes of formatters. Each pattern matches only a check of all files without options, because options may set
 * other rules.
 */
const FIXES: readonly (readonly [check: RegExp, fix: string, files: readonly string[]])[] = [
  [
    /^prettier (?:(?:--check|-c) \.|\. (?:--check|-c))$/,
    "prettier --write --ignore-unknown {files}",
    WEB_FILES,
  ],
  [
    /^oxfmt (?:--check(?: \.)?|\. --check)$/,
    "oxfmt --no-error-on-unmatched-pattern {files}",
    WEB_FILES,
  ],
  [
    /^biome (?:ci|check|format)(?: \.)?$/,
    "biome format --write --no-errors-on-unmatched --files-ignore-unknown=true {files}",
    BIOME_FILES,
  ],
];

/** A part of the script that `npm init` writes. */
const NO_TEST = "no test specified";
/** Matches a script that ends only if the variable `CI` is set. */
const ENDS_IN_CI =
  /^(?!.*\bCI=)(?!.*--watchAll[= ]false).*\b(?:react-scripts|react-app-rewired|craco) test\b/;
/** Matches a root script that runs the script of every member, so that both would run the same. */
const DELEGATES =
  /--workspaces?\b|\s-ws\b|\b(?:p?npm|yarn|bun)(?:\s+(?:run|exec|-\S+)){0,9}\s+(?:-r|--recursive|--filter)\b|\bworkspaces (?:run|foreach)|\blerna\b|\bturbo\b|\bnx\b/;
/** Members of a glob beyond this number are not read. */
const MAX_MEMBERS = 500;
/** A script that only some members have gets an entry point for each of them, if they are few. */
const MAX_SINGLE = 20;

export async function suggestJavascript(
  project: ProjectFolder,
  evidence: Evidence
): Promise<detect.Suggestion[]> {
  if (project.find("package.json") === undefined) return [];
  const pack = await readPackageJson(project);
  const manager = await findPackageManager(project);
  const { exec, lockFiles } = manager;
  const scripts = suggestScripts(pack, manager, evidence);
  const withScript = new Set(scripts.map(({ kind }) => kind));
  const tools = detect
    .suggestRows(
      TOOLS.filter(([kind, tool]) => !withScript.has(kind) && pack.dependencies.has(tool)),
      ([kind]) => kind,
      ([, tool, config]) => {
        const file = project.match(config);
        return file === undefined ? undefined : `${tool} is a dependency, and ${file} exists`;
      }
    )
    .map((one) => ({ ...one, command: exec(one.command), repair: fixFor(one.command, exec) }));
  const tasks = await suggestMonorepoTasks(project, exec);
  const members = tasks.length > 0 ? [] : await suggestMembers(project, pack, manager);
  const kindsOfMembers = new Set([...tasks, ...members].map(({ kind }) => kind));
  const own = [...scripts, ...tools].filter(
    ({ kind }) => !(kindsOfMembers.has(kind) && delegates(kind, pack, evidence))
  );
  const globalDependencies = ["package.json", "tsconfig*.json", ...lockFiles];
  return [...own, ...tasks, ...members.map((one) => ({ ...one, globalDependencies }))];
}

/** Returns the fix for a check, which is given without the package manager. */
function fixFor(line: string, exec: (line: string) => string): detect.ProposedFix | undefined {
  const [, fix = "", files] = FIXES.find(([check]) => check.test(line.trim())) ?? [];
  return files && { fix: exec(fix), files };
}

/** Returns the name of the script for that kind, or undefined if there is none that ends by itself. */
function findScript(
  kind: detect.CheckKind,
  { scripts }: PackageJson,
  evidence?: Evidence
): string | undefined {
  const names = evidence?.order("npm", kind, SCRIPTS[kind], (name) => scripts.get(name));
  return (names ?? SCRIPTS[kind]).find((name) => {
    const command = scripts.get(name);
    return command !== undefined && !command.includes(NO_TEST) && !WATCHES.test(command);
  });
}

function suggestScripts(
  pack: PackageJson,
  { name: tool, run, exec }: PackageManager,
  evidence?: Evidence,
  entryPoint = "."
): detect.Suggestion[] {
  return detect.CHECK_KINDS.flatMap((kind): detect.Suggestion[] => {
    const script = findScript(kind, pack, evidence);
    if (script === undefined) return [];
    const text = pack.scripts.get(script) ?? "";
    // Scripts of several members may have the same name and run different tools.
    const repair = entryPoint === "." ? fixFor(text, exec) : undefined;
    const [program = ""] = run(script).split(" ", 1);
    const command = `${ENDS_IN_CI.test(text.slice(0, 1_000)) ? "CI=1 " : ""}${run(script)}`;
    const reason = `package.json has "${script}"`;
    return [{ kind, tool, command, program, repair, reason, entryPoint }];
  });
}

/**
 * Returns whether the script of that kind, or one that it names, runs the members; any script if there is none of that
 * kind.
 */
function delegates(kind: detect.CheckKind, pack: PackageJson, evidence: Evidence): boolean {
  const name = findScript(kind, pack, evidence);
  const names = name === undefined ? [...pack.scripts.keys()] : [name];
  const called = names.flatMap((one) => pack.scripts.get(one)?.split(/[\s;&|]+/) ?? []);
  return [...names, ...called].some((one) => DELEGATES.test(pack.scripts.get(one) ?? ""));
}

/** Suggests a check for a glob if all its members have the script, else one for each member that has it. */
async function suggestMembers(
  project: ProjectFolder,
  { workspaces }: PackageJson,
  manager: PackageManager
): Promise<detect.Suggestion[]> {
  const all =
    project.find("pnpm-workspace.yaml") === undefined
      ? workspaces
      : textsOf((await project.data("pnpm-workspace.yaml")).packages);
  const normal = (glob: string): string => glob.replace(/^\.\//, "").replace(/\/+$/, "");
  const excluded = all.flatMap((glob) => (glob.startsWith("!") ? normal(glob.slice(1)) : []));
  const isExcluded = picomatch(excluded);
  const suggestions: detect.Suggestion[] = [];
  for (const glob of all.map(normal).filter(isFolderGlob)) {
    const folders = (await foldersOf(project, glob)).filter((folder) => !isExcluded(folder));
    const members = await Promise.all(
      folders.slice(0, MAX_MEMBERS).map(async (folder) => {
        if (!(await project.hasFile(`${folder}/package.json`))) return [];
        return [suggestScripts(await readPackageJson(project, folder), manager, undefined, folder)];
      })
    ).then((found) => found.flat());
    /** Counts the members that have the same command. */
    const count = ({ command }: detect.Suggestion): number =>
      members.filter((member) => member.some((one) => one.command === command)).length;
    suggestions.push(
      ...(members[0] ?? [])
        .filter((one) => count(one) === members.length)
        .map((one) => ({ ...one, entryPoint: glob, exampleFolder: one.entryPoint })),
      ...members.flat().filter((one) => count(one) < members.length && count(one) <= MAX_SINGLE)
    );
  }
  return suggestions;
}

/** Lists the folders of `packages/*`, or the folder itself if there is no glob in it. */
async function foldersOf(project: ProjectFolder, glob: string): Promise<string[]> {
  if (!glob.includes("*")) return [glob];
  const parent = glob.slice(0, -"/*".length);
  return (await project.folders(parent)).map((name) => `${parent}/${name}`);
}

/** Returns whether a glob names exactly one level of folders. Only such globs become entry points. */
function isFolderGlob(glob: string): boolean {
  return /^[\w@.-]+(?:\/[\w@.-]+)*(?:\/\*)?$/.test(glob) && !glob.split("/").includes("..");
}
