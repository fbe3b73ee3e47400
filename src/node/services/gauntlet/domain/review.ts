/** Reviews: what a reviewer finds, and what becomes of it from run to run (G12 to G14a). */

/** Highest first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What a reviewer says is wrong. */
export interface Violation {
  /** As the reviewer wrote it; relative to the project where it could be placed. */
  readonly file: string;
  /** A number, words such as `12-15`, or nothing where the reviewer names no line. */
  readonly line: number | string | null;
  readonly issue: string;
  readonly fix?: string;
  readonly priority: Priority;
}

export const VIOLATION_STATUSES = ["new", "fixed", "skipped"] as const;
/** `fixed` says the agent; that it is so is for the reviewer to say. */
export type ViolationStatus = (typeof VIOLATION_STATUSES)[number];

/** A violation of an episode, with what the agent says of it. */
export interface TrackedViolation extends Violation {
  /** Eight hexadecimal digits, stable over the runs of an episode. */
  readonly id: string;
  readonly status: ViolationStatus;
  /** What was done, or why it is skipped. */
  readonly result?: string;
  /** It could not be told whether it lies within the change, and counts all the same. */
  readonly unplaced?: boolean;
}

/** `error`: the slot has no answer to go by. `prior_pass`: it passed before and was not asked again. */
export const SLOT_OUTCOMES = ["passed", "failed", "error", "prior_pass"] as const;
export type SlotOutcome = (typeof SLOT_OUTCOMES)[number];

/** What a slot of a review leaves for the next run of the episode. */
export interface SlotState {
  readonly reviewer: string;
  readonly outcome: SlotOutcome;
  /** The working tree at its last answer; absent: it has not answered in this episode, and sees the whole change. */
  readonly snapshot?: string;
  /** What it was asked there, as a digest. */
  readonly promptDigest?: string;
  /** Name of its JSON in the log folder. */
  readonly file?: string;
  /** The run of the episode in which it passed. */
  readonly passIteration?: number;
  /** Everything found in the episode that was not verified as fixed. */
  readonly violations: readonly TrackedViolation[];
  /** What was. */
  readonly fixed: readonly TrackedViolation[];
}

/** By slot number, from 1. */
export type ReviewState = Readonly<Record<string, SlotState>>;

/** Whether it keeps its gate open: only a verified fix, and a skip that says why, do not (G14). */
export function isOpen({ status, result }: TrackedViolation): boolean {
  return !(status === "skipped" && result !== undefined && result.trim() !== "");
}
