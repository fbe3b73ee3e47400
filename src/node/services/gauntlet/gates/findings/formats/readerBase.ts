/**
 * The types and the code that all readers of a tool's output share: findings, before their paths are resolved and their
 * texts are shortened; the names and numbers of tests; the base class for test runners; and the meaning of the tools'
 * words for severities and outcomes.
 */
import type { Finding, FindingSeverity } from "@/node/services/gauntlet/domain/findings/finding";

/** A finding with the path and the texts of the tool. */
export interface RawFinding extends Finding {
  /** The name of the Go package that contains `file`, if `file` has no folder: `example.com/m/pkg`. */
  readonly goPackage?: string;
}

/** A test that a tool names. */
export interface NamedTest {
  /** As the tool prints it. */
  readonly file?: string;
  /** {@link testName}. */
  readonly test: string;
}

/** The counts of a tool's own summary; without one, the number of the tests that it named. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The number of failed tests without a finding. Absent until findings and tests are compared. */
  readonly unseen?: number;
  /** Whether tests passed, or may have, that the tool neither names nor counts. */
  readonly isPartial?: boolean | undefined;
}

/** Adds up the numbers of tests. Leaves out invalid numbers, because an output may be of another program. */
export function addUp(counts: readonly (Partial<TestCounts> | undefined)[]): TestCounts {
  const sum = (kind: "passed" | "failed" | "skipped"): number =>
    counts.reduce((all, one) => all + (positionOf(one?.[kind]) ?? 0), 0);
  const isPartial = counts.some((one) => one?.isPartial === true) || undefined;
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped"), isPartial };
}

/** The tests of one tool in one run, added up if it ran several times. */
export interface TestRun extends TestCounts {
  /** The tests that passed, as far as the tool names them. */
  readonly names: readonly NamedTest[];
}

/** A reader of an output, line by line. Every expression is linear, and what is kept has a limit. */
export interface LineReader {
  read(line: string): void;
  readonly all: readonly RawFinding[];
  /** Absent if the tool runs no tests. Its run is undefined if the tool printed nothing about them. */
  readonly tally?: { readonly run: TestRun | undefined };
  /** Whether it stopped before the end, although it has fewer problems than {@link MAX_RAW_FINDINGS}. */
  readonly hasMore?: boolean;
}

/** Joins the suites of a test and its name, the outermost first. */
export function testName(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" > ");
}

export interface ParsedReport {
  readonly found: readonly RawFinding[];
  /** Absent if the report has no tests. */
  readonly tests?: TestRun | undefined;
  /** Why the report could not be parsed to its end, as the predicate of a sentence. */
  readonly problem?: string;
  /** Whether there may be more problems than these. */
  readonly hasMore?: boolean;
}

/** Further problems of a report are not read, so that a sort of the rest can still select the most useful ones. */
export const MAX_RAW_FINDINGS = 10_000;

/** The words and marks of tools. */
const SEVERITIES = {
  error: ["error", "err", "e", "fatal", "fatal error", "x", "×", "✖"],
  warning: ["warning", "warn", "w", "!", "⚠"],
  info: ["info", "information", "note", "hint", "message", "none", "i", "ℹ"],
};

/** Returns the severity that a tool calls `name`. */
export function severityOf(name: string | undefined): FindingSeverity | undefined {
  return kindOf(name?.toLowerCase(), SEVERITIES);
}

function kindOf<Kind extends string>(
  word: string | undefined,
  kinds: Readonly<Record<Kind, readonly string[]>>
): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].some((known) => known === word));
}

/** Returns a line or column number, or undefined if the text or value is not one. */
export function positionOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}

export type Position = Pick<RawFinding, "file" | "line" | "column">;

/** Returns the position that a tool prints, without values that are not a line or a column. */
export function placeAt(file: string | undefined, line?: unknown, column?: unknown): Position {
  return { file, line: positionOf(line), column: positionOf(column) };
}

/** The words of summaries, by what they count. Pytest's errors are those of fixtures and of files. */
const WORDS = {
  passed: ["passed", "passing", "pass", "flaky", "xpassed"],
  failed: ["failed", "failing", "fail", "cancelled", "interrupted", "error", "errors"],
  skipped: ["skipped", "skip", "pending", "todo", "did not run", "xfailed"],
};

/** The tests of an output, added up: those that the tool names, and the counts of its summaries. */
export class TestTally {
  readonly #passed: NamedTest[] = [];
  readonly #failed = new Set<string>();
  #summed: TestCounts | undefined;
  /** The tests that were named since the last summary, which counts them as well. */
  #named: TestCounts | undefined;
  /** The number of names that a summary follows. */
  #confirmed = 0;

  /** @param needsSummary whether a test counts only when a summary follows, because other tools print such lines */
  constructor(private readonly needsSummary = false) {}

