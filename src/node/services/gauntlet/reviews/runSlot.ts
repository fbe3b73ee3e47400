/** Runs one slot of a review: selects the diff, tries the reviewers, and reconciles the violations. */
import { plural } from "@/common/text";
import { posix } from "node:path";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { reviewDiff } from "@/node/services/gauntlet/change/diff/reviewDiff";
import type { SlotResult } from "@/node/services/gauntlet/domain/gate";
import {
  describeViolation,
  isOpen,
  type SlotState,
  type TrackedViolation,
  type Violation,
} from "@/node/services/gauntlet/domain/review";
import type { DiffFile, ReviewDiff } from "@/node/services/gauntlet/domain/reviewDiff";
import { tryReviewers } from "@/node/services/gauntlet/reviews/tryReviewers";
import {
  isTouched,
  placeViolation,
} from "@/node/services/gauntlet/reviews/violations/locateInDiff";
import { promptDigest } from "@/node/services/gauntlet/reviews/promptDigest";
import { writeResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ReviewContext, ReviewJob } from "@/node/services/gauntlet/reviews/reviewContext";
import type { SlotUpdate } from "@/node/services/gauntlet/reviews/slotResults";
import type { SlotFacts, SlotPlan } from "@/node/services/gauntlet/reviews/slots";
import {
  reconcileViolations,
  type Reconciliation,
} from "@/node/services/gauntlet/reviews/violations/reconcile";
import { reviewFileName } from "@/node/services/gauntlet/state/runFiles";
import { OUTSIDE, UNCONFIRMED } from "@/node/services/gauntlet/messages/shared";

type AskPlan = Extract<SlotPlan, { kind: "ask" }>;

export async function runSlot(
  job: ReviewJob,
  plan: AskPlan,
  facts: SlotFacts | undefined,
  context: ReviewContext
): Promise<SlotUpdate> {
  const before = facts?.violations ?? [];
  const toVerify = before.filter(({ status }) => status === "fixed");
  const diff = await diffFor(job, plan, facts, toVerify, context);
  if (typeof diff === "string") return failedSlot(plan.slot, facts, { message: diff }, context);
  if (diff.files.length === 0 && toVerify.length === 0)
    return unseen(job, plan.slot, facts, context);

  const reply = await tryReviewers(job, plan.slot, { diff, toVerify }, context);
  const { reviewer, durationMs, logPath } = reply;
  const cut = diff.cut.length === 0 ? undefined : diff.cut;
  const common = { slot: plan.slot, reviewer, durationMs, logPath, cut };
  const settle = (
    slot: Pick<SlotResult, "outcome" | "message" | "leftOut">,
    state: Change,
    raw: string
  ) => leave(job, { ...common, ...slot }, state, raw, context);
  if (reply.kind !== "answer") {
    const outcome = reply.kind === "cancelled" ? "cancelled" : "error";
    const left = await settle({ outcome, message: reply.message }, unchanged(facts), reply.raw);
    return reply.kind === "unreachable" ? { ...left, unreachable: true } : left;
  }
  const { violations: found, fixed: confirmed } = reply.answer;
  const changed = await changedElsewhere(found, diff, context);
  const touched = await touchedClaims(toVerify, context);
  const verdict = reconcileViolations(before, found, {
    place: (violation) => placeViolation(violation, diff.files, changed),
    isRerun: !plan.whole,
    threshold: context.config.rerunNewIssueThreshold,
    key: `${job.id}@${plan.slot}#${context.run}`,
    at: context.snapshot,
    // Without a snapshot, such as in a file of the original tool, a pass of the whole change is the reviewer's word.
    isConfirmed: ({ id, at }) =>
      confirmed.includes(id) ||
      touched.has(id) ||
      (at === undefined && plan.whole && found.length === 0),
  });
  const isPassed = !verdict.violations.some(isOpen);
  const message = describe(verdict, diff, reply);
  const leftOut = [
    ...verdict.outside.map((it) => leftOutViolation(describeViolation(it), it.priority, OUTSIDE)),
    ...verdict.dropped.map((it) =>
      leftOutViolation(
        describeViolation(it),
        it.priority,
        "new and below rerun_new_issue_threshold"
      )
    ),
  ];
  return await settle(
    {
      outcome: isPassed ? "passed" : "failed",
      ...(message === "" ? {} : { message }),
      ...(leftOut.length === 0 ? {} : { leftOut }),
    },
    {
      outcome: isPassed ? "passed" : "failed",
      violations: context.isFullRun
        ? verdict.violations
        : [...verdict.violations, ...verdict.fixed],
      fixed: [...(facts?.state.fixed ?? []), ...(context.isFullRun ? verdict.fixed : [])].slice(
        -MAX_FIXED
      ),
      snapshot: context.snapshot,
      promptDigest: promptDigest(job.gate),
      ...(isPassed ? { passIteration: context.iteration } : {}),
    },
    reply.raw
  );
}

