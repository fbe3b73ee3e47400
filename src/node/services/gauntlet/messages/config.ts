/**
 * Texts about the configuration and the settings of the Stop hook. Most of them follow the position, as in
 * `.gauntlet/config.yml:2:14: max_retries: unknown key`. The schema has the texts that describe expected values.
 */
import { plural } from "@/common/text";

// Files.

/** @param limit such as `1 MiB` */
export function filesTogetherTooLarge(limit: string): string {
  return `its files together are larger than ${limit}, so none of them is read`;
}

export function notListable(why: string): string {
  return `it cannot be listed: ${why}`;
}

export function otherExtension(extension: string): string {
  return `it is ignored, because only files whose name ends in ${extension} are read from this folder`;
}

export function tooManyGateFiles(count: number, limit: number): string {
  return `it contains ${plural(count, "gate")}, but at most ${limit} can be read`;
}

export function notReadable(why: string): string {
  return `it cannot be read: ${why}`;
}

/** @param limit such as `256 KiB` */
export function fileTooLarge(limit: string): string {
  return `it is larger than ${limit}, the maximum size of a configuration file`;
}

export const NOT_UTF8 = "it is not UTF-8; save it with that encoding";

/** A file that is not in the configuration that `turn-start` recorded. */
export function notRecorded(path: string): string {
  return `${path} did not exist when the turn began`;
}

// YAML.

export function notYaml(why: string): string {
  return `this is not valid YAML: ${why}`;
}

export function nestedTooDeeply(levels: number): string {
  return `this is nested deeper than ${levels} levels`;
}

/** A file may be larger than this limit if most of it is not YAML. @param limit such as `64 KiB` */
export function yamlTooLarge(limit: string): string {
  return `this YAML is larger than ${limit}, the maximum for the YAML of a file`;
}

/** Appears if the file has more tokens than any configuration needs. */
export function tooManyTokens(limit: number): string {
  return `this YAML has more than ${limit} tokens (words, marks and spaces), the maximum for a file`;
}

export function tooManyValues(limit: number): string {
  return `this has more than ${limit} values after its aliases are expanded`;
}

/** Appears for `! grep x`, which YAML reads as the text `grep x`. */
export function tagNotAllowed(tag: string): string {
  return `YAML reads ${tag} as a tag, which is not part of the value; quote the whole value, such as "! grep -q x ."`;
}

export const SEVERAL_DOCUMENTS =
  "the file contains a second YAML document; remove it and the `---` before it";
export const REPEATED_KEY = "this key is given more than once";

export function unknownAlias(name: string): string {
  return `*${name}: there is no &${name} before it`;
}

export const FRONT_MATTER_NOT_CLOSED =
  'the front matter that begins in this line has no closing line "---"';

// Keys and values.

/** The end of a message about an unknown name. */
export function suggestion(name: string): string {
  return `; did you mean ${JSON.stringify(name)}?`;
}

/** @param hint a {@link suggestion}, or an empty text */
export function unknownKey(hint: string): string {
  return `unknown key${hint}`;
}

export function unknownKeyIgnored(hint: string): string {
  return `unknown key (ignored)${hint}`;
}

export const INTERVAL_IN_PROJECT =
  "it has no effect in a project: each user sets the interval in ~/.config/agent-gauntlet/config.yml";

export const NO_USAGE_PROBE =
  "it has no effect: reviewers are not probed before a review; if one reports a rate limit, the next one is used";

/** Why a path cannot be the log folder, as the predicate of a sentence. */
export const LOG_DIR_FAULTS = {
  project: "is the project itself",
  outside: "is outside the project",
  git: "belongs to git",
  configuration: "contains the configuration",
} as const;

/** @param fault one of {@link LOG_DIR_FAULTS} */
export function logDirNotAllowed(written: string, fault: string, example: string): string {
  return `expected a folder inside the project, such as ${example}; ${JSON.stringify(written)} ${fault}`;
}

// Gates.

export function repeatedGate(name: string): string {
  return `${JSON.stringify(name)} is listed more than once; the first entry counts`;
}

/** @param found describes the value of the entry */
export function notGate(kind: "check" | "review", found: string): string {
  const example = kind === "check" ? "{command: npm test}" : "{builtin: security}";
  return `expected the name of a ${kind}, or one name with its definition, as in \`- name: ${example}\`, found ${found}`;
}

/**
 * @param names the gates that can be named
 * @param rest the number of gates that do not fit
 * @param hint a {@link suggestion}, or an empty text
 */
