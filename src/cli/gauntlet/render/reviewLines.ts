/** The reviews in `mux-stop-hooks status`: unresolved, claimed to be fixed, skipped, and fixed violations (G30b). */
import { posix } from "node:path";
import { visible, plural } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import {
  describeViolation,
  isOpen,
  type SlotState,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";
import { takeEdits } from "@/node/services/gauntlet/reviews/violations/agentEdits";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import * as messages from "@/cli/gauntlet/messages/shared";
import { warning } from "@/cli/gauntlet/messages/shared";

/** Returns the lines of all reviews, including the agent's edits since the last run. */
export async function reviewLines(
  files: Files,
  logDir: string,
  { reviews }: Pick<ExecutionState, "reviews">
): Promise<string[]> {
  const slots = Object.entries(reviews).flatMap(([jobId, states]) =>
    Object.entries(states).map(([slot, state]) => ({ jobId, slot, state }))
  );
  const lines = await Promise.all(
    slots.map(({ jobId, slot, state }) =>
      slotLines(files, logDir, `${jobId} (${state.reviewer}@${slot})`, state)
    )
  );
  return lines.flat();
}

async function slotLines(
  files: Files,
  logDir: string,
  name: string,
  { file, violations: before, fixed }: SlotState
): Promise<string[]> {
  if (before.length === 0 && fixed.length === 0) return [];
  const path = file === undefined ? undefined : posix.join(logDir, file);
  const { violations, problems } =
    path === undefined
      ? { violations: before, problems: [] }
      : takeEdits(before, await readResultFile(files, path), path);
  const unresolved = violations.filter(isOpen).length;
  return [
    `${visible(name)}: ${plural(unresolved, "unresolved violation")}`,
    ...violations.flatMap(violationLines),
    ...fixed.map((violation) => `  ✓ Fixed: ${describeViolation(violation)}`),
    ...problems.map((problem) => `  ${warning(visible(problem))}`),
    ...(path === undefined || unresolved === 0
      ? []
      : [`      ${messages.reviewAt(visible(path))}`]),
  ];
}

function violationLines(violation: TrackedViolation): string[] {
  const { id, priority, status, result } = violation;
  const what = describeViolation(violation);
  if (!isOpen(violation)) {
    const reason = `Reason: ${visible(result ?? "")}`;
    return [`  ⊘ Skipped: ${what}`, `      ${reason}`];
  }
  const claim = status === "fixed" ? ` (marked as fixed, not verified yet)` : "";
  return [`  ${id} ${priority}: ${what}${claim}`];
}
