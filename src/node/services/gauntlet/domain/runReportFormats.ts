/**
 * Lists the formats of the reports about a run, with their files in the log folder, and parses `FORMAT` or
 * `FORMAT=FILE` of `--report` and of the key `report` (G50).
 */

/** The file in the log folder, by format. `github` has none: it writes to the log and to the summary of a step. */
export const REPORT_FILES = {
  markdown: "report.md",
  junit: "report.junit.xml",
  sarif: "report.sarif",
  gitlab: "report.gitlab.json",
  ctrf: "report.ctrf.json",
  json: "report.findings.json",
  html: "report.html",
} as const;
export type FileFormat = keyof typeof REPORT_FILES;
const FILE_FORMATS = Object.keys(REPORT_FILES) as FileFormat[];

export const REPORT_FORMATS = ["github", ...FILE_FORMATS] as const;

export interface ReportRequest<Format = "github" | FileFormat> {
  readonly format: Format;
  /** Absent: standard output, or for a key of the configuration the log folder. */
  readonly file?: string | undefined;
}

/** Returns the request, or what is expected instead, as a sentence. */
export function parseReport(value: string): ReportRequest | string {
  const [, name = "", file] = /^([^=]*)(?:=([^]*))?$/.exec(value) ?? [];
  const format = REPORT_FORMATS.find((known) => known === name);
  if (format === undefined) return `Expected ${REPORT_FORMATS.join(" or ")}.`;
  if (file === "") return `Expected a file after ${format}=.`;
  if (format === "github" && file !== undefined) {
    return "github has no file: it writes to the log and to the summary.";
  }
  return { format, file };
}

/** Returns the request of a configuration, which names a file of the project or none, or undefined for another text. */
export function configuredReport(value: string): ReportRequest<FileFormat> | undefined {
  const request = parseReport(value);
  if (typeof request === "string" || request.format === "github") return undefined;
  const { format, file } = request;
  const isFile = file === undefined || !/^\/|\/$|(?:^|\/)\.{0,2}(?:\/|$)|\p{Cc}/u.test(file);
  return isFile && !/^\.(?:git|gauntlet)\//i.test(file ?? "") ? { format, file } : undefined;
}
