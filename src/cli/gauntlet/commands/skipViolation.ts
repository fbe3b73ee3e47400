/**
 * `mux-stop-hooks skip ID --reason TEXT`: marks a violation of a review as skipped, with the reason (G30b). Refuses the
 * ID of a check's failure, and refuses while a run is in progress.
 */
import { printError, printLine, type CliContext, type ExitCode } from "@/cli/context";
import { runInProgress } from "@/cli/gauntlet/messages/shared";
import * as projects from "@/cli/gauntlet/project";
import { visible } from "@/common/safeText";
import { describeViolation, isReason } from "@/node/services/gauntlet/domain/reviewViolations";
import * as edits from "@/node/services/gauntlet/reviews/violations/resultFileEdits";
import { readState } from "@/node/services/gauntlet/state/executionState";

export async function skip(
  id: string,
  { reason, workspace }: projects.PlaceOption & { readonly reason: string },
  context: CliContext
): Promise<ExitCode> {
  if (!isReason(reason))
    return printError(
      context,
      "--reason needs at least three words; state why the violation is skipped"
    );
  const skipIn = async (project: projects.ConfiguredProject): Promise<ExitCode> => {
    const { runtime, logDir, config } = project;
    const running = await projects.runningRun(project);
    if (running !== undefined) return printError(context, runInProgress(running));
    const gates = config.entryPoints.flatMap((point) => point.gates);
    const isCheck = gates.some(({ kind, name }) => kind === "check" && name === id);
    if (isCheck || id.startsWith("check:"))
      return printError(context, `a check cannot be skipped; fix the failure of "${visible(id)}"`);
    const { state } = await readState(runtime, logDir);
    const found = edits.findViolation(state === undefined ? [] : edits.knownViolations(state), id);
    if (found.isErr()) return printError(context, found.error);
    const marked = await edits.markSkipped(runtime, logDir, found.value, reason);
    if (marked.isErr()) return printError(context, marked.error);
    return printLine(context, `Skipped: ${describeViolation(found.value.violation)}`);
  };
  return await projects.inProject(context, skipIn, { workspace });
}
