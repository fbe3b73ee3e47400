/** The line about a check after its failures were recorded, or not (G44). */
import type { CliContext } from "@/cli/context";
import { pathForUser } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { visible, plural } from "@/common/text";
import type { RecordEnd } from "@/node/services/gauntlet/run/known/recordKnown";

export function recordEnd(end: RecordEnd, context: CliContext): string {
  const { green, yellow } = styleFor(context.stdout, context.env);
  const name = visible(end.job.id);
  switch (end.kind) {
    case "passed":
      return `${green("✓")} ${name} passes`;
    case "recorded":
      return `${green("✓")} ${recorded(name, end, pathForUser(end.path, context))}`;
    case "refused":
      return `${yellow("-")} ${name} fails, but its failures are not recorded: ${visible(end.why)}`;
  }
}

function recorded(
  name: string,
  { count, flaky, commit }: { count: number; flaky: number; commit: string },
  path: string
): string {
  const also =
    flaky === 0 ? "" : `, and ${plural(flaky, "flaky failure")} that will be tried again`;
  return `${name}: ${plural(count, "failure")} of commit ${commit.slice(0, 10)} recorded${also} (${path}); an agent is sent back only for new ones`;
}
