/**
 * Runs one slot of a review, which is one of the `num_reviews` reviews of a gate: selects the diff, tries the
 * reviewers, compares the answer with the earlier violations of the slot, and writes its result file (G12, G14, G14a).
 */
import { posix } from "node:path";
import { plural } from "@/common/safeText";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { reviewDiff } from "@/node/services/gauntlet/change/diff/reviewDiff";
import type { SlotResult } from "@/node/services/gauntlet/domain/gate";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import { promptDigest } from "@/node/services/gauntlet/reviews/buildPrompt";
import type { ReviewContext, ReviewJob } from "@/node/services/gauntlet/reviews/ReviewerPool";
import * as slots from "@/node/services/gauntlet/reviews/planSlots";
import { tryReviewers } from "@/node/services/gauntlet/reviews/tryReviewers";
import * as reconciliation from "@/node/services/gauntlet/reviews/violations/reconcileViolations";
import { writeResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import { OUTSIDE, UNCONFIRMED } from "@/node/services/gauntlet/messages/shared";

type AskPlan = Extract<slots.SlotPlan, { kind: "ask" }>;

/** Verified fixes are reported, and need not be kept forever. */
const MAX_FIXED = 200;

/** Runs a slot. Returns its result, and its state for the next run. */
export async function runSlot(
  job: ReviewJob,
  plan: AskPlan,
  facts: slots.SlotFacts,
  context: ReviewContext
): Promise<slots.SlotUpdate> {
  const { slot } = plan;
  const { state: last, violations: before } = facts;
  const { snapshot, isFullRun } = context;
  // A slot without an answer keeps its violations, and sees the whole change the next time (G14a).
  const unjudged: reviews.SlotState = {
    ...{ reviewer: last.reviewer, file: last.file, fixed: last.fixed },
    ...{ outcome: "error", violations: before },
  };
  const digest = promptDigest(job.gate);
  const toVerify = before.filter(({ status }) => status === "fixed");
  const diff = await diffFor(job, plan, facts, toVerify, context);
  if (typeof diff === "string") {
    return slots.unanswered(slot, unjudged, { outcome: "error", message: diff }, context);
  }
  if (diff.files.length === 0 && toVerify.length === 0) {
    // The changes were reverted.
    const outcome = before.some(reviews.isOpen) ? "failed" : "passed";
    const state = { ...unjudged, outcome, snapshot, promptDigest: digest } as const;
    return slots.unanswered(slot, state, { outcome, message: "no changes to review" }, context);
  }

  const reply = await tryReviewers(job, slot, diff, toVerify, context);
  const { reviewer, durationMs, logPath } = reply;
  const cut = diff.cut.length === 0 ? undefined : diff.cut;
  /** Writes the slot's JSON. A failure to write is an error, because the agent could not report what it did. */
  const settle = async (
    result: Pick<SlotResult, "outcome" | "message" | "leftOut">,
    state: Omit<reviews.SlotState, "reviewer" | "file">
  ): Promise<slots.SlotUpdate> => {
    const report = { ...state, reviewer, rawOutput: reply.raw };
    const { name, failure } = await writeResultFile(context, job, slot, report);
    const jsonPath = posix.join(context.logDir, name);
    const written: Partial<SlotResult> =
      failure === undefined
        ? { jsonPath }
        : { outcome: "error", message: `${jsonPath}: ${failure.message}` };
    return {
      slot: { slot, reviewer, durationMs, logPath, cut, ...result, ...written },
      state: { ...state, reviewer, file: name },
    };
  };
  if (reply.kind !== "answer") {
    const outcome = reply.kind === "cancelled" ? "cancelled" : "error";
    const update = await settle({ outcome, message: reply.message }, unjudged);
    return reply.kind === "unreachable" ? { ...update, unreachable: true } : update;
  }
  const { violations: found } = reply.answer;
  const confirmed = new Set(reply.answer.fixed);
  const changed = await changedElsewhere(found, diff, context);
  const touched = await touchedClaims(toVerify, context);
  const verdict = reconciliation.reconcileViolations(before, found, {
    place: (violation) => reconciliation.placeViolation(violation, diff.files, changed),
    isRerun: !plan.whole,
    threshold: context.config.rerunNewIssueThreshold,
    key: `${job.id}@${slot}#${context.run}`,
    at: snapshot,
    isNamedFixed: (id) => confirmed.has(id),
    // Without a snapshot, such as in a file of the original tool, a pass of the whole change is the reviewer's word.
    isConfirmed: ({ id, at }) =>
      confirmed.has(id) ||
      touched.has(id) ||
      (at === undefined && plan.whole && found.length === 0),
  });
  const isPassed = !verdict.violations.some(reviews.isOpen);
  const outcome = isPassed ? "passed" : "failed";
  const message = describe(verdict, diff, reply) || undefined;
  const below = "new and below rerun_new_issue_threshold";
  const leftOut = [
    ...verdict.outside.map((it) => [it, OUTSIDE] as const),
    ...verdict.dropped.map((it) => [it, below] as const),
    ...verdict.hidden.map((it) => [it, "at the line of an earlier violation"] as const),
  ].map(([it, why]) => `left out: ${reviews.describeViolation(it)} (${it.priority}, ${why})`);
  const fixed = [...last.fixed, ...(isFullRun ? verdict.fixed : [])].slice(-MAX_FIXED);
  return await settle(
    { outcome, message, leftOut: leftOut.length === 0 ? undefined : leftOut },
    {
      ...{ outcome, fixed, snapshot, promptDigest: digest },
      violations: isFullRun ? verdict.violations : [...verdict.violations, ...verdict.fixed],
      passIteration: isPassed ? context.iteration : undefined,
    }
  );
}

/** Returns the paths of the whole change, but only if a violation is in none of the files that the slot saw. */
async function changedElsewhere(
  found: readonly reviews.Violation[],
  { files }: reviews.ReviewDiff,
  { runtime, git, scope: { from, to } }: ReviewContext
): Promise<readonly string[]> {
  if (
    found.every((violation) => reconciliation.placeViolation(violation, files).kind !== "elsewhere")
  )
    return [];
  return (await changedFiles(runtime, git, from, to)).match(changedPaths, () => []);
}

/** Returns the IDs of the claimed fixes whose place has changed since the snapshot to which the place refers. */
async function touchedClaims(
  claims: readonly reviews.TrackedViolation[],
  { runtime, git, snapshot: to }: ReviewContext
): Promise<ReadonlySet<string>> {
  const touched = new Set<string>();
  for (const from of new Set(claims.flatMap(({ at }) => at ?? []))) {
    const own = claims.filter(({ at }) => at === from);
    const covers = (path: string): boolean => own.some(({ file }) => names({ path }, file));
    const diff = await reviewDiff(runtime, git, { from, to, covers });
    const files = diff.isOk() ? diff.value.files : [];
    for (const claim of own) if (reconciliation.isTouched(claim, files)) touched.add(claim.id);
  }
  return touched;
}

/**
 * Returns the diff since the slot's last answer, or the whole change if it has none, or an error message. Adds the
 * whole change of files that did not change since but have violations marked as fixed, because the reviewer could not
 * judge these otherwise.
 */
async function diffFor(
  { gate }: ReviewJob,
  { whole }: AskPlan,
  { state }: slots.SlotFacts,
  toVerify: readonly reviews.TrackedViolation[],
  { runtime, git, config, scope: { from, to, covers } }: ReviewContext
): Promise<reviews.ReviewDiff | string> {
  const since = whole ? undefined : state.snapshot;
  const entryPoints = config.entryPoints
    .filter(({ gates }) => gates.some(({ kind, name }) => kind === "review" && name === gate.name))
    .map(({ path }) => path);
  const diff = await reviewDiff(runtime, git, { from: since ?? from, to, covers, entryPoints });
  if (diff.isErr()) return diff.error.message;
  const unseen = toVerify.filter(({ file }) => !diff.value.files.some((seen) => names(seen, file)));
  if (since === undefined || unseen.length === 0) return diff.value;
  const isMeant = (path: string): boolean => unseen.some(({ file }) => names({ path }, file));
  const isSeen = (path: string): boolean => diff.value.files.some((seen) => seen.path === path);
  const rest = await reviewDiff(runtime, git, {
    from,
    to,
    entryPoints,
    covers: (path) => covers(path) && isMeant(path) && !isSeen(path),
  });
  if (rest.isErr()) return rest.error.message;
  const { text, files, notes, cut } = rest.value;
  return {
    text: `${diff.value.text}${text}`,
    files: [...diff.value.files, ...files],
    notes: [...diff.value.notes, ...notes],
    cut: [...diff.value.cut, ...cut],
  };
}

/**
 * Returns whether a violation's file may be this file. A name that was not located matches if one of the two paths ends
 * with the other. An empty name matches every file.
 */
function names(
  { path, previousPath }: Pick<reviews.DiffFile, "path" | "previousPath">,
  file: string
) {
  const known = [path, previousPath ?? path];
  return file === "" || known.some((one) => reconciliation.isEndOfOther(one, file));
}

/** Summarizes what the agent and the user should know besides the violations themselves. */
function describe(
  { violations, fixed, unconfirmed, outside, dropped }: reconciliation.Reconciliation,
  { notes }: reviews.ReviewDiff,
  { warnings }: { readonly warnings: readonly string[] }
): string {
  const part = (of: readonly unknown[], noun: string, before: string, after: string): string[] =>
    of.length === 0 ? [] : [`${before}${plural(of.length, noun)}${after}`];
  return [
    ...part(violations.filter(reviews.isOpen), "violation", "", ""),
    ...(fixed.length > 0 ? [`${fixed.length} fixed`] : []),
    ...part(
      unconfirmed,
      "violation",
      "",
      ` ${UNCONFIRMED}: no line at its place has changed, and the reviewer did not confirm the fix`
    ),
    ...part(outside, "violation", "left out ", " outside of the change"),
    ...part(
      dropped,
      "new violation",
      "left out ",
      " with a priority below rerun_new_issue_threshold"
    ),
    ...warnings,
    ...notes,
  ].join("; ");
}
