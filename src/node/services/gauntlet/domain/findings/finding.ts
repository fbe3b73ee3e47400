/**
 * Defines findings, the problems that checks report, the formats and matchers that they are read with, and the file and
 * variable of a check's JUnit report (G37).
 */

export type FindingSeverity = "error" | "warning" | "info";
export const FINDING_SEVERITIES: readonly FindingSeverity[] = ["error", "warning", "info"];

/** One problem. All texts are on one line, without control characters. */
export interface Finding {
  /** Relative to the project root; absolute if it is outside of the project. Absent if the tool names no file. */
  readonly file?: string;
  /** From 1, as is `column`. */
  readonly line?: number;
  readonly column?: number;
  readonly severity: FindingSeverity;
  /** Such as `no-unused-vars`, `TS2322` or the name of a test. */
  readonly rule?: string;
  /** Of a test: its suite path and name, by which another run of it is recognized (`testName`). */
  readonly test?: string;
  /** Of a test: its own file, if it failed in another one. */
  readonly testFile?: string;
  readonly message: string;
}

/** Files that a command writes, in their format. */
export const CHECK_REPORT_FORMATS = [
  "junit",
  "sarif",
  "eslint-json",
  "ruff-json",
  "golangci-json",
] as const;
export type ReportFormat = (typeof CHECK_REPORT_FORMATS)[number];

/** The variable with the path of the JUnit report that a check without a glob may write: beside its log (G37). */
export const REPORT_VARIABLE = "GAUNTLET_REPORT";

/** Returns the path of that report, given the path of the check's log. */
export function reportPath(logPath: string): string {
  return logPath.replace(/log$/, "junit.xml");
}

/** Test runners, whose output names tests. */
export const TEST_FORMATS = [
  "jest",
  "vitest",
  "mocha",
  "ava",
  "node-test",
  "bun-test",
  "playwright",
  "pytest",
  "go",
  "rustc",
  "rspec",
  "minitest",
  "phpunit",
  "surefire",
  "gradle",
  "dotnet",
] as const;

/** Formats of output that built-in patterns match. */
export const OUTPUT_FORMATS = [
  "tsc",
  "eslint-stylish",
  "eslint-unix",
  "eslint-pretty",
  "biome",
  "oxlint",
  "prettier",
  "ruff",
  "mypy",
  "pyright",
  ...TEST_FORMATS,
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** One line of a problem matcher of VS Code. The numbers are those of groups of the expression. */
export interface MatcherPattern {
  readonly regexp: string;
  readonly file?: number;
  readonly line?: number;
  readonly column?: number;
  /** A group with `line`, `line,column` or `line,column,endLine,endColumn`. */
  readonly location?: number;
  readonly severity?: number;
  readonly code?: number;
  readonly message?: number;
  /** For the last pattern: it may match several lines, each a problem. */
  readonly loop?: boolean;
}

/** A problem matcher in the format of VS Code. */
export interface Matcher {
  /** The severity of problems without one; the default is `error`. */
  readonly severity?: FindingSeverity;
  /** The patterns of consecutive lines. */
  readonly pattern: readonly MatcherPattern[];
}

/** One entry of `findings` in a check. */
export type FindingsSource =
  | {
      readonly kind: "report";
      readonly format: ReportFormat;
      /** Relative to the folder of the check. Absent: `GAUNTLET_REPORT` for JUnit, else standard output. */
      readonly glob?: string;
    }
  | { readonly kind: "output"; readonly format: OutputFormat }
  | { readonly kind: "matcher"; readonly matcher: Matcher };

/** Returns whether the findings are in a file that the command writes. */
export function isReportFile(source: FindingsSource): boolean {
  return source.kind === "report" && (source.glob !== undefined || source.format === "junit");
}

/** Returns the findings in the files that `isIncluded` selects, such as those that changed. */
export function findingsIn(
  findings: readonly Finding[] | undefined,
  isIncluded: (file: string) => boolean
): Finding[] {
  return (findings ?? []).filter(({ file }) => file !== undefined && isIncluded(file));
}
