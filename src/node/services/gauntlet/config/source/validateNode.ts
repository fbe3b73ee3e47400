/** Converts a tree to typed values, or reports everything that is wrong with it (G5). */
import * as z from "zod/mini";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { didYouMean } from "@/node/services/gauntlet/config/source/didYouMean";

/** Compiling code for a schema does not pay in a process that uses the schema once. */
const ONCE = { jitless: true };

/** Returns the typed value of a node, or undefined after adding every problem to `problems`. */
export function validateNode<Shape extends z.ZodMiniType>(
  node: SourceNode,
  schema: Shape,
  problems: DiagnosticList
): z.output<Shape> | undefined {
  reportUnknownKeys(node, schema, problems);
  const parsed = schema.safeParse(node.toPlain(), ONCE);
  if (parsed.success) return parsed.data;
  problems.addIssues("error", node, parsed.error.issues, hintAtValue);
  return undefined;
}

function reportUnknownKeys(
  node: SourceNode,
  schema: z.ZodMiniType,
  problems: DiagnosticList
): void {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodMiniObject) || node.kind !== "mapping") return;
  const shape = inner.shape as Record<string, z.ZodMiniType>;
  for (const child of node.children) {
    const known = Object.hasOwn(shape, child.key) ? shape[child.key] : undefined;
    if (known === undefined) reportUnknownKey(child, Object.keys(shape), problems);
    else reportUnknownKeys(child, known, problems);
  }
}

function reportUnknownKey(
  { key, atKey }: SourceNode,
  known: readonly string[],
  problems: DiagnosticList
): void {
  const hint = didYouMean(key, known);
  if (problems.strict) problems.add("error", atKey, `unknown key${hint}`);
  else problems.add("warning", atKey, `unknown key (ignored)${hint}`);
}

function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  let inner = schema;
  while (inner instanceof z.ZodMiniOptional || inner instanceof z.ZodMiniNullable) {
    inner = inner.def.innerType as z.ZodMiniType;
  }
  return inner;
}

function hintAtValue(issue: z.core.$ZodIssue, found: SourceNode | undefined): string {
  if (issue.code !== "invalid_value" || found?.kind !== "scalar") return "";
  return didYouMean(found.written, issue.values.map(String));
}
