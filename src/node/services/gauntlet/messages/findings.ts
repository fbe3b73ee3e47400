/** Texts about the findings of a check (G37). */
import { plural } from "@/common/text";

// Why a report has no findings, as the predicate of a sentence whose subject is the report.

export const NOT_THIS_FORMAT = "does not have this format";
export const NESTED_TOO_DEEPLY = "is nested too deeply";

export function notParsed(why: string): string {
  return `cannot be parsed: ${why}`;
}

export function notReadable(why: string): string {
  return `cannot be read: ${why}`;
}

/** @param limit such as `8 MiB` */
export function reportTooLarge(limit: string): string {
  return `is larger than ${limit}`;
}

export const REPORT_OUTSIDE = "is ignored, because it is outside of the project or a symbolic link";

/** Appears if the command wrote more reports than are read. */
export function tooManyReports(limit: number): string {
  return `matches more than ${limit} files; only these are read`;
}

/** Appears if the command ended without a new report. */
export const NO_REPORT = "matches no file that the command wrote";

/** @param subject a path, a glob or a format; `why` is the predicate */
export function reportProblem(subject: string, why: string): string {
  return `${subject} ${why}`;
}

export const STANDARD_OUTPUT = "the output";

export function patternTooSlow(limitMs: number): string {
  return `the patterns of "findings" took longer than ${limitMs} ms, so the rest of the output was not matched`;
}

/** The warning of a run. */
export function findingsIncomplete(jobId: string, why: string): string {
  return `${jobId}: its findings are incomplete: ${why}`;
}

// The list for the agent.

/** The line above the findings of a gate in the reason. */
export function findingsHeading(count: number, files: number, path: string | undefined): string {
  const list = path === undefined ? "" : `; full list: ${path}`;
  return `  ${plural(count, "finding")}${files === 0 ? "" : ` in ${plural(files, "file")}`}${list}`;
}

/** @param files the number of files with findings of which none is shown */
export function moreFindings(count: number, files: number): string {
  const others = files === 0 ? "" : `; ${plural(files, "file")} with findings not named here`;
  return `… and ${plural(count, "more finding")}${others}`;
}

/** The last line of the list if a check reported more than it can have. */
export function findingsLeftOut(count: number): string {
  return `${plural(count, "finding")} more, not listed`;
}