/** Returns the paths of the whole change, but only if a violation is in none of the files that the slot saw. */
async function changedElsewhere(
  found: readonly Violation[],
  { files }: ReviewDiff,
  { runtime, git, scope: { from, to } }: ReviewContext
): Promise<readonly string[]> {
  if (found.every((violation) => placeViolation(violation, files).kind !== "elsewhere")) return [];
  return (await changedFiles(runtime, git, from, to)).match(changedPaths, () => []);
}

/** Returns the IDs of the claims at whose place the files have changed since the snapshot to which it refers. */
async function touchedClaims(
  claims: readonly TrackedViolation[],
  { runtime, git, snapshot: to }: ReviewContext
): Promise<ReadonlySet<string>> {
  const touched = new Set<string>();
  for (const from of new Set(claims.flatMap(({ at }) => at ?? []))) {
    const own = claims.filter(({ at }) => at === from);
    const covers = (path: string): boolean => own.some(({ file }) => names({ path }, file));
    const diff = await reviewDiff(runtime, git, { from, to, covers });
    const files = diff.isOk() ? diff.value.files : [];
    for (const claim of own) if (isTouched(claim, files)) touched.add(claim.id);
  }
  return touched;
}

/** Verified fixes are reported, and need not be kept forever. */
const MAX_FIXED = 200;

type Change = Pick<
  SlotState,
  "outcome" | "violations" | "fixed" | "snapshot" | "promptDigest" | "passIteration"
>;

/** Keeps the violations of a slot without an answer. It sees the whole change the next time (G14a). */
function unchanged(facts: SlotFacts | undefined): Change {
  return {
    outcome: "error",
    violations: facts?.violations ?? [],
    fixed: facts?.state.fixed ?? [],
  };
}

/**
 * Returns the diff since the slot's last answer, or the whole change if it has none, or an error message. Adds the
 * whole change of files that did not change since but have violations marked as fixed, because the reviewer could not
 * judge these otherwise.
 */
async function diffFor(
  { gate }: ReviewJob,
  { whole }: AskPlan,
  facts: SlotFacts | undefined,
  toVerify: readonly TrackedViolation[],
  { runtime, git, config, scope: { from, to, covers } }: ReviewContext
): Promise<ReviewDiff | string> {
  const since = whole ? undefined : facts?.state.snapshot;
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
  return rest.match(
    (more) => joined(diff.value, more),
    ({ message }) => message
  );
}

/**
 * Returns whether a violation's file may be this file. A name that was not located matches if one of the two paths ends
 * with the other. An empty name matches every file.
 */
function names({ path, previousPath }: Pick<DiffFile, "path" | "previousPath">, file: string) {
  return [path, ...(previousPath === undefined ? [] : [previousPath])].some(
    (known) =>
      known === file || file === "" || known.endsWith(`/${file}`) || file.endsWith(`/${known}`)
  );
}

