/**
 * Reads and validates the key `findings` of a check: `none`, a format, a problem matcher as in VS Code, or a list of
 * formats and matchers (G37).
 */
import { posix } from "node:path";
import * as z from "zod/mini";
import { MAX_MATCHER_CHARS } from "@/common/limits";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { regExpProblem } from "@/common/safeText";
import {
  FINDING_SEVERITIES,
  OUTPUT_FORMATS,
  CHECK_REPORT_FORMATS,
  type FindingsSource,
} from "@/node/services/gauntlet/domain/findings/finding";
import { noEffect, optional, section } from "@/node/services/gauntlet/domain/configSchemas";
import { didYouMean, validateNode } from "@/node/services/gauntlet/config/source/validateNode";

const MAX_GROUP = 100;
const MAX_PATTERNS = 10;

const GROUP = "expected the number of a group of the expression";
const group = optional(z.int(GROUP).check(z.minimum(0, GROUP), z.maximum(MAX_GROUP, GROUP)));
const SEVERITY = `expected one of ${FINDING_SEVERITIES.join(", ")}`;
const PATTERN =
  "expected a pattern, as in `{regexp: …, file: 1, line: 2, message: 3}`, or a list of at most 10";

const patternSchema = section(
  {
    regexp: z
      .string("expected a regular expression")
      .check(z.refine((text) => whyInvalid(text) === undefined, { error: explain })),
    ...{ file: group, line: group, column: group, location: group },
    ...{ severity: group, code: group, message: group },
    loop: optional(z.boolean("expected true or false")),
    ...{ kind: noEffect, endLine: noEffect, endColumn: noEffect },
  },
  PATTERN
);

const matcherSchema = section(
  {
    pattern: noEffect,
    severity: optional(z.enum(FINDING_SEVERITIES, SEVERITY)),
    // Keys of a task in VS Code, which have no effect here.
    ...{ owner: noEffect, source: noEffect, fileLocation: noEffect, applyTo: noEffect },
    ...{ background: noEffect, name: noEffect, label: noEffect },
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
  const sources = items.flatMap(
    (item) => (item.kind === "scalar" ? readFormat : readMatcher)(item, problems) ?? []
  );
  return items.length > 0 && sources.length === 0 ? undefined : sources;
}

function readFormat(node: SourceNode, problems: DiagnosticList): FindingsSource | undefined {
  const reject = (message: string): FindingsSource | undefined => {
    problems.add("error", node, message);
    return undefined;
  };
  const text = typeof node.value === "string" ? node.value.trim() : node.written;
  if (text === "none") return reject("expected none alone, not in a list");
  const [, name = "", after] = /^([^:]*)(?::([^]*))?$/.exec(text) ?? [];
  const glob = after?.trim();
  const output = OUTPUT_FORMATS.find((known) => known === name);
  if (output !== undefined) {
    return glob === undefined
      ? { kind: "output", format: output }
      : reject("it has no files, because it is matched in the output");
  }
  const format = CHECK_REPORT_FORMATS.find((known) => known === name);
  if (format === undefined) {
    const formats = [...CHECK_REPORT_FORMATS, ...OUTPUT_FORMATS];
    problems.add(
      "warning",
      node,
      `expected none, a mapping with "pattern", or one of ${formats.join(", ")}${didYouMean(name, formats)}`
    );
    return undefined;
  }
  if (glob === "" || glob?.startsWith("/") || posix.normalize(glob ?? "").startsWith(".."))
    return reject("expected a glob of files in the folder of the check, without ..");
  return { kind: "report", format, glob };
}

function readMatcher(node: SourceNode, problems: DiagnosticList): FindingsSource | undefined {
  const fields = validateNode(node, matcherSchema, problems);
  if (fields === undefined) return undefined;
  const list = node.child("pattern");
  const items = list === undefined || list.kind === "list" ? (list?.items ?? []) : [list];
  if (items.length === 0 || items.length > MAX_PATTERNS) {
    problems.add("error", node, PATTERN);
    return undefined;
  }
  const pattern = items.flatMap((item) => validateNode(item, patternSchema, problems) ?? []);
  return { kind: "matcher", matcher: { pattern, severity: fields.severity } };
}

function explain({ input }: { readonly input?: unknown }): string {
  return `expected a regular expression: ${whyInvalid(String(input)) ?? ""}`;
}

function whyInvalid(text: string): string | undefined {
  if (text.length > MAX_MATCHER_CHARS) return `it is longer than ${MAX_MATCHER_CHARS} characters`;
  return regExpProblem(text);
}
