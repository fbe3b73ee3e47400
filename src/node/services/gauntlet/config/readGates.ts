/**
 * Reads the definition of a check or a review, in its own file or inline, and reports what is wrong with it or has no
 * effect (G4). Applies the user's own changes to the definition in a file (G6a).
 */
import { posix } from "node:path";
import picomatch from "picomatch";
import type * as z from "zod/mini";
import type * as gates from "@/node/services/gauntlet/domain/gate";
import { reportSettings } from "@/node/services/gauntlet/domain/outputRules";
import { comparedKind } from "@/node/services/gauntlet/domain/commands/inspectedFiles";
import { newMatcher } from "@/node/services/gauntlet/domain/globs/matchers";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import type { GateFile } from "@/node/services/gauntlet/config/readConfigFiles";
import type { LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import type { Severity } from "@/common/diagnostics";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { readFindings } from "@/node/services/gauntlet/config/readFindingsKey";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import * as configKeys from "@/node/services/gauntlet/domain/configSchemas";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

/** The reasons why a placeholder of a command cannot work. @param placeholder `{files}` or `{files0}` */
const PLACEHOLDER_FAULTS = {
  word: (placeholder: string) =>
    `${placeholder} must be a word of its own outside quotes, as in \`eslint ${placeholder}\``,
  both: () => "a command can have {files} or {files0}, but not both",
  scope: (placeholder: string) =>
    `a command with ${placeholder} cannot contain a here-document (<<) or a function; move it to a script`,
} as const;

/**
 * Reads a check. Like the functions below, adds everything that is wrong to `problems`, and returns undefined if the
 * check has no usable value because of it.
 */
export function readCheckFile(
  { name, source, file }: GateFile,
  local: LocalConfig,
  problems: DiagnosticList
): gates.CheckDefinition | undefined {
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
  source: gates.SourcePosition,
  problems: DiagnosticList
): gates.CheckDefinition | undefined {
  const read = validateNode(node, configKeys.checkSchema, problems);
  if (read === undefined) return undefined;
  const { fixScope, timeout: timeoutS, ...fields } = read;
  const { command, rerunCommand, full, fix, files, parallel, failFast, retries = 0 } = fields;
  const report = (severity: Severity, key: string, message: string): void => {
    problems.add(severity, node.child(key) ?? node, message);
  };
  if (failFast && (parallel || retries > 0))
    report(
      "warning",
      "fail_fast",
      parallel
        ? "it has no effect, because this check is parallel"
        : "it has no effect, because this check has retries, which run after the other gates"
    );
  const keysWithFiles = ["fix", "command", "rerun_command"].filter((key) =>
    getsFiles(node.child(key), problems)
  );
  if (fix === undefined && fixScope !== undefined)
    report("warning", "fix_scope", 'it has no effect, because the check has no "fix"');
  if (fix !== undefined && fixScope !== "all" && !keysWithFiles.includes("fix"))
    report(
      "error",
      "fix",
      'a fix must contain {files} or {files0}, so that it changes only files of this work; to fix all files, add "fix_scope: all"'
    );
  // `full` checks everything, so it gets no files, and is used only if the command gets only what changed (G33).
  if (full !== undefined && isLimited(full))
    report(
      "error",
      "full",
      'it must check everything, without "{files}", "{files0}", "{base}" and options that compare with a commit'
    );
  else if (full !== undefined && ![command, rerunCommand ?? ""].some(isLimited))
    report(
      "warning",
      "full",
      'it has no effect, because the command has no "{files}" and compares with no commit'
    );
  if (files !== undefined && keysWithFiles.length === 0)
    report(
      "warning",
      "files",
      'it has no effect, because the command has no "{files}" and no "{files0}"'
    );
  const findings = readFindings(node.child("findings"), problems);
  const overlap = findOverlap({ ...fields, findings });
  if (overlap !== undefined) report("error", "findings", overlap);
  return {
    ...{ kind: "check", name, source, ...fields, findings, timeoutS },
    retries: retries === 0 ? undefined : retries,
    failFast: failFast && !parallel && retries === 0,
    env: readEnv(node),
  };
}

function isLimited(command: string): boolean {
  return parseCommand(command).placeholder !== undefined || comparedKind(command) !== undefined;
}

/** Returns why a report setting cannot be used if it is certain that it matches a file that the check reads (G20c). */
function findOverlap(
  check: Pick<gates.CheckDefinition, "findings" | "files" | "inputs">
): string | undefined {
  for (const { glob, setting } of reportSettings(check)) {
    for (const field of ["files", "inputs"] as const) {
      const globs = check[field] ?? [];
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
): gates.ReviewDefinition | undefined {
  if (source === undefined) return undefined;
  const { text } = source;
  const begins = /^---[ \t]*(?:\r?\n|$)/.test(text);
  const end = begins ? /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text) : null;
  if (begins && end === null) {
    problems.add(
      "error",
      source.rangeOf(0, 3),
      'the front matter that begins in this line has no closing line "---"'
    );
    return undefined;
  }
  // With the first `---`, which YAML reads as the start of a document, offsets are those of the file.
  const yaml = end === null ? "" : text.slice(0, end.index + 1);
  const node = parseYaml(new SourceFile(file, yaml, YAML), problems);
  const fields =
    node && validateNode(local.gate("review", name, node), configKeys.reviewSchema, problems);
  if (fields === undefined) return undefined;
  const prompt = text.slice(end === null ? 0 : end.index + end[0].length).trim();
  if (prompt === "")
    problems.addFile(
      "warning",
      file,
      "it has no prompt; write the instructions for the reviewer below the front matter"
    );
  return review(name, { text: prompt }, fields, { file, line: 1, column: 1 });
}

export function readInlineReview(
  name: string,
  node: SourceNode,
  source: gates.SourcePosition,
  problems: DiagnosticList
): gates.ReviewDefinition | undefined {
  const fields = validateNode(node, configKeys.inlineReviewSchema, problems);
  if (fields === undefined) return undefined;
  const { builtin, ...others } = fields;
  return review(name, { builtin }, others, source);
}

function review(
  name: string,
  prompt: gates.ReviewDefinition["prompt"],
  { timeout: timeoutS, ...fields }: z.output<typeof configKeys.reviewSchema>,
  source: gates.SourcePosition
): gates.ReviewDefinition {
  const after = fields.after === "alongside" ? fields.after : undefined;
  return { kind: "review", name, source, prompt, ...fields, after, timeoutS };
}

/** Returns the values as written: a version `1.10` is not the number 1.1. */
function readEnv(node: SourceNode): Record<string, string> {
  const env = node.child("env");
  if (env?.kind !== "mapping") return {};
  const textOf = ({ kind, value, written }: SourceNode): string =>
    kind !== "scalar" ? "" : typeof value === "string" ? value : written;
  return Object.fromEntries(env.children.map((entry) => [entry.key, textOf(entry)]));
}
