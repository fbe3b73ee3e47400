/** `agent-gauntlet clean`: puts away what earlier runs left, so that the next one begins anew (G18). */
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { plural, visible } from "@/common/text";
import { cleanByHand } from "@/node/services/gauntlet/run/cleanByHand";
import { describeLock } from "@/node/services/gauntlet/state/lockFile";

export async function clean(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  const putAway = async ({ runtime, logDir }: ConfiguredProject): Promise<ExitCode> =>
    // Moving files takes no time to speak of: a signal waits for the end of it, and finds no lock left behind.
    interruptible(context, async () => {
      const cleaned = await cleanByHand(runtime, logDir, new Date());
      return cleaned.match(
        ({ names, to }) => {
          context.stdout.write(names.length === 0 ? NOTHING : describeMoved(names, to));
          return EXIT.ok;
        },
        (failure) => {
          if (failure.kind === "failed") {
            const { path, message } = failure.failure;
            return complain(context, `${path} cannot be put away: ${message}`);
          }
          const { path, holder } = failure;
          const who = `${describeLock(holder)}; its lock is ${visible(path)}`;
          context.stderr.write(`A gauntlet run is already in progress\n      ${who}\n`);
          return EXIT.failure;
        }
      );
    });
  return await inProject(context, putAway, options);
}

const NOTHING = "There is nothing to clean.\n";

function describeMoved(names: readonly string[], to: string): string {
  const lines = [...names].sort().map((name) => `  - ${visible(name)}\n`);
  return `Moved ${plural(names.length, "file")} to ${visible(to)}:\n${lines.join("")}`;
}
