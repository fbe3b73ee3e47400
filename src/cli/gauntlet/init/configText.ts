/**
 * Makes the files of the configuration for `init`: the main file with the selected checks, or with an example, and a
 * file for each check of another entry point. Also adds checks to the text of a main file that exists (G29).
 */
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isCollection, parse, parseDocument, stringify } from "yaml";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { trialComment, type Trial } from "@/cli/gauntlet/init/tryChecks";
import {
  CONFIG_FILE,
  CONFIG_FOLDER,
  EXAMPLE_CHECK,
} from "@/node/services/gauntlet/config/configPaths";

/** A selected check with the result of its trial. */
export interface FirstCheck extends Omit<CheckProposal, "program" | "isPreselected"> {
  /** Absent if it was not tried. */
  readonly trial?: Trial;
}

export interface FirstConfig {
  /** Absent if a run finds it without the configuration. */
  readonly baseBranch?: string | undefined;
  readonly checks: readonly FirstCheck[];
  readonly globalDependencies: readonly string[];
  /** The folder of the JSON Schemas, relative to the project. */
  readonly schemas?: string | undefined;
}

/** A file to create. */
export interface NewFile {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files of the configuration: one file with the checks of the root, and a file for each check of other
 * entry points. Those come first, so that even after an interruption no configuration names a missing check.
 *
 * @param now the time in the comments about a trial
 */
export function configFiles(config: FirstConfig, now: Date): NewFile[] {
  return [...checkFiles(config, now), { path: CONFIG_FILE, text: configText(config, now) }];
}

/** Returns only the files of checks of other entry points than the root. */
export function checkFiles(
  { checks, schemas }: Pick<FirstConfig, "checks" | "schemas">,
  now: Date
): NewFile[] {
  return checks
    .filter((check) => !isOfRoot(check))
    .map((check) => {
      const path = posix.join(CONFIG_FOLDER, "checks", `${check.name}.yml`);
      const text = `${comments(check, now)}${stringify(fieldsOf(check), { lineWidth: 0 })}`;
      return { path, text: schemaLine(schemas, "../../", "check") + text };
    });
}

/** Returns whether a check runs only in the root of the project. */
export function isOfRoot({ entryPoints }: Pick<FirstCheck, "entryPoints">): boolean {
  return entryPoints.every((path) => path === ".");
}

function fieldsOf({ command, written, report, repair, kind }: FirstCheck) {
  // Tests may use the same ports and files, so they run alone.
  return { command, ...report, ...written, ...(kind !== "test" && { parallel: true }), ...repair };
}

function comments({ reason, note, trial }: FirstCheck, now: Date): string {
  const texts = [reason, note, trial && trialComment(trial, now)];
  // A reason may contain a command of several lines.
  const lines = texts.flatMap((text) => text?.split(/[\r\n]+/) ?? []);
  return lines.map((line) => `# ${line}\n`).join("");
}

/** Returns the entries of `checks` in the configuration, indented. */
function rootChecks(checks: readonly FirstCheck[], now: Date): string {
  const entries = checks.filter(isOfRoot).map((check) => {
    const { command, ...others } = fieldsOf(check);
    const value = Object.keys(others).length === 0 ? command : { command, ...others };
    return `${comments(check, now)}${stringify({ [check.name]: value }, { lineWidth: 0 })}`;
  });
  return indented(entries.join(""));
}

/** Returns the line by which editors find the JSON Schema of the file. */
function schemaLine(folder: string | undefined, up: string, of: "config" | "check"): string {
  if (folder === undefined) return "";
  return `# yaml-language-server: $schema=${up}${folder}/gauntlet-${of}.schema.json\n`;
}

function configText({ baseBranch, checks, globalDependencies, schemas }: FirstConfig, now: Date) {
  const entries = entryPoints(checks);
  const top = checks.length === 0 ? EXAMPLE : rootChecks(checks, now);
  return [
    `${schemaLine(schemas, "../", "config")}# The gates that a change must pass before an agent may stop.
# "mux-stop-hooks run" runs them, and "mux-stop-hooks validate" checks this file.\n`,
    baseBranch === undefined
      ? ""
      : `# The branch that the work is compared with.\n${stringify({ base_branch: baseBranch })}`,
    globalDependencies.length === 0
      ? ""
      : `# A change to one of these files runs the checks of every entry point.\n${stringify({ global_dependencies: globalDependencies })}`,
    top === "" ? "" : `checks:\n${top}`,
    entries.length === 0
      ? ""
      : `# The checks of other folders are files in .gauntlet/checks.\n${stringify({ entry_points: entries })}`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function entryPoints(checks: readonly FirstCheck[]) {
  const byPath = new Map<string, string[]>();
  for (const { name, entryPoints: paths } of checks.filter((check) => !isOfRoot(check))) {
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), name]);
  }
  return [...byPath]
    .sort(([a], [b]) => Number(b === ".") - Number(a === "."))
    .map(([path, names]) => ({ path, checks: names }));
}

/** The check of a configuration for which no other check was selected. */
const EXAMPLE = `  # An example for every repository: it fails if a merge conflict is unresolved.
  # A check passes if its command exits with 0. If it fails, the agent reads its output.
  # To add a check, add a line here, such as "test: npm test".
  ${EXAMPLE_CHECK}: |
    if git grep --untracked -I --line-number --extended-regexp '^(<{7}|>{7})( |$)'; then
      echo 'These lines are markers of a merge conflict: resolve it.'
      exit 1
    fi
`;

/**
 * Adds checks to the text of a configuration, and changes no other value. Returns undefined if the text cannot be
 * edited so.
 */
export function addChecks(
  source: string,
  checks: readonly FirstCheck[],
  now: Date
): string | undefined {
  try {
    const text = insertChecks(source, checks, now);
    const [before, added, after] = [source, insertChecks("", checks, now), text].map(
      (one) => parse(one) as { checks?: object; entry_points?: unknown[] } | null
    );
    // An empty text has no form to keep.
    if (before === null) return undefined;
    const wanted = {
      ...before,
      checks: { ...before?.checks, ...added?.checks },
      entry_points: [...(before?.entry_points ?? []), ...(added?.entry_points ?? [])],
    };
    const found = { checks: {}, entry_points: [], ...after };
    return isDeepStrictEqual(found, wanted) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text with these checks, without examining whether its form allows that. */
export function insertChecks(source: string, checks: readonly FirstCheck[], now: Date): string {
  const entries = entryPoints(checks);
  const others = entries.length === 0 ? "" : indented(stringify(entries));
  return insert(insert(source, "checks", rootChecks(checks, now)), "entry_points", others);
}

/** Inserts entries, indented by two spaces, at the end of a list or a map, which is added if it is missing. */
function insert(text: string, key: string, added: string): string {
  if (added === "") return text;
  const value = parseDocument(text).get(key, true);
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (!isCollection(value)) return `${whole}\n${key}:\n${added}`;
  const [start = 0, valueEnd = 0] = value.range ?? [];
  const lineEnd = whole.indexOf("\n", valueEnd - 1) + 1;
  const column = start - (whole.lastIndexOf("\n", start - 1) + 1);
  return whole.slice(0, lineEnd) + indented(added, column - 2) + whole.slice(lineEnd);
}

function indented(text: string, by = 2): string {
  return by < 0
    ? text.replaceAll(new RegExp(`^ {${-by}}`, "gm"), "")
    : text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}
