/** The reports that `--report FORMAT[=FILE]` requests (G50). Loads no format. */

/** Each but `github`, which writes to the log and to the summary of a step. */
const FILE_FORMATS = ["markdown", "junit", "sarif", "gitlab", "ctrf", "json", "html"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const REPORT_FORMATS = ["github", ...FILE_FORMATS] as const;

export interface ReportRequest {
  readonly format: "github" | FileFormat;
  /** Absent: standard output. */
  readonly file?: string | undefined;
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
