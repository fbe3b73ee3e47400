/** What the last run leaves for the next, in `.execution_state` (G16). */
import { join } from "node:path";
import { err, Result } from "neverthrow";
import * as z from "zod/mini";
import { describeError } from "@/common/errors";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { isLost } from "@/node/runtime/connectionErrors";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import {
  PRIORITIES,
  SLOT_OUTCOMES,
  VIOLATION_STATUSES,
} from "@/node/services/gauntlet/domain/review";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/status";
import { isAbsent } from "@/node/services/gauntlet/state/lock/lockFile";
import { STATE_FILE } from "@/node/services/gauntlet/state/runFiles";

/** A working tree that something passed on, and the digest of the definition that it passed by. */
const baselineSchema = z.looseObject({ snapshot: z.string(), definition: z.string() });
export type Baseline = z.infer<typeof baselineSchema>;

/** A violation that cannot be understood would be one that is forgotten: then the whole review is asked anew. */
const violationSchema = z.object({
  id: z.string(),
  file: z.string(),
  line: z.nullable(z.union([z.number(), z.string()])),
  issue: z.string(),
  fix: z.exactOptional(z.string()),
  priority: z.enum(PRIORITIES),
  status: z.enum(VIOLATION_STATUSES),
  result: z.exactOptional(z.string()),
  unplaced: z.exactOptional(z.boolean()),
});

const slotSchema = z.object({
  reviewer: z.string(),
  outcome: z.enum(SLOT_OUTCOMES),
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
});
/** A value of another type than ours counts as none. */
const text = z.catch(z.optional(z.string()), undefined);
const count = z.int().check(z.nonnegative());
const flag = z.catch(z.optional(z.boolean()), undefined);

const stateSchema = z.looseObject({
  /** ISO 8601. */
  last_run_completed_at: z.catch(
    z.optional(z.string().check(z.refine((time) => !Number.isNaN(Date.parse(time))))),
    undefined
  ),
  branch: text,
  commit: text,
  /** The snapshot, held by a ref. */
  working_tree_ref: text,
  /** None: written by an older tool or by hand. */
  status: z.catch(z.optional(z.enum(GAUNTLET_STATUSES)), undefined),
  gates_run: z.catch(z.optional(count), undefined),
  /** Whether the commit was in the base branch already when it was recorded (G18). */
  base_had_commit: flag,
  partial: flag,
  /** Whole runs of the episode that failed: checks of a later one use their `rerun_command` (G19a). */
  attempt: z.catch(count, 0),
  /** IDs of the jobs that are open (G19a). */
  open: z.catch(z.array(z.string()), []),
  /** By job ID of an open gate, the user's turn and the branch in which it failed (G18a). */
  failures: z.catch(z.record(z.string(), failureSchema), {}),
  /** Nested repositories and submodules that differ from the base in the last snapshot (G20d). */
  repositories: z.catch(z.optional(z.array(z.string())), undefined),
  /** By gate, its command when a Stop hook looked last (G20d). */
  definitions: z.catch(z.optional(z.record(z.string(), z.string())), undefined),
  /** Whether a run by hand recorded the starting commit, so that no Stop hook told the person yet (G20b). */
  start_untold: flag,
  /** Whether logs were put away since the last run: what is compared starts at the base again as well (G7a). */
  cleaned: flag,
  /** By job ID, where the job last passed in a whole run on this branch (G7a). */
  baselines: z.catch(z.record(z.string(), baselineSchema), {}),
  /** By job ID and slot, what the reviews of the episode found (G14). */
  reviews: z.catch(z.record(z.string(), z.record(z.string(), slotSchema)), {}),
  /** By reviewer, ISO 8601: until when it is let alone (G13). */
  cooldown: z.catch(z.record(z.string(), z.string()), {}),
  /** Where the last whole run passed, its definition being that of all gates. */
  passed: z.catch(z.optional(baselineSchema), undefined),
});

/** The names are those in the file; what it holds beyond them is kept. */
export type ExecutionState = z.infer<typeof stateSchema>;

/** The part of the state that an episode goes on with. */
export function episodeOf({ attempt, open }: ExecutionState): Episode {
  return { attempt, unresolved: open };
}

/** Where nothing has run, or what ran is put away. */
export const NO_STATE: ExecutionState = {
  attempt: 0,
  open: [],
  failures: {},
  baselines: {},
  reviews: {},
  cooldown: {},
};

export interface StateRead {
  /** None: there is no such file, or none that can be understood. */
  readonly state?: ExecutionState;
  /** Why a file that is there was not understood. */
  readonly warning?: string;
  /** Its machine is out of reach: what the last run left is not known, and must not count as nothing. */
  readonly lost?: FileFailure;
}

export async function readState(files: Files, logDir: string): Promise<StateRead> {
  const path = statePath(logDir);
  const read = await files.readFile(path, { maxBytes: MAX_STATE_BYTES });
  if (read.isErr()) {
    if (isLost(read.error)) return { lost: read.error };
    return isAbsent(read.error) ? {} : unusable(path, read.error.message);
  }
  const json = parseJson(Buffer.from(read.value).toString("utf8"));
  if (json.isErr()) return unusable(path, `it is no JSON (${json.error})`);
  const parsed = stateSchema.safeParse(json.value, { jitless: true });
  if (!parsed.success) return unusable(path, "it is no JSON object");
  // Unlike reading, writing is recursive, and what cannot be written again cannot be kept.
  return stringify(parsed.data).match(
    () => ({ state: parsed.data }),
    (why) => unusable(path, why)
  );
}

/** Written whole: whatever happens, the file is the old one or the new one (G15). */
export async function writeState(
  files: Files,
  logDir: string,
  state: ExecutionState
): Promise<Result<void, FileFailure>> {
  const path = statePath(logDir);
  const json = stringify(state);
  if (json.isErr()) return err({ path, code: "EINVAL", message: json.error });
  return await files.writeFile(path, `${json.value}\n`);
}

const stringify = Result.fromThrowable(
  (state: ExecutionState) => JSON.stringify(state, null, 2),
  describeError
);

/** Room for what the reviews of an episode have found. */
const MAX_STATE_BYTES = 64 * MIB;

function statePath(logDir: string): string {
  return join(logDir, STATE_FILE);
}

function unusable(path: string, why: string): StateRead {
  return { warning: `${path} is left aside, and all is checked anew: ${why}` };
}
