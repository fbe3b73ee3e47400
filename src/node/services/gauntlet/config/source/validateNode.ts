/**
 * Converts a YAML tree to typed values, or reports all problems. An unknown key is a warning, or an error if the caller
 * is strict. Suggests the right word for a misspelled one (G5).
 */
import { distance } from "fastest-levenshtein";
import * as z from "zod/mini";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";

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
    if (known !== undefined) {
      reportUnknownKeys(child, known, problems);
      continue;
    }
    const hint = didYouMean(child.key, Object.keys(shape));
    if (problems.strict) problems.add("error", child.atKey, `unknown key${hint}`);
    else problems.add("warning", child.atKey, `unknown key (ignored)${hint}`);
  }
}

function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodMiniPipe) inner = inner.def.in as z.ZodMiniType;
    else if (inner instanceof z.ZodMiniOptional || inner instanceof z.ZodMiniNullable)
      inner = inner.def.innerType as z.ZodMiniType;
    else return inner;
  }
}

function hintAtValue(issue: z.core.$ZodIssue, found: SourceNode | undefined): string {
  if (issue.code !== "invalid_value" || found?.kind !== "scalar") return "";
  return didYouMean(found.written, issue.values.map(String));
}

/** Longer words are not compared, because the time is quadratic. */
const MAX_WORD_CHARS = 64;

/** Edits that a suggestion may need. A swap of two neighbors counts as two. */
const MAX_EDITS = 3;

/**
 * Returns the candidate that a person most likely meant: `baseBranch` → `base_branch`, `entry_point` → `entry_points`.
 * At most half of the letters may differ.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined;
  const wanted = fold(word);
  let best: string | undefined;
  let least = Math.min(Math.floor(wanted.length / 2), MAX_EDITS) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD_CHARS) continue;
    const edits = distance(wanted, fold(candidate));
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Returns `; did you mean "lint"?`, or an empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined || meant === word ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, "");
}
