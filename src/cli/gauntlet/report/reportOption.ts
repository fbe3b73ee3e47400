/** The option `--report FORMAT[=FILE]` (G50). Loads no format. */
import { InvalidArgumentError } from "commander";

/** Each but `github`, which writes to the log and to the summary of a step. */
const FILE_FORMATS = ["markdown", "junit", "sarif", "gitlab", "ctrf", "json", "html"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const REPORT_FORMATS = ["github", ...FILE_FORMATS] as const;

export interface ReportRequest {
  readonly format: "github" | FileFormat;
  /** Absent: standard output. */
  readonly file?: string | undefined;
}

/** Parses one value of the option, and adds it to those before. */
export function reportRequest(
  value: string,
  before: readonly ReportRequest[] = []
): readonly ReportRequest[] {
  const [, name = "", file] = /^([^=]*)(?:=([^]*))?$/.exec(value) ?? [];
  const format = REPORT_FORMATS.find((known) => known === name);
  if (format === undefined) {
    throw new InvalidArgumentError(`Expected ${REPORT_FORMATS.join(" or ")}.`);
  }
  if (file === "") throw new InvalidArgumentError(`Expected a file after ${format}=.`);
  if (format === "github" && file !== undefined) {
    throw new InvalidArgumentError("github has no file: it writes to the log and to the summary.");
  }
  const isPrinted = (request: ReportRequest): boolean =>
    request.format !== "github" && request.file === undefined;
  const request = { format, file };
  if (isPrinted(request) && before.some(isPrinted)) {
    throw new InvalidArgumentError(
      `Only one report can be printed; write the other to a file: ${format}=FILE.`
    );
  }
  return [...before, request];
}

/** Returns the requested reports. In GitHub Actions, `github` is one of them. */
export function withDefaultReports(
  requests: readonly ReportRequest[],
  env: NodeJS.ProcessEnv
): readonly ReportRequest[] {
  const isRequested = requests.some(({ format }) => format === "github");
  return env.GITHUB_ACTIONS === "true" && !isRequested
    ? [...requests, { format: "github" }]
    : requests;
}
