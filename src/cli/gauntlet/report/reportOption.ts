/** The reports that `--report FORMAT[=FILE]` requests (G50). Loads no format. */
import type { ReportRequest } from "@/node/services/gauntlet/domain/reports";

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
