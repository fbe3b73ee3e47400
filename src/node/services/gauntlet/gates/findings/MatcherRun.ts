/**
 * Finds problems in output with matchers, which have a regular expression for each line of a problem: those of a
 * project, in the format of VS Code's problem matchers, and built-in ones (G37).
 */
import type { Matcher } from "@/node/services/gauntlet/domain/findings/finding";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const GROUPS = ["file", "line", "column", "location", "severity", "code", "message"] as const;

/** The texts that the groups of a problem's lines have captured so far. */
type Captured = Partial<Record<(typeof GROUPS)[number], string>>;

interface CompiledPattern {
  readonly expression: RegExp;
  readonly capture: (match: RegExpExecArray) => Captured;
  /** Whether it may match several lines, each a problem, if it is the last one. */
  readonly loop: boolean;
}

export interface CompiledMatcher extends Pick<Matcher, "severity"> {
  readonly patterns: readonly CompiledPattern[];
}

/** Compiles a matcher of a project. Throws if an expression is invalid, which the configuration has ruled out. */
export function compileMatcher({ severity, pattern }: Matcher): CompiledMatcher {
  const patterns = pattern.map((one) => ({
    expression: new RegExp(one.regexp),
    capture: (match: RegExpExecArray): Captured =>
      Object.fromEntries(GROUPS.map((name) => [name, match[one[name] ?? Infinity]])),
    loop: one.loop === true,
  }));
  return { severity, patterns };
}

/** An expression for each line of a problem, whose groups have the names of {@link Captured}. */
export type BuiltinMatcher =
  | RegExp
  | readonly RegExp[]
  /** The last line may occur several times, each a problem. */
  | { readonly repeated: readonly RegExp[] };

/** Compiles a matcher of a known tool. */
export function compileBuiltin(matcher: BuiltinMatcher): CompiledMatcher {
  const loop = "repeated" in matcher;
  const lines = loop ? matcher.repeated : [matcher].flat();
  const capture = ({ groups = {} }: RegExpExecArray): Captured => groups;
  return { patterns: lines.map((expression) => ({ expression, capture, loop })) };
}

/** Reads an output line by line. The problems before an interruption are kept. */
export class MatcherRun implements reader.LineReader {
  readonly all: reader.RawFinding[] = [];
  readonly #seen = new Set<string>();
  /** The lines of a problem that is not complete. The first `#matched` ones match a pattern each. */
  #pending: string[] = [];
  #matched = 0;
  /** The texts without those of the last line, which may occur several times. */
  #before: Captured = {};
  #captured: Captured = {};
  #isInLoop = false;

  /** @param isRepeated whether the tool prints its problems again at its end */
  constructor(
    private readonly matcher: CompiledMatcher,
    private readonly isRepeated = false
  ) {}

  read(line: string): void {
    if (this.all.length >= reader.MAX_RAW_FINDINGS) return;
    if (this.#isInLoop && this.#repeats(line)) return;
    this.#isInLoop = false;
    this.#pending.push(line);
    while (this.#matched < this.#pending.length) this.#matchNext();
  }

  /** Matches a line with the last pattern, whose problems share the other lines. */
  #repeats(line: string): boolean {
    const last = this.matcher.patterns.at(-1);
    const match = last?.expression.exec(line);
    if (last === undefined || match == null) return false;
    this.#add(merge(this.#before, last.capture(match)), line);
    return true;
  }

  #matchNext(): void {
    const { patterns } = this.matcher;
    const pattern = patterns[this.#matched];
    const match = pattern?.expression.exec(this.#pending[this.#matched] ?? "");
    if (pattern === undefined || match == null) {
      // The problem may begin at the next line.
      this.#restart(this.#pending.slice(1));
      return;
    }
    this.#before = this.#captured;
    this.#captured = merge(this.#captured, pattern.capture(match));
    this.#matched++;
    if (this.#matched < patterns.length) return;
    this.#add(this.#captured, this.#pending[0] ?? "");
    const before = this.#before;
    // There are never more lines than patterns.
    this.#restart([]);
    this.#before = before;
    this.#isInLoop = pattern.loop;
  }

  #restart(pending: string[]): void {
    this.#pending = pending;
    this.#matched = 0;
    this.#before = {};
    this.#captured = {};
  }

  #add({ file, location, severity, code, message, ...at }: Captured, text: string): void {
    const [line, column] = location?.split(",") ?? [];
    const finding = {
      ...reader.placeAt(file?.trim(), at.line ?? line, at.column ?? column),
      severity: reader.severityOf(severity) ?? this.matcher.severity ?? "error",
      rule: code,
      message: message ?? text,
    };
    const key = JSON.stringify(finding);
    if (!this.isRepeated || !this.#seen.has(key)) this.all.push(finding);
    this.#seen.add(key);
  }
}

function merge(captured: Captured, more: Captured): Captured {
  const merged = { ...captured };
  for (const name of GROUPS) {
    const text = more[name];
    if (text === undefined || text === "") continue;
    merged[name] =
      name === "message" && merged.message !== undefined ? `${merged.message} ${text}` : text;
  }
  return merged;
}
