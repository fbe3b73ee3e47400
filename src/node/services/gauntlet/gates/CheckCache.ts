/**
 * Reads and writes `.check_cache.json`: the passes of checks, which do not run again with the same inputs (G21), and
 * their last outcomes and durations, for the order (G41), flaky checks (G36) and the time limit (G27c). Also makes the
 * key of a pass, a digest of a check's definition and inputs.
 */
import * as z from "zod/mini";
import { ok, type Result } from "neverthrow";
import { readJson } from "@/node/runtime/fileContents";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { sha256 } from "@/common/hash";
import { matcherOf } from "@/node/services/gauntlet/domain/relevantFiles";
import * as checks from "@/node/services/gauntlet/gates/runCheck";

/** Beyond this number of checks, those that ran least recently are removed. */
const MAX_CHECKS = 500;
/** The number of outcomes that are kept of each check. */
const MAX_OUTCOMES = 20;
/** The number of passes whose durations are kept. */
const MAX_DURATIONS = 5;
/** The number of digits of a snapshot's ID that are kept. */
const TREE_DIGITS = 12;

const outcomeSchema = z.enum(["passed", "failed", "flaky"]);
const checkSchema = z.object({
  /** The duration of its last run in milliseconds. */
  ms: z.number(),
  /** The durations of its last passes. */
  passes: z.catch(z.optional(z.array(z.number())), undefined),
  /** The tree and the outcome of each run, the latest last. */
  outcomes: z.array(z.tuple([z.string(), outcomeSchema])),
});
const historySchema = z.array(z.tuple([z.string(), checkSchema]));

type Outcome = z.output<typeof outcomeSchema>;
type CheckRecord = z.output<typeof checkSchema>;

/** The last outcomes and durations of each check. */
export class CheckHistory {
  /** The checks by job ID; the one that ran last is at the end. */
  readonly #checks: Map<string, CheckRecord>;
  #isChanged = false;

  constructor(entries: readonly (readonly [string, CheckRecord])[] = []) {
    this.#checks = new Map(entries);
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  get entries(): readonly (readonly [string, CheckRecord])[] {
    return [...this.#checks];
  }

  /** Adds the result of a check that ran on a tree. Ignores results from the cache and of checks without an outcome. */
  add(result: GateResult, tree: string): void {
    const { jobId, kind, durationMs, cachedSince } = result;
    const outcome = outcomeOf(result);
    if (kind !== "check" || outcome === undefined || cachedSince !== undefined) return;
    const { outcomes: earlier = [], passes = [] } = this.#checks.get(jobId) ?? {};
    const entry: [string, Outcome] = [tree.slice(0, TREE_DIGITS), outcome];
    const ms = Math.round(durationMs);
    const passed = outcome === "passed" ? [ms] : [];
    this.#checks.delete(jobId);
    this.#checks.set(jobId, {
      ms,
      passes: [...passes, ...passed].slice(-MAX_DURATIONS),
      outcomes: [...earlier, entry].slice(-MAX_OUTCOMES),
    });
    this.#isChanged = true;
    for (const oldest of this.#checks.keys()) {
      if (this.#checks.size <= MAX_CHECKS) break;
      this.#checks.delete(oldest);
    }
  }

  /** Returns whether the last run of a check failed. A flaky pass counts as a failure. */
  hasFailed(jobId: string): boolean {
    const last = this.#checks.get(jobId)?.outcomes.at(-1);
    return last !== undefined && last[1] !== "passed";
  }

  /** Returns the duration of the last run in milliseconds, or infinity if there was none. */
  durationOf(jobId: string): number {
    return this.#checks.get(jobId)?.ms ?? Infinity;
  }

  /** Returns the longest of the last passes in milliseconds, or infinity if there was none (G27c). */
  usualMs(jobId: string): number {
    const { passes = [] } = this.#checks.get(jobId) ?? {};
    return passes.length === 0 ? Infinity : Math.max(...passes);
  }

  /** Lists the checks that had different outcomes for the same tree. The list is only displayed. */
  get unstable(): { jobId: string; passed: number; failed: number }[] {
    return [...this.#checks].flatMap(([jobId, { outcomes }]) => {
      const mixed = outcomes.map(([tree]) => tree).filter((tree) => isMixed(outcomes, tree));
      if (mixed.length === 0) return [];
      const all = outcomes.filter(([tree]) => mixed.includes(tree)).map(([, outcome]) => outcome);
      const failed = all.filter((outcome) => outcome !== "passed").length;
      // A flaky run has failed and passed.
      const passed = all.filter((outcome) => outcome !== "failed").length;
      return [{ jobId, passed, failed }];
    });
  }
}

function isMixed(outcomes: CheckRecord["outcomes"], wanted: string): boolean {
  const all = new Set(outcomes.flatMap(([tree, outcome]) => (tree === wanted ? [outcome] : [])));
  return all.has("flaky") || all.size > 1;
}

