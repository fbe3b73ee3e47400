/**
 * Defines, reads and writes the state that a run leaves for the next one in the file `.execution_state` (G16). A value
 * of a wrong type counts as missing, and a file that cannot be used is ignored with a warning.
 */
import { join } from "node:path";
import { err, Result } from "neverthrow";
import * as z from "zod/mini";
import { describeError } from "@/common/errors";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { isLost } from "@/node/runtime/lostConnection";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/runStatus";
import { isAbsent } from "@/node/services/gauntlet/state/lock/RunLock";
import { STATE_FILE } from "@/node/services/gauntlet/state/runFiles";

const objectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** Returns a schema that reads a value of another type as a missing one. */
function lenient<T extends z.ZodMiniType>(schema: T) {
  return z.catch(z.optional(schema), undefined);
}

/** A working tree on which a gate passed, and the digest of the definition that applied. */
const baselineSchema = z.looseObject({
  snapshot: z.string(),
  definition: z.string(),
  /** HEAD at that time, absent before the first commit (G33). */
  head: lenient(objectId),
  /** The environment of a run by hand. Absent for a stop. */
  environment: lenient(z.string()),
});
export type Baseline = z.infer<typeof baselineSchema>;

const lateSchema = z.object({ definition: z.string(), limitMs: z.number(), stops: z.number() });

const outputsSchema = z.object({ definition: z.string(), paths: z.array(z.string()) });

/** The name of a check, and one of the reports that a glob relative to the project matches. */
const reportSchema = z.object({ gate: z.string(), file: z.string(), glob: z.string() });
export type FoundReport = z.infer<typeof reportSchema>;

/** Strict: to drop an invalid violation would be to lose it. If one is invalid, all reviews start over instead. */
const violationSchema = z.object({
  id: z.string(),
  file: z.string(),
  line: z.nullable(z.union([z.number(), z.string()])),
  issue: z.string(),
  fix: z.exactOptional(z.string()),
  priority: z.enum(reviews.PRIORITIES),
  status: z.enum(reviews.VIOLATION_STATUSES),
  result: z.exactOptional(z.string()),
  unplaced: z.exactOptional(z.boolean()),
  outside: z.exactOptional(z.boolean()),
  unconfirmed: z.exactOptional(z.boolean()),
  at: z.exactOptional(z.string()),
  judged: z.exactOptional(z.string()),
});

const slotSchema = z.object({
  reviewer: z.string(),
  outcome: z.enum(reviews.SLOT_OUTCOMES),
  snapshot: z.exactOptional(z.string()),
  promptDigest: z.exactOptional(z.string()),
  file: z.exactOptional(z.string()),
  passIteration: z.exactOptional(z.int()),
  violations: z.array(violationSchema),
  fixed: z.array(violationSchema),
});

const failureSchema = z.looseObject({
  session: z.string(),
  turn: z.string(),
  branch: z.exactOptional(z.string()),
  /** The trees or commits that a check with placeholders was compared with when it failed (G32). */
  from: lenient(z.array(objectId)),
  /** The files that its command got when it last failed, and the tree that had them (G32). */
  files: lenient(z.array(z.string())),
  at: lenient(objectId),
  /** Keys of its new failures in this turn, and the number of tests that ran or were skipped (G45). */
  fresh: lenient(z.array(z.string())),
  ran: lenient(z.number()),
  skipped: lenient(z.number()),
  /** The definition and the environment with which it failed (G18a). */
  proof: lenient(z.string()),
  /** Whether it blocked although only the lines of its output are known (G45). */
  once: lenient(z.boolean()),
});
const text = lenient(z.string());
const count = z.int().check(z.nonnegative());
const flag = lenient(z.boolean());

