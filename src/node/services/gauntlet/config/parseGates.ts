/** Converts a definition, in its own file or inline, to a gate (G4). */
import { posix } from "node:path";
import picomatch from "picomatch";
import type * as z from "zod/mini";
import type {
  CheckDefinition,
  ReviewDefinition,
  SourcePosition,
} from "@/node/services/gauntlet/domain/gate";
import { reportSettings } from "@/node/services/gauntlet/domain/outputs";
import { comparedKind } from "@/node/services/gauntlet/domain/commands/comparedTools";
import { newMatcher } from "@/node/services/gauntlet/domain/globs/matchers";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/placeholders";
import type { GateFile } from "@/node/services/gauntlet/config/configFiles";
import type { LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML } from "@/common/source/formats";
import { SourceFile } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { readFindings } from "@/node/services/gauntlet/config/readFindings";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import {
  checkSchema,
  inlineReviewSchema,
  reviewSchema,
} from "@/node/services/gauntlet/config/schema";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

interface FrontMatter {
  /** Includes the first `---`, which YAML reads as the start of a document, so that offsets are those of the file. */
  readonly yaml: string;
  readonly body: string;
}

/** Why a placeholder of a command cannot work. @param placeholder `{files}` or `{files0}` */
const PLACEHOLDER_FAULTS = {
  word: (placeholder: string) =>
    `${placeholder} must be a word of its own outside quotes, as in \`eslint ${placeholder}\``,
  both: () => "a command can have {files} or {files0}, but not both",
  scope: (placeholder: string) =>
    `a command with ${placeholder} cannot contain a here-document (<<) or a function; move it to a script`,
} as const;

/** The default limit in seconds (G11, G12a). */
const DEFAULT_TIMEOUT_S = 300;

/** Reads a check. Like the functions below, returns undefined after adding to `problems` if anything is wrong. */
export function readCheckFile(
  { name, source, file }: GateFile,
  local: LocalConfig,
  problems: DiagnosticList
): CheckDefinition | undefined {
  const node = source && parseYaml(source, problems);
  if (node === undefined) return undefined;
  const named = node.child("name");
  if (named?.kind === "scalar" && named.written !== name) {
    problems.add(
      "warning",
      named,
      `this check is named ${JSON.stringify(name)}, after its file; the key "name" is ignored`
    );
  }
  return readCheck(name, local.gate("check", name, node), { file, line: 1, column: 1 }, problems);
}

export function readCheck(
  name: string,
  node: SourceNode,
  source: SourcePosition,
  problems: DiagnosticList
): CheckDefinition | undefined {
  const fields = validateNode(node, checkSchema, problems);
  if (fields === undefined) return undefined;
  const parallel = fields.parallel ?? false;
  const { rerun_command: rerunCommand, working_directory: workingDirectory, inputs } = fields;
  const retries = fields.retries ?? 0;
  const { files, when } = fields;
  if (fields.fail_fast === true && (parallel || retries > 0)) {
    const why = parallel
      ? "it has no effect, because this check is parallel"
      : "it has no effect, because this check has retries, which run after the other gates";
    problems.add("warning", node.child("fail_fast") ?? node, why);
  }
  const fix = readFix(node, fields, problems);
  const getFiles = [
    fix !== undefined && parseCommand(fix).placeholder !== undefined,
    getsFiles(node.child("command"), problems),
    getsFiles(node.child("rerun_command"), problems),
  ];
  checkFull(node, fields, problems);
  if (files != null && !getFiles.includes(true)) {
    problems.add(
      "warning",
      node.child("files") ?? node,
      'it has no effect, because the command has no "{files}" and no "{files0}"'
    );
  }
  const findings = readFindings(node.child("findings"), problems);
  const overlap = findOverlap({ findings }, { files, inputs });
  if (overlap !== undefined) problems.add("error", node.child("findings") ?? node, overlap);
  return {
    kind: "check",
    name,
    source,
    command: fields.command,
    ...(rerunCommand == null ? {} : { rerunCommand }),
    ...(workingDirectory == null ? {} : { workingDirectory }),
    ...(inputs == null ? {} : { inputs }),
    ...(retries === 0 ? {} : { retries }),
    ...(fields.reads == null ? {} : { reads: fields.reads }),
    ...(fields.full == null ? {} : { full: fields.full }),
    ...(fix === undefined ? {} : { fix }),
    ...(files == null ? {} : { files }),
    ...(when == null ? {} : { when }),
    ...(findings === undefined ? {} : { findings }),
    parallel,
    failFast: !parallel && retries === 0 && (fields.fail_fast ?? false),
    env: readEnv(node),
    ...(fields.pass_env == null ? {} : { passEnv: fields.pass_env }),
    ...commonFields(fields),
  };
}

/** `full` checks everything, so it gets no files, and is used only if the command gets only what changed (G33). */
function checkFull(
  node: SourceNode,
  { command, rerun_command: again, full }: z.output<typeof checkSchema>,
  problems: DiagnosticList
): void {
  if (full == null) return;
  const at = node.child("full") ?? node;
  if (isLimited(full))
    problems.add(
      "error",
      at,
      'it must check everything, without "{files}", "{files0}", "{base}" and options that compare with a commit'
    );
  else if (![command, again ?? ""].some(isLimited))
    problems.add(
      "warning",
      at,
      'it has no effect, because the command has no "{files}" and compares with no commit'
    );
}

function isLimited(command: string): boolean {
  return parseCommand(command).placeholder !== undefined || comparedKind(command) !== undefined;
}

