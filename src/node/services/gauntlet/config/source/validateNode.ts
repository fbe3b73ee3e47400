/** Converts a tree to typed values, or reports everything that is wrong with it (G5). */
import * as z from "zod/mini";
import type {
  KeyPath,
  DiagnosticList,
} from "@/node/services/gauntlet/config/source/DiagnosticList";
import type { Span } from "@/node/services/gauntlet/config/source/SourceFile";
import type { YamlNode } from "@/node/services/gauntlet/config/source/YamlNode";
import { didYouMean } from "@/node/services/gauntlet/config/source/didYouMean";
import {
  describeYaml,
  toPlain,
  type YamlTree,
} from "@/node/services/gauntlet/config/source/parseYaml";

/** Compiling code for a schema does not pay in a process that uses the schema once. */
const ONCE = { jitless: true };

/** Returns undefined if anything is wrong; `problems` then has all of it. */
export function validateNode<Shape extends z.ZodMiniType>(
  { source, tree, path }: YamlNode,
  schema: Shape,
  problems: DiagnosticList
): z.output<Shape> | undefined {
  reportUnknownKeys(tree, schema, path, (span, at, known) => {
    const hint = didYouMean(String(at.at(-1)), known);
    problems.addUnknownKey(source, span, at, hint);
  });
  const parsed = schema.safeParse(toPlain(tree), ONCE);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const { span, found } = descend({ keySpan: tree.span, value: tree }, issue.path);
    const message =
      found === undefined
        ? `missing: ${issue.message}`
        : `${issue.message}, found ${describeYaml(found)}${hintAtValue(issue, found)}`;
    problems.add("error", source, span, [...path, ...issue.path], message);
  }
  return undefined;
}

type ReportKey = (span: Span, path: KeyPath, known: readonly string[]) => void;

function reportUnknownKeys(
  tree: YamlTree,
  schema: z.ZodMiniType,
  path: KeyPath,
  report: ReportKey
): void {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodMiniObject) || tree.kind !== "mapping") return;
  const shape = inner.shape as Record<string, z.ZodMiniType>;
  for (const [key, { keySpan, value }] of tree.entries) {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined) report(keySpan, [...path, key], Object.keys(shape));
    else reportUnknownKeys(value, known, [...path, key], report);
  }
}

function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  let inner = schema;
  while (inner instanceof z.ZodMiniOptional || inner instanceof z.ZodMiniNullable) {
    inner = inner.def.innerType as z.ZodMiniType;
  }
  return inner;
}

/** Follows a path. Without `found`, the last part is missing, and the span is that of the key above it. */
function descend(
  from: { keySpan: Span; value: YamlTree },
  path: readonly PropertyKey[]
): { span: Span; found?: YamlTree } {
  const [step, ...rest] = path;
  const { value, keySpan } = from;
  if (step === undefined) {
    const isEmpty = value.span.end === value.span.start;
    return { span: isEmpty ? keySpan : value.span, found: value };
  }
  if (value.kind === "list" && typeof step === "number") {
    const item = value.items[step];
    return item === undefined
      ? { span: keySpan }
      : descend({ keySpan: item.span, value: item }, rest);
  }
  const entry = value.kind === "mapping" ? value.entries.get(String(step)) : undefined;
  return entry === undefined ? { span: keySpan } : descend(entry, rest);
}

function hintAtValue(issue: z.core.$ZodIssue, found: YamlTree): string {
  if (issue.code !== "invalid_value" || found.kind !== "scalar") return "";
  return didYouMean(found.source, issue.values.map(String));
}
