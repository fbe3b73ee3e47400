/** Results of slots for which a run starts no reviewer. */
import { posix } from "node:path";
import type { Job, SlotResult } from "@/node/services/gauntlet/domain/gate";
import { isOpen, type SlotState } from "@/node/services/gauntlet/domain/review";
import { writeResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ReviewContext } from "@/node/services/gauntlet/reviews/reviewContext";
import type { SlotFacts } from "@/node/services/gauntlet/reviews/slots";
import { reviewFileName } from "@/node/services/gauntlet/state/runFiles";
import { unresolvedViolations } from "@/node/services/gauntlet/messages/shared";

export interface SlotUpdate {
  readonly slot: SlotResult;
  /** The state for the next run. */
  readonly state: SlotState;
  /** No reviewer could be reached, which an agent cannot fix. */
  readonly unreachable?: boolean;
}

type Place = Pick<ReviewContext, "runtime" | "logDir" | "run" | "now">;

/**
 * Keeps the result of a slot. Its unresolved violations are in the file of the last run that reviewed it, which is
 * written again if it is missing or broken.
 */
export async function carryOver(
  job: Job,
  slot: number,
  facts: SlotFacts | undefined,
  { runtime, logDir, run, now }: Place
): Promise<SlotUpdate> {
  const { violations, isIntact = true } = facts ?? NEVER_RUN;
  let { state } = facts ?? NEVER_RUN;
  const unresolved = violations.filter(isOpen).length;
  if (!isIntact) {
    const name = reviewFileName(job, { reviewer: state.reviewer, slot }, run, "json");
    const report = {
      reviewer: state.reviewer,
      outcome: "failed",
      rawOutput: "",
      violations,
    } as const;
    const written = await writeResultFile(runtime, { logDir, name }, report, now());
    if (written.isOk()) state = { ...state, file: name };
  }
  return {
    slot: {
      slot,
      reviewer: state.reviewer,
      outcome: unresolved > 0 ? "failed" : "passed",
      durationMs: 0,
      message: `${unresolvedViolations(unresolved, 0)}; no file has changed since the last review`,
      ...(state.file === undefined ? {} : { jsonPath: posix.join(logDir, state.file) }),
    },
    state: { ...state, violations },
  };
}

/** Records in a new result file that the slot was skipped because it passed before. */
export async function passPriorSlot(
  job: Job,
  slot: number,
  facts: SlotFacts | undefined,
  { runtime, logDir, run, now }: Place
): Promise<SlotUpdate> {
  const { state, violations } = facts ?? NEVER_RUN;
  const { reviewer, passIteration } = state;
  const name = reviewFileName(job, { reviewer, slot }, run, "json");
  const report = { reviewer, outcome: "prior_pass", rawOutput: "", violations } as const;
  const iteration = passIteration === undefined ? {} : { passIteration };
  const written = await writeResultFile(
    runtime,
    { logDir, name },
    { ...report, ...iteration },
    now()
  );
  return {
    slot: { slot, reviewer, outcome: "prior_pass", durationMs: 0 },
    state: {
      ...state,
      violations,
      outcome: "prior_pass",
      ...(written.isOk() ? { file: name } : {}),
    },
  };
}

const NEVER_RUN: Pick<SlotFacts, "state" | "violations"> & Partial<Pick<SlotFacts, "isIntact">> = {
  state: { reviewer: "", outcome: "error", violations: [], fixed: [] },
  violations: [],
};
