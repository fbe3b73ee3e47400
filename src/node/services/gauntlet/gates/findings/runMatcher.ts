/** Finds problems in output with matchers in the format of VS Code (G37). */
import type { Matcher, MatcherPattern } from "@/node/services/gauntlet/domain/findings/finding";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

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

/** Reads an output line by line. The problems before an interruption are kept. */
export class MatcherRun {
  readonly all: RawFinding[] = [];
  /** The lines of a problem that is not complete. The first `#matched` ones match a pattern each. */
  #pending: string[] = [];
  #matched = 0;
  #before: Captured = {};
  #captured: Captured = {};
  #isInLoop = false;

  constructor(private readonly matcher: CompiledMatcher) {}

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    if (this.#isInLoop && this.#repeats(line)) return;
    this.#isInLoop = false;
    this.#pending.push(line);
    while (this.#matched < this.#pending.length) this.#matchNext();
  }

  /** Matches a line with the last pattern, whose problems share the other lines. */
  #repeats(line: string): boolean {
    const last = this.matcher.patterns.at(-1);
    const groups = last === undefined ? undefined : matchLine(last, line);
    if (last === undefined || groups === undefined) return false;
    this.all.push(toFinding(merge(this.#before, last, groups), this.matcher, line));
    return true;
  }

  #matchNext(): void {
    const { patterns } = this.matcher;
    const pattern = patterns[this.#matched];
    const line = this.#pending[this.#matched];
    const groups =
      pattern === undefined || line === undefined ? undefined : matchLine(pattern, line);
    if (pattern === undefined || groups === undefined) {
      // The problem may begin at the next line.
      this.#restart(this.#pending.slice(1));
      return;
    }
    this.#before = this.#captured;
    this.#captured = merge(this.#captured, pattern, groups);
    this.#matched++;
    if (this.#matched < patterns.length) return;
    this.all.push(toFinding(this.#captured, this.matcher, this.#pending[0] ?? ""));
    const before = this.#before;
    // There are never more lines than patterns.
    this.#restart([]);
    this.#before = before;
    this.#isInLoop = pattern.loop === true;
  }

  #restart(pending: string[]): void {
    this.#pending = pending;
    this.#matched = 0;
    this.#before = {};
    this.#captured = {};
  }
}

function matchLine({ expression }: CompiledPattern, line: string): RegExpExecArray | undefined {
  return expression.exec(line) ?? undefined;
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
