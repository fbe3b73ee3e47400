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

/** The tests of one tool in one run, added up if it ran several times. */
export interface TestRun {
  /** The counts of the tool's own summary; without one, the number of the tests that it named. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
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

/** Returns the severity that a tool calls `name`. */
export function severityOf(name: string | undefined): FindingSeverity | undefined {
  switch (name?.toLowerCase()) {
    case "error":
    case "err":
    case "e":
    case "fatal":
    case "fatal error":
    case "x":
    case "×":
    case "✖":
      return "error";
    case "warning":
    case "warn":
    case "w":
    case "!":
    case "⚠":
      return "warning";
    case "info":
    case "information":
    case "note":
    case "hint":
    case "message":
    case "none":
    case "i":
    case "ℹ":
      return "info";
    default:
      return undefined;
  }
}

/** Returns a line or column number, or undefined if the text or value is not one. */
export function positionOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}
