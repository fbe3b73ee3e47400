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
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML } from "@/common/source/formats";
import { SourceFile } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { splitFrontMatter } from "@/node/services/gauntlet/config/source/frontMatter";
import { readFindings } from "@/node/services/gauntlet/config/readFindings";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import {
  checkSchema,
  inlineReviewSchema,
  reviewSchema,
} from "@/node/services/gauntlet/config/schema";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import { reportIsInput } from "@/node/services/gauntlet/messages/outputs";
import {
  FAIL_FAST_PARALLEL,
  FAIL_FAST_RETRIED,
  FILES_NOT_USED,
  FIX_WITHOUT_FILES,
  FRONT_MATTER_NOT_CLOSED,
  FULL_IS_LIMITED,
  FULL_NOT_USED,
  nameIgnored,
  NO_PROMPT,
  SCOPE_WITHOUT_FIX,
  PLACEHOLDER_FAULTS,
} from "@/node/services/gauntlet/messages/config";

/** The default limit in seconds (G11, G12a). */
const DEFAULT_TIMEOUT_S = 300;

/** Reads a check. Like the functions below, returns undefined after adding to `problems` if anything is wrong. */
export function readCheckFile(
  { name, source, file }: GateFile,
  problems: DiagnosticList
): CheckDefinition | undefined {
  const node = source && parseYaml(source, problems);
  if (node === undefined) return undefined;
  const named = node.child("name");
  if (named?.kind === "scalar" && named.written !== name) {
    problems.add("warning", named, nameIgnored(name));
  }
  return readCheck(name, node, { file, line: 1, column: 1 }, problems);
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
    const why = parallel ? FAIL_FAST_PARALLEL : FAIL_FAST_RETRIED;
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
    problems.add("warning", node.child("files") ?? node, FILES_NOT_USED);
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
  if (isLimited(full)) problems.add("error", at, FULL_IS_LIMITED);
  else if (![command, again ?? ""].some(isLimited)) problems.add("warning", at, FULL_NOT_USED);
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
      if (other !== undefined) return reportIsInput(setting, field, other);
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
    if (scope != null) problems.add("warning", node.child("fix_scope") ?? node, SCOPE_WITHOUT_FIX);
    return undefined;
  }
  if (!getsFiles(at, problems) && scope !== "all")
    problems.add("error", at ?? node, FIX_WITHOUT_FILES);
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
  problems: DiagnosticList
): ReviewDefinition | undefined {
  if (source === undefined) return undefined;
  const parts = splitFrontMatter(source.text);
  if (parts === undefined) {
    problems.add("error", source.rangeOf(0, 3), FRONT_MATTER_NOT_CLOSED);
    return undefined;
  }
  const node = parseYaml(new SourceFile(file, parts.yaml, YAML), problems);
  const fields = node && validateNode(node, reviewSchema, problems);
  if (fields === undefined) return undefined;
  const text = parts.body.trim();
  if (text === "") problems.addFile("warning", file, NO_PROMPT);
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
