/** Finds problems in output with matchers in the format of VS Code (G37). */
import type { Matcher, MatcherPattern } from "@/node/services/gauntlet/domain/finding";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/rawFinding";

export interface CompiledMatcher extends Pick<Matcher, "severity"> {
  readonly patterns: readonly CompiledPattern[];
}

interface CompiledPattern extends MatcherPattern {
  readonly expression: RegExp;
}

/** The texts that the groups of a problem's lines have captured so far. */
type Captured = Partial<
  Record<"file" | "line" | "column" | "location" | "severity" | "code" | "message", string>
>;

const GROUPS = ["file", "line", "column", "location", "severity", "code", "message"] as const;

/** Throws if an expression is invalid, which the configuration has ruled out. */
export function compileMatcher({ severity, pattern }: Matcher): CompiledMatcher {
  const patterns = pattern.map((one) => ({ ...one, expression: new RegExp(one.regexp) }));
  return severity === undefined ? { patterns } : { severity, patterns };
}

/** Adds the problems to `found` one by one, so that those before an interruption are kept. */
export function runMatcher(
  matcher: CompiledMatcher,
  lines: readonly string[],
  found: RawFinding[]
): void {
  let i = 0;
  while (i < lines.length && found.length < MAX_RAW_FINDINGS) i = matchAt(matcher, lines, i, found);
}

/** Returns the index of the next line to match. */
function matchAt(
  matcher: CompiledMatcher,
  lines: readonly string[],
  start: number,
  found: RawFinding[]
): number {
  const { patterns } = matcher;
  let before: Captured = {};
  let captured: Captured = {};
  for (const [k, pattern] of patterns.entries()) {
    const groups = matchLine(pattern, lines[start + k]);
    if (groups === undefined) return start + 1;
    before = captured;
    captured = merge(captured, pattern, groups);
  }
  found.push(toFinding(captured, matcher, lines[start] ?? ""));
  let next = start + patterns.length;
  const last = patterns.at(-1);
  while (last?.loop === true && found.length < MAX_RAW_FINDINGS) {
    const groups = matchLine(last, lines[next]);
    if (groups === undefined) break;
    found.push(toFinding(merge(before, last, groups), matcher, lines[next] ?? ""));
    next++;
  }
  return next;
}

function matchLine(
  { expression }: CompiledPattern,
  line: string | undefined
): RegExpExecArray | undefined {
  return line === undefined ? undefined : (expression.exec(line) ?? undefined);
}

function merge(captured: Captured, pattern: MatcherPattern, groups: RegExpExecArray): Captured {
  const merged = { ...captured };
  for (const name of GROUPS) {
    const group = pattern[name];
    const text = group === undefined ? undefined : groups[group];
    if (text === undefined || text === "") continue;
    merged[name] =
      name === "message" && merged.message !== undefined ? `${merged.message} ${text}` : text;
  }
  return merged;
}

function toFinding(captured: Captured, { severity }: CompiledMatcher, text: string): RawFinding {
  const { file, location, code, message = text } = captured;
  const [atLine, atColumn] = location?.split(",") ?? [];
  const line = positionOf(captured.line ?? atLine);
  const column = positionOf(captured.column ?? atColumn);
  return {
    ...(file === undefined ? {} : { file: file.trim() }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    severity: severityOf(captured.severity) ?? severity ?? "error",
    ...(code === undefined ? {} : { rule: code }),
    message,
  };
}
