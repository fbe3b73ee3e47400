/** `mux-stop-hooks skip ID --reason TEXT`: skips a violation (G30b). */
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { visible } from "@/common/text";
import { inProject, type PlaceOption } from "@/cli/gauntlet/project";
import {
  findViolation,
  knownViolations,
  markSkipped,
} from "@/node/services/gauntlet/reviews/violations/skipViolation";
import { describeViolation, isReason } from "@/node/services/gauntlet/domain/review";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { runInProgress } from "@/cli/gauntlet/messages/shared";

export interface SkipOptions extends PlaceOption {
  readonly reason: string;
}

export async function skip(
  id: string,
  { reason, ...place }: SkipOptions,
  context: CliContext
): Promise<ExitCode> {
  if (!isReason(reason))
    return printError(
      context,
      "--reason needs at least three words; state why the violation is skipped"
    );
  return await inProject(
    context,
    async ({ runtime, logDir, config }) => {
      const identity = await currentProcess(runtime.host);
      const lock = await inspectLock(runtime, logDir, identity, new Date());
      if (lock.kind === "held") {
        return printError(context, runInProgress(describeLock(lock.holder)));
      }
      const { state } = await readState(runtime, logDir);
      const gates = config.entryPoints.flatMap((point) => point.gates);
      if (
        id.startsWith("check:") ||
        gates.some(({ kind, name }) => kind === "check" && name === id)
      ) {
        return printError(
          context,
          `a check cannot be skipped; fix the failure of "${visible(id)}"`
        );
      }
      const found = findViolation(state === undefined ? [] : knownViolations(state), id);
      if (found.isErr()) return printError(context, found.error);
      const marked = await markSkipped(runtime, logDir, found.value, reason);
      if (marked.isErr()) return printError(context, marked.error);
      context.stdout.write(`Skipped: ${describeViolation(found.value.violation)}\n`);
      return EXIT.ok;
    },
    place
  );
}
