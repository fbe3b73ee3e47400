/** Problems as a tool reports them: with its own paths, and texts of any length. */
import type { FindingSeverity } from "@/node/services/gauntlet/domain/findings/finding";

export interface RawFinding {
  readonly file?: string;
  /** The name of the Go package that contains `file`, if `file` has no folder: `example.com/m/pkg`. */
  readonly goPackage?: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: FindingSeverity;
  readonly rule?: string;
  readonly message: string;
}

export interface ParsedReport {
  readonly found: readonly RawFinding[];
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
      return "error";
    case "warning":
    case "warn":
    case "w":
      return "warning";
    case "info":
    case "information":
    case "note":
    case "hint":
    case "message":
    case "none":
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
