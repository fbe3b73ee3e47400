/** The record of one session in the git folder (G19). */
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";
import { isJsonObject } from "@/common/json";
import type { Files } from "@/node/runtime/HookRuntime";
import { readTurnFile } from "@/node/services/gauntlet/turn/turnFiles";
import { settledPointOf, type SettledPoint } from "@/node/services/gauntlet/turn/workPoint";

/** The last failed stop of a session (G38). */
export interface FailedTree {
  /** Digest of the tree, and of everything else that selects the gates. */
  readonly tree: string;
  /** Digest of the failures. */
  readonly failures: string;
  /** IDs of the jobs that passed on this tree. */
  readonly passed: readonly string[];
  /** The failed stops of the turn, if all of them had this tree and these failures; else 0 (G19). */
  readonly stops: number;
}

/** The last stop of a session whose answer has a text for the agent or the user (G40). */
export interface AnsweredStop {
  /** Digest of the input. */
  readonly stop: string;
  /** When the answer was written, in milliseconds since the epoch. */
  readonly at: number;
  /** The reason of a block, if the host may run another hook for the same stop. */
  readonly reason?: string;
}

export interface SessionRecord {
  readonly turn: string;
  readonly failed: number;
  readonly byLimit: boolean;
  readonly hasOpenFailure: boolean;
  /** Whether the last checked stop sent the agent back. */
  readonly isHeld: boolean;
  /** Hashes of the lasting facts that were shown to the user (G25a). */
  readonly shown: readonly string[];
  /** The texts of those that apply now, for `status`. */
  readonly notes: readonly string[];
  /** Whether files that changed while checks ran were named (G20c). */
  readonly hasNamedUnstable: boolean;
  /** Hashes of the IDs of the agents that ran in the background at the last stop (G39). */
  readonly background: readonly string[];
  /** The number of stops of the turn that were postponed. */
  readonly postponed: number;
  /** Whether a stop was postponed, and no stop was checked since. */
  readonly isUnverified: boolean;
  /** Hash of the last turn in which the user was told that gates do not end in time, and of these gates (G27c). */
  readonly limitNamed?: string;
  readonly failedTree?: FailedTree;
  /** The last turn in which a stop failed. */
  readonly failedIn?: string;
  readonly answered?: AnsweredStop;
  /** The last stop that settled the changes before it (G20a). */
  readonly settled?: SettledPoint;
}

export async function readRecord(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<SessionRecord | undefined> {
  const read = await readTurnFile(files, gitDir, "sessions", key);
  return read && recordOf(read);
}

/** Returns the ID of the turn that `turn-start` recorded, or undefined if there is none. */
export async function startedTurn(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<string | undefined> {
  return text((await readTurnFile(files, gitDir, "turns", key))?.id);
}

function recordOf(read: JsonObject): SessionRecord {
  const { turn, failed, byLimit, hasOpenFailure, shown, hasNamedUnstable, ...rest } = read;
  return {
    turn: text(turn) ?? "",
    failed: count(failed),
    byLimit: byLimit === true,
    hasOpenFailure: hasOpenFailure === true,
    isHeld: rest.isHeld === true,
    shown: texts(shown),
    notes: texts(rest.notes),
    hasNamedUnstable: hasNamedUnstable === true,
    background: texts(rest.background),
    postponed: count(rest.postponed),
    isUnverified: rest.isUnverified === true,
    ...definedOnly({
      failedTree: failedTreeOf(rest.failedTree),
      failedIn: text(rest.failedIn),
      limitNamed: text(rest.limitNamed),
      answered: answeredOf(rest.answered),
      settled: settledPointOf(rest.settled),
    }),
  };
}

function failedTreeOf(value: unknown): FailedTree | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tree, failures, passed, stops } = value;
  if (typeof tree !== "string" || typeof failures !== "string") return undefined;
  return { tree, failures, passed: texts(passed), stops: count(stops) };
}

function answeredOf(value: unknown): AnsweredStop | undefined {
  if (!isJsonObject(value)) return undefined;
  const { stop, at, reason } = value;
  if (typeof stop !== "string" || typeof at !== "number") return undefined;
  return { stop, at, reason: text(reason) };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