  get run(): TestRun | undefined {
    if (this.needsSummary) {
      return this.#summed && { ...this.#summed, names: this.#passed.slice(0, this.#confirmed) };
    }
    if (this.#summed === undefined && this.#named === undefined) return undefined;
    const passed = new Map(this.#passed.map((one) => [one.test, one]));
    for (const test of this.#failed) passed.delete(test);
    return { ...addUp([this.#summed, this.#named]), names: [...passed.values()] };
  }

  pass(test: NamedTest): void {
    this.#named = addUp([this.#named, { passed: 1 }]);
    if (this.#passed.length < MAX_RAW_FINDINGS) this.#passed.push(test);
  }

  /** Ensures that `names` does not have the test, even if another run of it passed. */
  fail(test: string): void {
    this.#named = addUp([this.#named, { failed: 1 }]);
    if (this.#failed.size < MAX_RAW_FINDINGS) this.#failed.add(test);
  }

  skip(): void {
    this.#named = addUp([this.#named, { skipped: 1 }]);
  }

  /** Forgets all but the last tests since the last summary, because others are those of another tool. */
  keepNames(count: number): void {
    const others = this.#passed.length - this.#confirmed - count;
    if (others > 0) this.#passed.splice(this.#confirmed, others);
  }

  /** Adds the counts of a summary. They replace those of the tests that were named before it. */
  sum(counts: Partial<TestCounts>): void {
    this.#summed = addUp([this.#summed, counts]);
    this.#named = undefined;
    this.#confirmed = this.#passed.length;
  }

  /** Adds a number of a summary. Ignores words that count something else. */
  sumWord(count: string | undefined, word = ""): void {
    const kind = kindOf(word, WORDS);
    if (kind !== undefined) this.sum({ [kind]: Number(count) });
  }

  /** Adds a summary such as `5 failed, 1 skipped, 2 passed`. */
  sumWords(summary: string, separator: string): void {
    for (const part of summary.split(separator)) {
      const [, count, word] = /^(\S+) (.*)$/.exec(part.trim()) ?? [];
      this.sumWord(count, word);
    }
  }
}

const MAX_MESSAGE_LINES = 6;

/** A failure whose lines are being read. */
export interface OpenFailure {
  readonly rule?: string;
  readonly test?: string;
  readonly severity?: RawFinding["severity"];
  /** The class of a JVM test. */
  readonly className?: string;
  readonly message: string[];
  place: Position;
  /** Whether the lines are those of the message. */
  part: "before" | "message" | "after";
}

/** The base of readers that read the lines of one failure at a time. */
export abstract class TestReader implements LineReader {
  readonly tally = new TestTally();
  protected readonly found: RawFinding[] = [];
  protected failure: OpenFailure | undefined;

  get all(): RawFinding[] {
    return this.failure === undefined ? this.found : [...this.found, this.toFinding(this.failure)];
  }

  read(line: string): void {
    if (this.found.length < MAX_RAW_FINDINGS) this.readLine(line);
  }

  protected abstract readLine(line: string): void;

  protected begin(failure: Partial<OpenFailure>): void {
    this.end();
    this.failure = { message: [], place: {}, part: "message", ...failure };
  }

  protected end(): void {
    if (this.failure !== undefined) this.add(this.toFinding(this.failure));
    this.failure = undefined;
  }

  /** Counts a test, whose failure begins here if it failed. `outcome` is a word such as `PASSED`. */
  protected endTest(
    outcome: string | undefined,
    test: Partial<OpenFailure> & { test: string }
  ): void {
    this.end();
    const kind = kindOf(outcome?.toLowerCase(), WORDS);
    if (kind === "failed") this.begin(test);
    else if (kind === "skipped") this.tally.skip();
    else this.tally.pass({ test: test.test });
  }

  protected add(finding: RawFinding): void {
    this.found.push(finding);
    if (finding.test !== undefined && finding.severity === "error") this.tally.fail(finding.test);
  }

  protected toFinding({ severity = "error", rule, test, message, place }: OpenFailure): RawFinding {
    return { ...place, severity, rule, test, message: message.join(" ") || "failed" };
  }

  /** Adds the counts of a summary. @param run the number of all tests */
  protected sum(run: unknown, failed: number, skipped: unknown = 0): void {
    const passed = Number(run) - failed - Number(skipped);
    this.tally.sum({ passed, failed, skipped: Number(skipped) });
  }
}

/** Adds a line to the message of a failure, unless it is empty or the message has enough. */
export function addLine({ message }: OpenFailure, line: string): void {
  const text = line.trim();
  if (text !== "" && message.length < MAX_MESSAGE_LINES) message.push(text);
}

/** Sets the position of a failure, unless it has one. */
export function setPlace(failure: OpenFailure, file: string | undefined, line: unknown): void {
  if (failure.place.file === undefined) failure.place = placeAt(file, line);
}
