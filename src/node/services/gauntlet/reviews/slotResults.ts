/** What becomes of a slot in a run, where nobody is asked. */
import { posix } from "node:path";
import type { Job, SlotResult } from "@/node/services/gauntlet/domain/gate";
import { isOpen, type SlotState } from "@/node/services/gauntlet/domain/review";
import { writeResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ReviewContext } from "@/node/services/gauntlet/reviews/reviewContext";
import type { SlotFacts } from "@/node/services/gauntlet/reviews/slots";
import { reviewFileName } from "@/node/services/gauntlet/state/runFiles";
import { plural } from "@/common/text";

export interface SlotUpdate {
  readonly slot: SlotResult;
  /** What it leaves for the next run. */
  readonly state: SlotState;
  /** No reviewer could be reached, which no agent can mend. */
  readonly unreachable?: boolean;
}

/** What is open of it stands in the file of the run that last asked it. */
export function carryOver(
  slot: number,
  facts: SlotFacts | undefined,
  { logDir }: Pick<ReviewContext, "logDir">
): SlotUpdate {
  const { state, violations } = facts ?? NEVER_RUN;
  const unresolved = violations.filter(isOpen).length;
  return {
    slot: {
      slot,
      reviewer: state.reviewer,
      outcome: unresolved > 0 ? "failed" : "passed",
      durationMs: 0,
      message: `${plural(unresolved, "violation")} still open, nothing changed since`,
      ...(state.file === undefined ? {} : { jsonPath: posix.join(logDir, state.file) }),
    },
    state: { ...state, violations },
  };
}

/** It is told why it was not asked, in a file of its own (§5). */
export async function passPriorSlot(
  job: Job,
  slot: number,
  facts: SlotFacts | undefined,
  { runtime, logDir, run, now }: Pick<ReviewContext, "runtime" | "logDir" | "run" | "now">
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

const NEVER_RUN: Pick<SlotFacts, "state" | "violations"> = {
  state: { reviewer: "", outcome: "error", violations: [], fixed: [] },
  violations: [],
};
