/** The reviews in `mux-stop-hooks status`: unresolved, claimed to be fixed, skipped, and fixed violations (G30b). */
import { posix } from "node:path";
import { visible, plural } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import { describeViolation, isOpen, type SlotState } from "@/node/services/gauntlet/domain/review";
import type { PublishedStatus } from "@/cli/gauntlet/publishedJson";
import { takeEdits } from "@/node/services/gauntlet/reviews/violations/agentEdits";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import * as messages from "@/cli/gauntlet/messages/shared";
import { warning } from "@/cli/gauntlet/messages/shared";

type Review = PublishedStatus["reviews"][number];

/** Returns the reviews with violations, including the agent's edits since the last run. */
export async function readReviews(
  files: Files,
  logDir: string,
  { reviews }: Pick<ExecutionState, "reviews">
): Promise<Review[]> {
  const slots = Object.entries(reviews).flatMap(([jobId, states]) =>
    Object.entries(states).map(([slot, state]) => ({ jobId, slot, state }))
  );
  const read = await Promise.all(
    slots.map(({ jobId, slot, state }) =>
      readSlot(files, logDir, `${jobId} (${state.reviewer}@${slot})`, state)
    )
  );
  return read.flat();
}

async function readSlot(
  files: Files,
  logDir: string,
  name: string,
  { file, violations: before, fixed }: SlotState
): Promise<Review[]> {
  if (before.length === 0 && fixed.length === 0) return [];
  const path = file === undefined ? undefined : posix.join(logDir, file);
  const { violations, problems } =
    path === undefined
      ? { violations: before, problems: [] }
      : takeEdits(before, await readResultFile(files, path), path);
  return [
    {
      ...{ name, unresolved: violations.filter(isOpen).length, problems: [...problems], path },
      violations: violations.map((violation) => {
        const { id, priority, status, result } = violation;
        const reason = isOpen(violation) ? undefined : (result ?? "");
        return { id, priority, status, text: describeViolation(violation), reason };
      }),
      fixed: fixed.map((violation) => describeViolation(violation)),
    },
  ];
}

/** Returns the lines of a review. */
export function reviewLines({
  name,
  unresolved,
  violations,
  fixed,
  problems,
  path,
}: Review): string[] {
  return [
    `${visible(name)}: ${plural(unresolved, "unresolved violation")}`,
    ...violations.flatMap(violationLines),
    ...fixed.map((text) => `  ✓ Fixed: ${text}`),
    ...problems.map((problem) => `  ${warning(visible(problem))}`),
    ...(path === undefined || unresolved === 0
      ? []
      : [`      ${messages.reviewAt(visible(path))}`]),
  ];
}

function violationLines({
  id,
  priority,
  status,
  text,
  reason,
}: Review["violations"][number]): string[] {
  if (reason !== undefined) {
    return [`  ⊘ Skipped: ${text}`, `      Reason: ${visible(reason)}`];
  }
  const claim = status === "fixed" ? ` (marked as fixed, not verified yet)` : "";
  return [`  ${id ?? ""} ${priority}: ${text}${claim}`];
}
