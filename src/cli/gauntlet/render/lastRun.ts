/**
 * Describes the last run for `status` and `doctor`, and reads and renders the violations of its reviews, with what the
 * agent has since written about them.
 */
import { formatAge } from "@/common/formatDuration";
import { shownCommand } from "@/common/ownCommandName";
import { visible, plural } from "@/common/safeText";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import { describeViolation, isOpen } from "@/node/services/gauntlet/domain/reviewViolations";
import type { PublishedStatus } from "@/cli/gauntlet/publishedJson";
import { takeEdits } from "@/node/services/gauntlet/reviews/violations/resultFileEdits";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** Returns the status, the gates, the branch and the time of the last run in one line. */
export function describeLastRun(state: ExecutionState | undefined): string {
  if (state === undefined) {
    return `There is no record of a run. Run "${shownCommand()} run" to check the changed files.`;
  }
  const { last_run_completed_at: at, status: ended, gates_run: gates, branch, partial } = state;
  if (state.cleaned === true && at === undefined) return "Last run: none since the last clean";
  const parts = [
    ended?.replaceAll("_", " ") ?? "unknown status",
    ...(gates === undefined ? [] : [`${plural(gates, "gate")} run`]),
    ...(partial === true ? ["only some of the gates"] : []),
    ...(branch === undefined ? [] : [`on branch ${visible(branch)}`]),
    ...(at === undefined ? [] : [`${ageOf(at)} (${visible(at)})`]),
  ];
  return `Last run: ${parts.join(", ")}`;
}

function ageOf(at: string): string {
  const ms = Date.now() - Date.parse(at);
  return ms < 0 ? "at a time in the future" : `${formatAge(ms)} ago`;
}

type Review = PublishedStatus["reviews"][number];

/** Returns the reviews with violations, including the agent's edits since the last run. */
export async function readReviews(
  files: Files,
  logDir: string,
  { reviews }: Pick<ExecutionState, "reviews">
): Promise<Review[]> {
  const slots = Object.entries(reviews).flatMap(([jobId, states]) =>
    Object.entries(states).map(([slot, state]) => ({
      ...state,
      name: `${jobId} (${state.reviewer}@${slot})`,
    }))
  );
  const shown = slots.filter(({ violations, fixed }) => violations.length + fixed.length > 0);
  const read = shown.map(async ({ name, file, violations: before, fixed }): Promise<Review> => {
    const path = file === undefined ? undefined : posix.join(logDir, file);
    const { violations, problems } =
      path === undefined
        ? { violations: before, problems: [] }
        : takeEdits(before, await readResultFile(files, path), path);
    return {
      ...{ name, unresolved: violations.filter(isOpen).length, problems: [...problems], path },
      violations: violations.map((violation) => {
        const { id, priority, status, result } = violation;
        const reason = isOpen(violation) ? undefined : (result ?? "");
        return { id, priority, status, text: describeViolation(violation), reason };
      }),
      fixed: fixed.map((violation) => describeViolation(violation)),
    };
  });
  return await Promise.all(read);
}

/** Returns the lines about a review for `status`. */
export function reviewLines(review: Review): string[] {
  const { name, unresolved, violations, fixed, problems, path } = review;
  return [
    `${visible(name)}: ${plural(unresolved, "unresolved violation")}`,
    ...violations.flatMap(violationLines),
    ...fixed.map((text) => `  ✓ Fixed: ${text}`),
    ...problems.map((problem) => `  Warning: ${visible(problem)}`),
    ...(path === undefined || unresolved === 0 ? [] : [`      Review: ${visible(path)}`]),
  ];
}

function violationLines(violation: Review["violations"][number]): string[] {
  const { id, priority, status, text, reason } = violation;
  if (reason !== undefined) {
    return [`  ⊘ Skipped: ${text}`, `      Reason: ${visible(reason)}`];
  }
  const claim = status === "fixed" ? ` (marked as fixed, not verified yet)` : "";
  return [`  ${id ?? ""} ${priority}: ${text}${claim}`];
}