const stateSchema = z.looseObject({
  /** ISO 8601. */
  last_run_completed_at: lenient(
    z.string().check(z.refine((time) => !Number.isNaN(Date.parse(time))))
  ),
  branch: text,
  commit: text,
  /** The snapshot, held by a ref. */
  working_tree_ref: text,
  /** Absent if written by an older tool or by hand. */
  status: lenient(z.enum(GAUNTLET_STATUSES)),
  gates_run: lenient(count),
  /** Whether the commit was already in the base branch when it was recorded (G18). */
  base_had_commit: flag,
  partial: flag,
  /** Failed full runs of the episode. Checks of later runs use their `rerun_command` (G19a). */
  attempt: z.catch(count, 0),
  /** IDs of the unresolved jobs (G19a). */
  open: z.catch(z.array(z.string()), []),
  /** By job ID of an unresolved gate, the user's turn and the branch in which it failed (G18a). */
  failures: z.catch(z.record(z.string(), failureSchema), {}),
  /** By branch that is not checked out, its unresolved gates with their failures (G18a). */
  elsewhere: lenient(z.record(z.string(), z.record(z.string(), failureSchema))),
  /** Nested repositories and submodules that differ from the base in the last snapshot (G20d). */
  repositories: lenient(z.array(z.string())),
  /** By gate, the command of the check or the settings of the review as of the last Stop hook (G20d). */
  definitions: lenient(z.record(z.string(), z.string())),
  /** Whether a run by hand recorded the starting commit, and no Stop hook has notified the user yet (G20b). */
  start_untold: flag,
  /** Warnings of runs by hand that the next stop repeats (G48). */
  untold: lenient(z.array(z.string())),
  /** The commits of a push for which the gates failed (G51). */
  refused_push: lenient(z.array(objectId)),
  /** Whether a clean moved the logs since the last run. Gates are then compared with the base as well (G7a). */
  cleaned: flag,
  /** By job ID, the tree on which the job last passed in a full run on this branch (G7a). */
  baselines: z.catch(z.record(z.string(), baselineSchema), {}),
  /** By job ID, the definition of a check that did not end within the time of a stop, and how often in a row (G27c). */
  late: lenient(z.record(z.string(), lateSchema)),
  /** By job ID, the files that the check wrote in two successive runs, which are outputs (G20c). */
  outputs: lenient(z.record(z.string(), outputsSchema)),
  /** The same for files that changed while the check ran in the last run. */
  written: lenient(z.record(z.string(), outputsSchema)),
  /** Reports that git did not ignore when their check last ran (G20c). */
  reports: lenient(z.array(reportSchema)),
  /** By job ID and slot, the findings of the episode's reviews (G14). */
  reviews: z.catch(z.record(z.string(), z.record(z.string(), slotSchema)), {}),
  /** By reviewer, how often it was called on this branch, and the tokens that it reported (G30b). */
  calls: lenient(z.record(z.string(), z.object({ count: z.number(), tokens: z.number() }))),
  /** By reviewer, the end of its cooldown as ISO 8601 (G13). */
  cooldown: z.catch(z.record(z.string(), z.string()), {}),
  /**
   * Present if written by a version in which globs have one meaning (G4a): the digest of a configuration that held a
   * stop before, and of the last one whose globs were examined.
   */
  globs: lenient(z.looseObject({ old: text, seen: text })),
  /** The tree on which the last full run had only known failures, and what the user was shown (G45). */
  known: lenient(z.looseObject({ snapshot: text, definition: text, head: text, told: text })),
  /** The tree on which the last full run passed. Its definition is that of all gates. */
  passed: lenient(baselineSchema),
});

export type FailureState = z.infer<typeof failureSchema>;

/** The state, with the key names of the file. Unknown keys are kept. */
export type ExecutionState = z.infer<typeof stateSchema>;

/** Returns the part of the state with which the episode continues. */
export function episodeOf({ attempt, open }: ExecutionState): Episode {
  return { attempt, unresolved: open };
}

/** In `globs.old` after a clean, which does not know the configuration. */
export const ANY_TEXT = "any";

/** The state before the first run, and after a clean that keeps no part of the state. */
export const NO_STATE: ExecutionState = {
  attempt: 0,
  open: [],
  failures: {},
  baselines: {},
  reviews: {},
  cooldown: {},
};

export interface StateRead {
  /** Absent if the file does not exist or is invalid. */
  readonly state?: ExecutionState;
  /** Why an existing file could not be used. */
  readonly warning?: string;
  /** Set if the machine is unreachable: the last run's state is unknown, and must not count as empty. */
  readonly lost?: FileFailure;
}

export async function readState(files: Files, logDir: string): Promise<StateRead> {
  const path = join(logDir, STATE_FILE);
  const read = await files.readFile(path, { maxBytes: MAX_STATE_BYTES });
  if (read.isErr()) {
    if (isLost(read.error)) return { lost: read.error };
    return isAbsent(read.error) ? {} : unusable(path, read.error.message);
  }
  const json = parseJson(Buffer.from(read.value).toString("utf8"));
  if (json.isErr()) return unusable(path, `it is not JSON (${json.error})`);
  const parsed = stateSchema.safeParse(json.value, { jitless: true });
  if (!parsed.success) return unusable(path, "it is not a JSON object");
  // Unlike parsing, serializing is recursive, and a state that cannot be written again cannot be kept.
  return stringify(parsed.data).match(
    () => ({ state: parsed.data }),
    (why) => unusable(path, why)
  );
}

/** Returns a state from a copy of it, or undefined if the copy is invalid. */
export function parseState(copy: unknown): ExecutionState | undefined {
  return stateSchema.safeParse(copy, { jitless: true }).data;
}

/** Writes the file atomically: it always has the old content or the new one (G15). */
export async function writeState(
  files: Files,
  logDir: string,
  state: ExecutionState
): Promise<Result<void, FileFailure>> {
  const path = join(logDir, STATE_FILE);
  const json = stringify(state);
  if (json.isErr()) return err({ path, code: "EINVAL", message: json.error });
  return await files.writeFile(path, `${json.value}\n`);
}

const stringify = Result.fromThrowable(
  (state: ExecutionState) => JSON.stringify(state, null, 2),
  describeError
);

/** Enough for the findings of an episode's reviews. */
const MAX_STATE_BYTES = 64 * MIB;

function unusable(path: string, why: string): StateRead {
  return { warning: `${path} is ignored, so the results of earlier runs do not count: ${why}` };
}
