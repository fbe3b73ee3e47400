/** Problems as a tool reports them: with its own paths, and texts of any length. */
import type { Finding, FindingSeverity } from "@/node/services/gauntlet/domain/findings/finding";

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
}

/** Adds up the numbers of tests. */
export function addUp(counts: readonly TestCounts[]): TestCounts {
  const sum = (of: keyof TestCounts): number => counts.reduce((all, one) => all + one[of], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The tests of one tool in one run, added up if it ran several times. */
export interface TestRun extends TestCounts {
  /** The tests that passed, as far as the tool names them. */
  readonly names: readonly NamedTest[];
}

/** Reads an output line by line. Every expression is linear, and what is kept has a limit. */
export interface LineReader {
  read(line: string): void;
  readonly all: readonly RawFinding[];
  /** Absent if the tool runs no tests. Its run is undefined if the tool printed nothing about them. */
  readonly tally?: { readonly run: TestRun | undefined };
}

/** Joins the suites of a test and its name, the outermost first. */
export function testName(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" > ");
}

export interface ParsedReport {
  readonly found: readonly RawFinding[];
  /** Absent if the report has no tests. */
  readonly tests?: TestRun;
  /** Why the report could not be parsed to its end, as the predicate of a sentence. */
  readonly problem?: string;
}

/** Further problems of a report are not read, so that a sort of the rest can still select the most useful ones. */
export const MAX_RAW_FINDINGS = 10_000;

/** By the words and marks of tools. */
const SEVERITIES = new Map<string, FindingSeverity>([
  ...["error", "err", "e", "fatal", "fatal error", "x", "×", "✖"].map(
    (name) => [name, "error"] as const
  ),
  ...["warning", "warn", "w", "!", "⚠"].map((name) => [name, "warning"] as const),
  ...["info", "information", "note", "hint", "message", "none", "i", "ℹ"].map(
    (name) => [name, "info"] as const
  ),
]);

/** Returns the severity that a tool calls `name`. */
export function severityOf(name: string | undefined): FindingSeverity | undefined {
  return SEVERITIES.get(name?.toLowerCase() ?? "");
}

/** Returns a line or column number, or undefined if the text or value is not one. */
export function positionOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}

export type Position = Pick<RawFinding, "file" | "line" | "column">;

/** Returns the position that a tool prints, without numbers that are none. */
export function placeAt(file: string | undefined, line?: unknown, column?: unknown): Position {
  return { file, line: positionOf(line), column: positionOf(column) };
}
