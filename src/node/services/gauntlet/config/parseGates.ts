/** Converts a definition, in its own file or inline, to a gate (G4). */
import type * as z from "zod/mini";
import type {
  CheckDefinition,
  ReviewDefinition,
  SourcePosition,
} from "@/node/services/gauntlet/domain/gate";
import type { GateFile } from "@/node/services/gauntlet/config/configFiles";
import { splitFrontMatter } from "@/node/services/gauntlet/config/source/frontMatter";
import type { DiagnosticList } from "@/node/services/gauntlet/config/source/DiagnosticList";
import { child, type YamlNode } from "@/node/services/gauntlet/config/source/YamlNode";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import {
  checkSchema,
  inlineReviewSchema,
  reviewSchema,
} from "@/node/services/gauntlet/config/schema";
import { SourceFile } from "@/node/services/gauntlet/config/source/SourceFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

/** The default limit in seconds (G11, G12a). */
const DEFAULT_TIMEOUT_S = 300;

/** Reads a check. Like the functions below, returns undefined after adding to `problems` if anything is wrong. */
export function readCheckFile(
  { name, source, file }: GateFile,
  problems: DiagnosticList
): CheckDefinition | undefined {
  const tree = source && parseYaml(source, problems);
  if (source === undefined || tree === undefined) return undefined;
  const node = { source, tree, path: [] };
  const named = child(node, "name");
  if (named?.tree.kind === "scalar" && named.tree.source !== name) {
    const message = `this check is called ${JSON.stringify(name)}, after its file; the name here does not count`;
    problems.add("warning", source, named.tree.span, ["name"], message);
  }
  return readCheck(name, node, { file, line: 1, column: 1 }, problems);
}

export function readCheck(
  name: string,
  node: YamlNode,
  source: SourcePosition,
  problems: DiagnosticList
): CheckDefinition | undefined {
  const fields = validateNode(node, checkSchema, problems);
  if (fields === undefined) return undefined;
  const parallel = fields.parallel ?? false;
  const { rerun_command: rerunCommand, working_directory: workingDirectory, inputs } = fields;
  if (parallel && fields.fail_fast === true) {
    const { source: text, tree, path } = child(node, "fail_fast") ?? node;
    const message = "it has no effect, because this check is parallel";
    problems.add("warning", text, tree.span, path, message);
  }
  return {
    kind: "check",
    name,
    source,
    command: fields.command,
    ...(rerunCommand == null ? {} : { rerunCommand }),
    ...(workingDirectory == null ? {} : { workingDirectory }),
    ...(inputs == null ? {} : { inputs }),
    parallel,
    failFast: !parallel && (fields.fail_fast ?? false),
    env: readEnv(node),
    ...commonFields(fields),
  };
}

/** Reads a review from its front matter and prompt. */
export function readReviewFile(
  { name, source, file }: GateFile,
  problems: DiagnosticList
): ReviewDefinition | undefined {
  if (source === undefined) return undefined;
  const parts = splitFrontMatter(source.text);
  if (parts === undefined) {
    const message = "the front matter that begins here has no closing line of ---";
    problems.add("error", source, { start: 0, end: 3 }, [], message);
    return undefined;
  }
  const front = new SourceFile(file, parts.yaml);
  const tree = parseYaml(front, problems);
  if (tree === undefined) return undefined;
  const fields = validateNode({ source: front, tree, path: [] }, reviewSchema, problems);
  if (fields === undefined) return undefined;
  const text = parts.body.trim();
  if (text === "") {
    problems.addFile(
      "warning",
      file,
      "it has no prompt: write below the front matter what to look for"
    );
  }
  return review(name, { text }, fields, { file, line: 1, column: 1 });
}

export function readInlineReview(
  name: string,
  node: YamlNode,
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
function readEnv(node: YamlNode): Record<string, string> {
  const tree = child(node, "env")?.tree;
  if (tree?.kind !== "mapping") return {};
  const entries = [...tree.entries].map(([name, { value }]): [string, string] => {
    if (value.kind !== "scalar") return [name, ""];
    return [name, typeof value.value === "string" ? value.value : value.source];
  });
  return Object.fromEntries(entries);
}
