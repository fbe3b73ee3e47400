/** The line about a check after its failures were recorded, or not (G44). */
import type { CliContext } from "@/cli/context";
import * as messages from "@/cli/gauntlet/messages/known";
import { pathForUser } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import type { RecordEnd } from "@/node/services/gauntlet/run/known/recordKnown";

export function recordEnd(end: RecordEnd, context: CliContext): string {
  const { green, yellow } = styleFor(context.stdout, context.env);
  const name = visible(end.job.id);
  switch (end.kind) {
    case "passed":
      return `${green("✓")} ${messages.passes(name)}`;
    case "recorded":
      return `${green("✓")} ${messages.recorded(name, end, pathForUser(end.path, context))}`;
    case "refused":
      return `${yellow("-")} ${messages.notRecorded(name, visible(end.why))}`;
  }
}