export function gateMissing(
  kind: "check" | "review",
  name: string,
  { names, rest, hint }: { readonly names: readonly string[]; rest: number; hint: string }
): string {
  const files = kind === "check" ? ".gauntlet/checks/*.yml" : ".gauntlet/reviews/*.md";
  const more = rest > 0 ? ` and ${rest} more` : "";
  const known =
    names.length === 0 ? `there is no file ${files}` : `defined are: ${names.join(", ")}${more}`;
  return `there is no ${kind} named ${JSON.stringify(name)}; ${known}${hint}`;
}

/** @param names the first of the `count` gates */
export function gatesNotUsed(
  kind: "check" | "review",
  names: readonly string[],
  count: number
): string {
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  const [which, what] =
    count === 1
      ? [`this ${kind}, so it never runs`, "its name"]
      : [`${names.join(", ")}${more}, so they never run`, "their names"];
  return `no entry point names ${which}; add ${what} to "${kind}s" of an entry point, or delete the file`;
}

/** Parameters as of {@link gateMissing}, with the paths of the entry points. */
export function entryPointMissing(
  path: string,
  { names, rest, hint }: { readonly names: readonly string[]; rest: number; hint: string }
): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `there is no entry point ${JSON.stringify(path)}; defined are: ${names.join(", ")}${more}${hint}`;
}

export function nameIgnored(name: string): string {
  return `this check is named ${JSON.stringify(name)}, after its file; the key "name" is ignored`;
}

/** Appears for an unknown format of `findings`. @param formats all formats that can be named */
export function unknownFormat(formats: readonly string[], hint: string): string {
  return `expected none, a mapping with "pattern", or one of ${formats.join(", ")}${hint}`;
}

export const REPORT_GLOB = "expected a glob of files in the folder of the check, without ..";
export const FORMAT_WITHOUT_FILE = "it has no files, because it is matched in the output";
export const FINDINGS_NONE = "expected none alone, not in a list";

/** @param why the predicate of the expression */
export function expressionInvalid(why: string): string {
  return `expected a regular expression: ${why}`;
}

export function expressionTooLong(limit: number): string {
  return `it is longer than ${limit} characters`;
}

export const FAIL_FAST_PARALLEL = "it has no effect, because this check is parallel";

export const FAIL_FAST_RETRIED =
  "it has no effect, because this check has retries, which run after the other gates";
export const FIX_WITHOUT_FILES =
  'a fix must contain {files} or {files0}, so that it changes only files of this work; to fix all files, add "fix_scope: all"';

export const SCOPE_WITHOUT_FIX = 'it has no effect, because the check has no "fix"';

export const FULL_IS_LIMITED =
  'it must check everything, without "{files}", "{files0}", "{base}" and options that compare with a commit';

export const FULL_NOT_USED =
  'it has no effect, because the command has no "{files}" and compares with no commit';

export const FILES_NOT_USED =
  'it has no effect, because the command has no "{files}" and no "{files0}"';

/** Why a placeholder of a command cannot work. @param placeholder `{files}` or `{files0}` */
export const PLACEHOLDER_FAULTS = {
  word: (placeholder: string) =>
    `${placeholder} must be a word of its own outside quotes, as in \`eslint ${placeholder}\``,
  both: () => "a command can have {files} or {files0}, but not both",
  scope: (placeholder: string) =>
    `a command with ${placeholder} cannot contain a here-document (<<) or a function; move it to a script`,
} as const;

export const NO_PROMPT =
  "it has no prompt; write the instructions for the reviewer below the front matter";

// The settings of the Stop hook.

/** The setting that disabled the Stop hook. */
export function variable(name: string): string {
  return `the environment variable ${name}`;
}

export function enabledIn(file: string): string {
  return `stop_hook.enabled in ${file}`;
}

export const FLAG = "true, 1, false or 0";
export const MINUTES = "a number of minutes of at least 0";

/** @param expected {@link FLAG} or {@link MINUTES} */
export function variableIgnored(name: string, expected: string, found: string): string {
  return `${name} is ignored: expected ${expected}, found ${found}`;
}

export function intervalByVariable(name: string, minutes: number): string {
  return `${variable(name)} is set, so stops run gates at most every ${minutes} min`;
}

/** The user's own file, whose switches count from the next message. */
export function globalChangedInTurn(path: string): string {
  return `${path} changed in this turn; it turns nothing off before your next message`;
}