/** Returns why a report setting cannot be used if it is certain that it matches a file that the check reads (G20c). */
function findOverlap(
  check: Pick<CheckDefinition, "findings">,
  read: Pick<z.output<typeof checkSchema>, "files" | "inputs">
): string | undefined {
  for (const { glob, setting } of reportSettings(check)) {
    for (const field of ["files", "inputs"] as const) {
      const globs = read[field] ?? [];
      const matches = newMatcher({ field, globs, folder: "." });
      const other = globs.find(
        (pattern) =>
          isCertainlyBoth(glob, pattern) && (picomatch.scan(glob).isGlob || matches(glob))
      );
      if (other !== undefined)
        return `expected a report that the check does not read: "${setting}" overlaps with "${other}" in its "${field}", and changes of a report are not checked`;
    }
  }
  return undefined;
}

/** Returns whether one is a path that the other one matches. Whether two other globs overlap is not examined. */
function isCertainlyBoth(report: string, read: string): boolean {
  const [a, b] = [posix.normalize(report), posix.normalize(read).replace(/^\/|\/$/g, "")];
  if (a === b) return true;
  if (!picomatch.scan(a).isGlob) {
    return newMatcher({ field: "files", globs: [read], folder: "." })(a);
  }
  return !picomatch.scan(b).isGlob && picomatch(a, { dot: true })(b);
}

/** Returns the fix. Adds an error if it has no placeholder, unless it may change all files (G35). */
function readFix(
  node: SourceNode,
  { fix, fix_scope: scope }: z.output<typeof checkSchema>,
  problems: DiagnosticList
): string | undefined {
  const at = node.child("fix");
  if (fix == null) {
    if (scope != null)
      problems.add(
        "warning",
        node.child("fix_scope") ?? node,
        'it has no effect, because the check has no "fix"'
      );
    return undefined;
  }
  if (!getsFiles(at, problems) && scope !== "all")
    problems.add(
      "error",
      at ?? node,
      'a fix must contain {files} or {files0}, so that it changes only files of this work; to fix all files, add "fix_scope: all"'
    );
  return fix;
}

/** Returns whether a command gets files. Adds an error if its placeholder cannot work (G32). */
function getsFiles(node: SourceNode | undefined, problems: DiagnosticList): boolean {
  if (typeof node?.value !== "string") return false;
  const { placeholder, fault } = parseCommand(node.value);
  if (placeholder === undefined) return false;
  if (fault !== undefined) problems.add("error", node, PLACEHOLDER_FAULTS[fault](placeholder));
  return true;
}

/** Reads a review from its front matter and prompt. */
export function readReviewFile(
  { name, source, file }: GateFile,
  local: LocalConfig,
  problems: DiagnosticList
): ReviewDefinition | undefined {
  if (source === undefined) return undefined;
  const parts = splitFrontMatter(source.text);
  if (parts === undefined) {
    problems.add(
      "error",
      source.rangeOf(0, 3),
      'the front matter that begins in this line has no closing line "---"'
    );
    return undefined;
  }
  const node = parseYaml(new SourceFile(file, parts.yaml, YAML), problems);
  const fields = node && validateNode(local.gate("review", name, node), reviewSchema, problems);
  if (fields === undefined) return undefined;
  const text = parts.body.trim();
  if (text === "")
    problems.addFile(
      "warning",
      file,
      "it has no prompt; write the instructions for the reviewer below the front matter"
    );
  return review(name, { text }, fields, { file, line: 1, column: 1 });
}

export function readInlineReview(
  name: string,
  node: SourceNode,
  source: SourcePosition,
  problems: DiagnosticList
): ReviewDefinition | undefined {
  const fields = validateNode(node, inlineReviewSchema, problems);
  return fields && review(name, { builtin: fields.builtin }, fields, source);
}

function review(
  name: string,
  prompt: ReviewDefinition["prompt"],
  fields: z.output<typeof reviewSchema>,
  source: SourcePosition
): ReviewDefinition {
  const { cli_preference: cliPreference, model } = fields;
  return {
    kind: "review",
    name,
    source,
    prompt,
    ...(cliPreference == null ? {} : { cliPreference }),
    ...(model == null ? {} : { model }),
    numReviews: fields.num_reviews ?? 1,
    ...(fields.after === "alongside" ? { after: fields.after } : {}),
    parallel: fields.parallel ?? true,
    enabled: fields.enabled ?? true,
    ...commonFields(fields),
  };
}

interface CommonFields {
  readonly run_in_ci?: boolean | null | undefined;
  readonly run_locally?: boolean | null | undefined;
  readonly timeout?: number | null | undefined;
}

function commonFields(fields: CommonFields) {
  return {
    runInCi: fields.run_in_ci ?? true,
    runLocally: fields.run_locally ?? true,
    timeoutS: fields.timeout ?? DEFAULT_TIMEOUT_S,
  };
}

/** Returns the values as written: a version `1.10` is not the number 1.1. */
function readEnv(node: SourceNode): Record<string, string> {
  const env = node.child("env");
  if (env?.kind !== "mapping") return {};
  const textOf = ({ kind, value, written }: SourceNode): string =>
    kind !== "scalar" ? "" : typeof value === "string" ? value : written;
  return Object.fromEntries(env.children.map((entry) => [entry.key, textOf(entry)]));
}

/** Splits a text into front matter and body. Returns undefined if the front matter is not closed. */
function splitFrontMatter(text: string): FrontMatter | undefined {
  if (!/^---[ \t]*(?:\r?\n|$)/.test(text)) return { yaml: "", body: text };
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  if (end === null) return undefined;
  return { yaml: text.slice(0, end.index + 1), body: text.slice(end.index + end[0].length) };
}
