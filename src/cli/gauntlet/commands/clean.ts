/** `mux-stop-hooks clean`: moves files of earlier runs away, so that the next one starts again (G18). */
import { ownCommand } from "@/common/ownCommand";
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { withPutAwayPlace, type PlaceOption } from "@/cli/gauntlet/project";
import { visible, plural } from "@/common/text";
import { cleanByHand, type Cleaned } from "@/node/services/gauntlet/run/logs/clean";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { lockHeld } from "@/node/services/gauntlet/messages/run";

/** Works without a valid configuration: gates that failed with an earlier one can still be cleaned up (G24). */
export async function clean(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  return await withPutAwayPlace(
    context,
    ({ runtime, dir, logDir }) =>
      // Moving files takes little time, so a signal waits for its end, and no lock is left behind.
      interruptible(context, async () => {
        const place = { projectDir: dir, logDir };
        const cleaned = await cleanByHand(runtime, place, new Date());
        return cleaned.match(
          (done) => {
            context.stdout.write(describe(done));
            return EXIT.ok;
          },
          (failure) => {
            if (failure.kind === "failed") {
              const { path, message } = failure.failure;
              return printError(context, `${path} cannot be moved: ${message}`);
            }
            const { path, holder } = failure;
            const who = lockHeld(describeLock(holder), visible(path));
            context.stderr.write(`${RUN_IN_PROGRESS}\n      ${who}\n`);
            return EXIT.failure;
          }
        );
      }),
    options
  );
}

function describe({ names, to, dropped, kept }: Cleaned): string {
  const files = [...names].sort().map((name) => `  - ${visible(posix.normalize(name))}\n`);
  const moved =
    names.length === 0
      ? `There is nothing to clean.\n`
      : `Moved ${plural(names.length, "file")} to ${visible(to)}:\n${files.join("")}`;
  return [
    moved,
    ...dropped.map(
      (id) => `Dropped: ${visible(id)} failed earlier; this failure no longer counts.\n`
    ),
    ...kept.map(
      (id) =>
        `Kept unresolved: ${visible(id)} failed in a turn that is still running; fix it, or run "${ownCommand()} clean" again after the turn.\n`
    ),
  ].join("");
}
