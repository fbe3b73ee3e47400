/** Records failures that are older than the work, and prints a line about each check (G44). */
import type { CliContext } from "@/cli/context";
import { analyzeCheck } from "@/cli/gauntlet/init/detect/splitChecks";
import { withHome } from "@/cli/gauntlet/personOnly";
import { pathForUser } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { plural, visible } from "@/common/text";
import {
  recordKnown,
  type RecordEnd,
  type RecordRequest,
} from "@/node/services/gauntlet/run/known/recordKnown";

type Request = Omit<RecordRequest, "env" | "now" | "analyze" | "onStart" | "onEnd">;

/** Records the failures of checks, and prints the result of each. */
export async function recordAndPrint(request: Request, context: CliContext) {
  const { runtime, projectDir } = request;
  const { stdout } = context;
  return await recordKnown({
    ...request,
    env: withHome(context),
    now: () => new Date(),
    analyze: async (job) => await analyzeCheck(runtime, projectDir, job),
    onStart: ({ id, gate: { command } }) =>
      void stdout.write(`Running ${visible(id)} twice: ${visible(command)}\n`),
    onEnd: (end) => void stdout.write(`${describe(end, context)}\n`),
  });
}

function describe(end: RecordEnd, context: CliContext): string {
  const { green, yellow } = styleFor(context.stdout, context.env);
  const name = visible(end.job.id);
  if (end.kind === "passed") return `${green("✓")} ${name} passes`;
  if (end.kind === "refused") {
    return `${yellow("-")} ${name} fails, but its failures are not recorded: ${visible(end.why)}`;
  }
  const { count, flaky, commit, path } = end;
  const also =
    flaky === 0 ? "" : `, and ${plural(flaky, "flaky failure")} that will be tried again`;
  return `${green("✓")} ${name}: ${plural(count, "failure")} of commit ${commit.slice(0, 10)} recorded${also} (${pathForUser(path, context)}); an agent is sent back only for new ones`;
}