function outcomeOf({ outcome, flaky, overLimit }: GateResult): Outcome | undefined {
  if (outcome === "passed") return flaky === true ? "flaky" : "passed";
  return outcome === "failed" && overLimit !== true ? "failed" : undefined;
}

/** Beyond this number the oldest are removed. Each takes about 100 bytes of the file. */
const MAX_PASSES = 1000;
const MAX_FILE_BYTES = MIB;

const cacheSchema = z.object({
  version: z.literal(1),
  passes: z.array(z.tuple([z.string().check(z.regex(/^[0-9a-f]{64}$/)), z.iso.datetime()])),
  history: z.optional(historySchema),
});

/** The passes and the history. They are in one file, because each file costs a round trip on a remote workspace. */
export class CheckCache {
  /** The time of the pass of each key, the latest last. */
  readonly #passes: Map<string, string>;
  #isChanged = false;

  readonly history: CheckHistory;

  private constructor(
    private readonly files: Files,
    private readonly path: string,
    { passes, history }: { passes?: [string, string][]; history?: z.output<typeof historySchema> }
  ) {
    this.#passes = new Map(passes);
    this.history = new CheckHistory(history);
  }

  /** Opens the cache. A missing, unreadable or invalid file is an empty cache. */
  static async open(files: Files, path: string): Promise<CheckCache> {
    const json = await readJson(files, path, { maxBytes: MAX_FILE_BYTES });
    const { data } = cacheSchema.safeParse(json, { jitless: true });
    return new CheckCache(files, path, data ?? {});
  }

  /**
   * Returns the time of the pass in ISO 8601, or undefined if there was none.
   *
   * @param key the SHA-256 of the check's definition and inputs
   */
  get(key: string): string | undefined {
    return this.#passes.get(key);
  }

  /** Adds a pass. Failures are never cached, nor are flaky passes (G36) and results from the cache itself. */
  put(key: string, { outcome, cachedSince, flaky }: GateResult, now: Date): void {
    if (outcome !== "passed" || cachedSince !== undefined || flaky === true) return;
    this.#passes.delete(key);
    this.#passes.set(key, now.toISOString());
    this.#isChanged = true;
    for (const oldest of this.#passes.keys()) {
      if (this.#passes.size <= MAX_PASSES) break;
      this.#passes.delete(oldest);
    }
  }

  async save(): Promise<Result<void, FileFailure>> {
    if (!this.#isChanged && !this.history.isChanged) return ok(undefined);
    const content = { version: 1, passes: [...this.#passes], history: this.history.entries };
    const text = `${JSON.stringify(content)}\n`;
    return await this.files.writeFile(this.path, text, { isDisposable: true });
  }
}

/** A file as git lists it: its path from the project root, and the ID of its content and mode. */
export interface FileId {
  readonly path: string;
  readonly id: string;
}

/** The inputs of a key, in addition to the check's definition. */
export interface CheckKeyInputs extends Pick<checks.CheckContext, "rerun" | "env" | "base"> {
  /** The files that its command gets, if it gets any (G32). */
  readonly passed?: readonly string[];
  /** Digest of what decides which programs the command starts. */
  readonly environment?: string;
  /** HEAD, on which a check with `reads: history` depends. */
  readonly head?: string | undefined;
  /** The tree of the whole snapshot, for a check without `inputs`. */
  readonly treeId: string;
  /** Every file of the snapshot, tracked or not, in any order. */
  readonly files: readonly FileId[];
}

/** Returns the key of a check, or undefined if its `inputs` match no file: it is then unknown what the check reads. */
export function checkKey(job: checks.CheckJob, material: CheckKeyInputs): string | undefined {
  const isInput = matcherOf(job, "inputs");
  const read =
    isInput &&
    material.files.filter(({ path }) => isInput(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (read?.length === 0) return undefined;

  const lines: string[] = [];
  // One JSON value per line, so that adjacent values cannot be confused.
  const add = (value: unknown): void => void lines.push(`${JSON.stringify(value)}\n`);
  add(["check 2", material.environment ?? null]);
  // The commit does not matter to a check that names what it reads; one with {base} has it in its variables.
  const base = read === undefined ? material.base : undefined;
  add([job.id, base ?? null, checks.commandOf(job.gate, material.rerun)]);
  add(sorted(material.env));
  // The position of the definition makes no difference; everything else does.
  add(sorted({ ...job.gate, source: undefined, env: sorted(job.gate.env) }));
  if (material.passed !== undefined) {
    const ids = new Map(material.files.map(({ path, id }) => [path, id]));
    add(material.passed.map((path) => [path, ids.get(path) ?? null]));
  }
  if (job.gate.reads === "history") add(["HEAD", material.head ?? null]);
  if (read === undefined) add(material.treeId);
  else for (const { path, id } of read) add([path, id]);
  return sha256(lines.join(""));
}

function sorted(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
