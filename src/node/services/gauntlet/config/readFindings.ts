/** Reads `findings` of a check: a format, a matcher of the project, or a list of both (G37). */
import { posix } from "node:path";
import * as z from "zod/mini";
import { describeError } from "@/common/errors";
import { MAX_MATCHER_CHARS } from "@/common/limits";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { clip, visible } from "@/common/text";
import {
  FINDING_SEVERITIES,
  OUTPUT_FORMATS,
  REPORT_FORMATS,
  type FindingsSource,
  type MatcherPattern,
  type ReportFormat,
} from "@/node/services/gauntlet/domain/findings/finding";
import { didYouMean } from "@/node/services/gauntlet/config/source/didYouMean";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";

const MAX_GROUP = 100;
const MAX_PATTERNS = 10;
const MAX_PROBLEM_CHARS = 300;

const GROUP = "expected the number of a group of the expression";
const group = z.nullish(z.int(GROUP).check(z.minimum(0, GROUP), z.maximum(MAX_GROUP, GROUP)));
const ignored = z.optional(z.unknown());
const SEVERITY = `expected one of ${FINDING_SEVERITIES.join(", ")}`;
const PATTERN = "expected a pattern, as in `{regexp: …, file: 1, line: 2, message: 3}`, or a list";

const patternSchema = z.object(
  {
    regexp: z
      .string("expected a regular expression")
      .check(z.refine(isExpression, { error: explain })),
    ...{ file: group, line: group, column: group, location: group },
    ...{ severity: group, code: group, message: group },
    loop: z.nullish(z.boolean("expected true or false")),
    ...{ kind: ignored, endLine: ignored, endColumn: ignored },
  },
  PATTERN
);

const matcherSchema = z.object(
  {
    pattern: ignored,
    severity: z.nullish(z.enum(FINDING_SEVERITIES, SEVERITY)),
    // Of a task in VS Code; they have no effect here.
    ...{ owner: ignored, source: ignored, fileLocation: ignored, applyTo: ignored },
    ...{ background: ignored, name: ignored, label: ignored },
  },
  PATTERN
);

/**
 * Returns undefined without `findings`, and an empty list for `none`. Adds to `problems` what is wrong. A format with an
 * unknown name is ignored, because a later version may have it: without another entry, the result is undefined as well.
 */
export function readFindings(
  node: SourceNode | undefined,
  problems: DiagnosticList
): readonly FindingsSource[] | undefined {
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return undefined;
  if (node.kind === "scalar" && node.value === "none") return [];
  const items = node.kind === "list" ? node.items : [node];
  const sources = items.flatMap((item) => {
    const source =
      item.kind === "scalar" ? readFormat(item, problems) : readMatcher(item, problems);
    return source ?? [];
  });
  return items.length > 0 && sources.length === 0 ? undefined : sources;
}

function readFormat(node: SourceNode, problems: DiagnosticList): FindingsSource | undefined {
  const text = typeof node.value === "string" ? node.value.trim() : node.written;
  if (text === "none") {
    problems.add("error", node, "expected none alone, not in a list");
    return undefined;
  }
  const colon = text.indexOf(":");
  const name = colon === -1 ? text : text.slice(0, colon);
  const glob = colon === -1 ? undefined : text.slice(colon + 1).trim();
  const output = OUTPUT_FORMATS.find((format) => format === name);
  const report = REPORT_FORMATS.find((format) => format === name);
  if (output === undefined && report === undefined) {
    const formats = [...REPORT_FORMATS, ...OUTPUT_FORMATS];
    problems.add(
      "warning",
      node,
      `expected none, a mapping with "pattern", or one of ${formats.join(", ")}${didYouMean(name, formats)}`
    );
    return undefined;
  }
  const problem = globProblem(report, glob);
  if (problem !== undefined) {
    problems.add("error", node, problem);
    return undefined;
  }
  if (output !== undefined) return { kind: "output", format: output };
  if (report === undefined) return undefined;
  return { kind: "report", format: report, ...(glob === undefined ? {} : { glob }) };
}

/** @param report undefined for a format of output */
function globProblem(
  report: ReportFormat | undefined,
  glob: string | undefined
): string | undefined {
  if (report === undefined)
    return glob === undefined ? undefined : "it has no files, because it is matched in the output";
  if (glob === undefined) return undefined;
  const isInside = !glob.startsWith("/") && !posix.normalize(glob).startsWith("..");
  return glob !== "" && isInside
    ? undefined
    : "expected a glob of files in the folder of the check, without ..";
}

function readMatcher(node: SourceNode, problems: DiagnosticList): FindingsSource | undefined {
  const fields = validateNode(node, matcherSchema, problems);
  const list = node.child("pattern");
  if (fields === undefined) return undefined;
  if (list === undefined || (list.kind === "list" && list.items.length === 0)) {
    problems.add("error", node, PATTERN);
    return undefined;
  }
  const items = list.kind === "list" ? list.items.slice(0, MAX_PATTERNS) : [list];
  const pattern = items.flatMap((item) => {
    const known = validateNode(item, patternSchema, problems);
    return known === undefined ? [] : [withoutNulls(known)];
  });
  const { severity } = fields;
  return {
    kind: "matcher",
    matcher: { pattern, ...(severity == null ? {} : { severity }) },
  };
}

function withoutNulls(fields: z.output<typeof patternSchema>): MatcherPattern {
  const { kind: _kind, endLine: _line, endColumn: _column, regexp, ...groups } = fields;
  const given = Object.entries(groups).filter(([, value]) => value != null);
  return { regexp, ...Object.fromEntries(given) };
}

function isExpression(text: string): boolean {
  return whyInvalid(text) === undefined;
}

function explain({ input }: { readonly input?: unknown }): string {
  return `expected a regular expression: ${whyInvalid(String(input)) ?? ""}`;
}

function whyInvalid(text: string): string | undefined {
  if (text.length > MAX_MATCHER_CHARS) return `it is longer than ${MAX_MATCHER_CHARS} characters`;
  try {
    new RegExp(text);
    return undefined;
  } catch (thrown) {
    return visible(clip(describeError(thrown), MAX_PROBLEM_CHARS));
  }
}
