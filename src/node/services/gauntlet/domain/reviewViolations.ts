/**
 * Defines the violations that reviewers report, their state between runs, and the diff of a review (G12 to G14a). Also
 * decides whether a violation keeps its gate unresolved.
 */

import { visible } from "@/common/safeText";

/** Highest first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** A problem that a reviewer reports. */
export interface Violation {
  /** As the reviewer wrote it; relative to the project if it could be located. */
  readonly file: string;
  /** A number, a text such as `12-15`, or null if the reviewer names no line. */
  readonly line: number | string | null;
  readonly issue: string;
  readonly fix?: string;
  readonly priority: Priority;
}

export const VIOLATION_STATUSES = ["new", "fixed", "skipped"] as const;
/** The agent sets `fixed`, and a reviewer verifies it. */
export type ViolationStatus = (typeof VIOLATION_STATUSES)[number];

/** A violation of an episode, with the agent's edits. */
export interface TrackedViolation extends Violation {
  /** Eight hexadecimal digits, stable over the runs of an episode. */
  readonly id: string;
  readonly status: ViolationStatus;
  /** The fix, or the reason for skipping it. */
  readonly result?: string;
  /** Whether it could not be located at a line that the diff shows. It counts nevertheless. */
  readonly unplaced?: boolean;
  /** Whether it is in a file that the change neither changes nor affects, as far as the reviewer wrote. */
  readonly outside?: boolean;
  /** Whether it was marked as fixed, but is open again. */
  readonly unconfirmed?: boolean;
  /** The snapshot to which `line` refers. */
  readonly at?: string;
  /** The snapshot at which a reviewer last reported it, or last judged the claim that it is fixed. */
  readonly judged?: string;
}

/** `error`: the slot has no usable answer. `prior_pass`: it passed before and was not run again. */
export const SLOT_OUTCOMES = ["passed", "failed", "error", "prior_pass"] as const;
export type SlotOutcome = (typeof SLOT_OUTCOMES)[number];

/** The state of a slot for the next run of the episode. */
export interface SlotState {
  readonly reviewer: string;
  readonly outcome: SlotOutcome;
  /**
   * The working tree at its last answer. Absent if it has not answered in this episode; it then receives the whole
   * change.
   */
  readonly snapshot?: string;
  /** Digest of the prompt of that answer. */
  readonly promptDigest?: string;
  /** Name of its JSON file in the log folder. */
  readonly file?: string;
  /** The run of the episode in which it passed. */
  readonly passIteration?: number;
  /** All violations found in the episode that were not verified as fixed. */
  readonly violations: readonly TrackedViolation[];
  /** All violations that were verified as fixed. */
  readonly fixed: readonly TrackedViolation[];
}

/** The states by slot number, from 1. */
export type ReviewState = Readonly<Record<string, SlotState>>;

/**
 * Returns whether a violation keeps its gate unresolved: it does unless it is skipped with a reason (G14). Violations
 * that were verified as fixed are not passed to this function.
 */
export function isOpen({ status, result }: TrackedViolation): boolean {
  return !(status === "skipped" && isReason(result));
}

/** Returns whether a text can be a reason: it has three different words, or as many signs of a script without spaces. */
export function isReason(text = ""): boolean {
  const words = text.slice(0, MAX_REASON_CHARS).toLowerCase().match(WORD) ?? [];
  return new Set(words).size >= 3;
}

const MAX_REASON_CHARS = 4_000;
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

/** Formats location and text on one line. */
export function describeViolation({ file, line, issue }: Violation): string {
  return visible(`${file}${line === null ? "" : `:${line}`} - ${issue}`);
}

/** The change as a reviewer sees it (G12, G12a). */
export interface ReviewDiff {
  /** In unified format with line numbers, including the names of the files that are not shown. */
  readonly text: string;
  readonly files: readonly DiffFile[];
  /** The parts that were cut or masked, one line each. */
  readonly notes: readonly string[];
  /** Paths of files that are not shown in full because of their size or of a NUL byte. */
  readonly cut: readonly string[];
}

export interface DiffFile {
  /** Relative to the project. */
  readonly path: string;
  readonly previousPath?: string;
  /** `named`: none of its content is shown. */
  readonly shown: "whole" | "cut" | "named";
  /** The lines of the new version that the diff shows, including context. */
  readonly ranges: readonly LineRange[];
  /** The lines of the old version that it removes or replaces, or between which it inserts lines. */
  readonly touched: readonly LineRange[];
}

/** From 1, including the last one. */
export type LineRange = readonly [first: number, last: number];