function joined(a: ReviewDiff, b: ReviewDiff): ReviewDiff {
  return {
    text: `${a.text}${b.text}`,
    files: [...a.files, ...b.files],
    notes: [...a.notes, ...b.notes],
    cut: [...a.cut, ...b.cut],
  };
}

/** Returns the result of a slot whose changes were reverted, so that there is nothing to review. */
function unseen(
  { gate }: ReviewJob,
  slot: number,
  facts: SlotFacts | undefined,
  { snapshot, logDir }: ReviewContext
): SlotUpdate {
  const violations = facts?.violations ?? [];
  const outcome = violations.some(isOpen) ? "failed" : "passed";
  const { reviewer = "", file, fixed = [] } = facts?.state ?? {};
  const jsonPath = file === undefined ? {} : { jsonPath: posix.join(logDir, file) };
  return {
    slot: { slot, reviewer, outcome, durationMs: 0, message: "no changes to review", ...jsonPath },
    state: {
      reviewer,
      outcome,
      violations,
      fixed,
      snapshot,
      promptDigest: promptDigest(gate),
      file,
    },
  };
}

async function failedSlot(
  slot: number,
  facts: SlotFacts | undefined,
  { message }: { readonly message: string },
  { logDir }: ReviewContext
): Promise<SlotUpdate> {
  const { reviewer = "", file } = facts?.state ?? {};
  const jsonPath = file === undefined ? {} : { jsonPath: posix.join(logDir, file) };
  return Promise.resolve({
    slot: { slot, reviewer, outcome: "error", durationMs: 0, message, ...jsonPath },
    state: { reviewer, ...unchanged(facts), ...(file === undefined ? {} : { file }) },
  });
}

/** Writes the slot's JSON. A failure to write is an error, because the agent could not report what it did. */
async function leave(
  job: ReviewJob,
  slot: SlotResult,
  state: Change,
  rawOutput: string,
  { runtime, logDir, run, now }: ReviewContext
): Promise<SlotUpdate> {
  const { reviewer } = slot;
  const name = reviewFileName(job, { reviewer, slot: slot.slot }, run, "json");
  const written = await writeResultFile(
    runtime,
    { logDir, name },
    { reviewer, rawOutput, ...state },
    now()
  );
  const jsonPath = posix.join(logDir, name);
  const result: SlotResult = written.isOk()
    ? { ...slot, jsonPath }
    : { ...slot, outcome: "error", message: `${jsonPath}: ${written.error.message}` };
  return { slot: result, state: { reviewer, file: name, ...state } };
}

/** Summarizes what the agent and the user should know besides the violations themselves. */
function describe(
  { violations, fixed, unconfirmed, outside, dropped }: Reconciliation,
  { notes }: ReviewDiff,
  { warnings }: { readonly warnings: readonly string[] }
): string {
  const unresolved = violations.filter(isOpen).length;
  return [
    ...(unresolved > 0 ? [plural(unresolved, "violation")] : []),
    ...(fixed.length > 0 ? [`${fixed.length} fixed`] : []),
    ...(unconfirmed.length > 0
      ? [
          `${plural(unconfirmed.length, "violation")} ${UNCONFIRMED}: no line at its place has changed, and the reviewer did not confirm the fix`,
        ]
      : []),
    ...(outside.length > 0
      ? [`left out ${plural(outside.length, "violation")} outside of the change`]
      : []),
    ...(dropped.length > 0
      ? [
          `left out ${plural(dropped.length, "new violation")} with a priority below rerun_new_issue_threshold`,
        ]
      : []),
    ...warnings,
    ...notes,
  ].join("; ");
}

/** A violation that does not count, for the user. @param why one of the two texts above or below */
function leftOutViolation(where: string, priority: string, why: string): string {
  return `left out: ${where} (${priority}, ${why})`;
}
