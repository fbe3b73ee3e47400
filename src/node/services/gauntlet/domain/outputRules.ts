/**
 * Determines which untracked files are outputs of checks, so that they do not count as changes (G20c): those that match
 * a report setting, and those that a check has written in two runs. Also returns the globs with which git leaves these
 * files out.
 */
import picomatch from "picomatch";
import { normalFolder } from "@/node/services/gauntlet/domain/entryPointFolders";
import {
  type CheckDefinition,
  type EntryPoint,
  folderOfJob,
} from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";

/** A rule for untracked files that are outputs of a check. */
export interface OutputRule {
  readonly gate: CheckDefinition;
  /** A glob, or the path of a file that the check wrote twice. Relative to the project root. */
  readonly path: string;
  /** The report setting as written, such as `junit:reports/*.xml`. Absent: `path` is a file. */
  readonly setting?: string | undefined;
  /** The same as globs of git. */
  readonly patterns: readonly string[];
}

/** By job ID, the files that a check wrote in two successive runs, and the digest of its definition at that time. */
export type WrittenFiles = Readonly<
  Record<string, { readonly definition: string; readonly paths: readonly string[] }>
>;

/** The maximum number of files that are recorded of one job. */
export const MAX_WRITTEN = 50;
const MAX_RULES = 500;
/** More text would not fit into the arguments of a process. */
const MAX_RULES_CHARS = 32_768;

/** Returns the rules of all report settings and recorded files. Equal configurations and records have equal rules. */
export function outputRules(
  entryPoints: readonly EntryPoint[],
  written: WrittenFiles = {}
): OutputRule[] {
  const rules = new Map<string, OutputRule>();
  const add = (gate: CheckDefinition, path: string, setting?: string): void => {
    const escaped = path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
    const patterns = setting === undefined ? withWildcards([escaped]) : gitGlobs(path);
    if (patterns === undefined) return;
    rules.set(`${gate.name}\0${setting ?? ""}\0${path}`, { gate, path, setting, patterns });
  };
  for (const { path, gates } of entryPoints) {
    for (const gate of gates) {
      if (gate.kind !== "check") continue;
      const folders =
        gate.workingDirectory === undefined ? foldersOf(path) : [gate.workingDirectory];
      for (const { glob, setting } of reportSettings(gate)) {
        for (const folder of folders) add(gate, normalPath(`${folder}/${glob}`), setting);
      }
      for (const [id, { definition, paths }] of Object.entries(written)) {
        if (folderOfJob(id, gate) === undefined || definition !== definitionOf(gate)) continue;
        for (const file of paths.slice(0, MAX_WRITTEN)) if (isInside(file)) add(gate, file);
      }
    }
  }
  let chars = 0;
  return [...rules.values()]
    .slice(0, MAX_RULES)
    .filter(({ patterns }) => (chars += patterns.join(" ").length) <= MAX_RULES_CHARS);
}

/** Returns the predicate of one rule, for paths relative to the project. */
export function matcherOf({ path, setting }: OutputRule): (file: string) => boolean {
  return setting === undefined ? (file) => file === path : picomatch(path, { dot: true });
}

/** Returns the predicate of several rules. */
export function outputMatcher(rules: readonly OutputRule[]): (file: string) => boolean {
  const files = new Set(rules.flatMap(({ path, setting }) => (setting === undefined ? path : [])));
  const globs = rules.filter(({ setting }) => setting !== undefined).map(matcherOf);
  return (file) => files.has(file) || globs.some((matches) => matches(file));
}

/** Returns the glob of each report setting, and the setting as written. */
export function reportSettings({
  findings = [],
}: Pick<CheckDefinition, "findings">): { readonly glob: string; readonly setting: string }[] {
  return findings.flatMap((source) =>
    source.kind !== "report" || source.glob === undefined
      ? []
      : [{ glob: source.glob, setting: `${source.format}:${source.glob}` }]
  );
}

/** Returns the folders in which the jobs of an entry point may run, as globs. */
function foldersOf(entryPoint: string): string[] {
  const path = normalFolder(entryPoint);
  const { isGlob, base, glob } = picomatch.scan(path);
  const isOfFiles = /\.[^/]*$/.test(glob);
  if (isGlob) return isOfFiles ? [base === "" ? "." : base] : [path];
  // Whether `package.json` is a file is known only from the tree.
  const slash = path.lastIndexOf("/");
  const isFile = path.slice(slash + 2).includes(".");
  return isFile ? [path, slash === -1 ? "." : path.slice(0, slash)] : [path];
}

/** Removes `.` and empty parts. */
function normalPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `${parts.join("/")}${path.endsWith("/") ? "/" : ""}`;
}

/** A record is read from a file, so its paths may be anything. */
function isInside(path: string): boolean {
  return path !== "" && normalPath(path) === path && !path.split("/").includes("..");
}

const MAX_GLOBS = 50;
const MAX_GLOB_CHARS = 1_000;

/** Returns the globs of git that match the same files, or undefined if there are none. git has no braces. */
function gitGlobs(glob: string): string[] | undefined {
  if (glob.length > MAX_GLOB_CHARS || /[()\\]|^!|\/$|(?:^|\/)\.\.(?:\/|$)/.test(glob))
    return undefined;
  let globs = [glob];
  while (globs.some((one) => one.includes("{"))) {
    const expanded = globs.map(expandBraces);
    globs = expanded.flatMap((some) => some ?? []);
    if (expanded.includes(undefined) || globs.length > MAX_GLOBS) return undefined;
  }
  return withWildcards(globs);
}

/** Expands the first innermost braces. Returns undefined for braces without alternatives, and for ranges. */
function expandBraces(glob: string): string[] | undefined {
  if (!glob.includes("{")) return [glob];
  const found = /\{([^{}]*)\}/.exec(glob);
  const inner = found?.[1] ?? "";
  const index = found?.index ?? 0;
  if (!inner.includes(",") || inner.includes("..")) return undefined;
  const before = glob.slice(0, index);
  const after = glob.slice(index + inner.length + 2);
  return inner.split(",").map((part) => `${before}${part}${after}`);
}

/**
 * Makes the first folder or name of each glob a pattern, such as `[r]eports`. git takes a literal one for a folder with all
 * its files, and fails if it is a symbolic link. Returns undefined if one of them cannot be a pattern.
 */
function withWildcards(globs: readonly string[]): string[] | undefined {
  const all = globs.flatMap((glob) => {
    const first = glob.split("/", 1)[0] ?? "";
    if (/(?<!\\)[*?[]/.test(first)) return glob;
    const end = first.search(/(?<!\\)[\w.@]/);
    return end === -1 ? [] : `${glob.slice(0, end)}[${glob[end]}]${glob.slice(end + 1)}`;
  });
  return all.length < globs.length ? undefined : all;
}
