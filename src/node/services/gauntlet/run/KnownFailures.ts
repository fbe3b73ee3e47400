/** Separates the new failures of checks from those that are recorded as older, during one run (G43 to G47). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { MIB } from "@/common/limits";
import { isCi } from "@/node/services/gauntlet/change/git/baseBranch";
import { isTextFile, readsFile } from "@/node/services/gauntlet/domain/checkFiles";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/evidence";
import type { CheckRun } from "@/node/services/gauntlet/gates/findings/prepareFindings";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { keyOf, type KnownFailure, type LineText } from "@/node/services/gauntlet/known/identity";
import { judge, type Judgment, type Recorded } from "@/node/services/gauntlet/known/judge";
import type { KnownRecord } from "@/node/services/gauntlet/known/record";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import {
  commandDigest,
  isRecordedBefore,
  localRecordPath,
  readFixed,
  readLocalRecord,
  readSharedRecord,
  writeFixed,
  type RecordPlace,
} from "@/node/services/gauntlet/known/store";
import * as messages from "@/node/services/gauntlet/messages/known";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState, FailureState } from "@/node/services/gauntlet/state/executionState";
import { latestTurn } from "@/node/services/gauntlet/turn/StopSession";
import { readTurnFile } from "@/node/services/gauntlet/turn/turnFiles";

const MAX_FRESH = 200;
const MAX_FILES = 100;
const MAX_FILE_BYTES = MIB;
const OLD_DAYS = 30;
const DAY_MS = 86_400_000;

/** What a failed gate leaves for the next run of the user's turn (G45). */
export type OpenFailures = Pick<FailureState, "fresh" | "ran" | "skipped" | "once">;

/** A record that counts, and what the work changed since. */
type UsableRecord = Omit<Recorded, "unresolved"> & { readonly isShared: boolean };

export class KnownFailures {
  /** By job that failed, its new failures. */
  readonly open = new Map<string, OpenFailures>();
  /** Jobs that run once more, because their failures are flaky or were fixed before. */
  readonly again = new Set<string>();
  /** Texts for the user about failures that may be older than the change. */
  readonly offers: string[] = [];
  readonly #place: RecordPlace;
  #anchors: Promise<readonly string[]> | undefined;

  constructor(
    private readonly given: GauntletRunContext,
    private readonly state: ExecutionState,
    private readonly plan: Pick<Plan, "snapshot" | "scopes">
  ) {
    const { options, context, env } = given;
    this.#place = { runtime: options.runtime, context, env };
  }

  /**
   * Returns the result of a check without its known failures. If it has no others, its outcome is `known`.
   *
   * @param isWhole whether the check ran its whole command: not with some of the files, and not `rerun_command`
   */
  async settle(job: CheckJob, run: CheckRun, isWhole: boolean): Promise<GateResult> {
    const { result, evidence } = run;
    this.again.delete(job.id);
    if (isCi(this.given.env) || result.outcome === "cancelled") return result;
    if (result.outcome !== "failed" || evidence?.exitCode === undefined) {
      if (result.outcome === "passed" && isWhole) await this.#markAllFixed(job);
      return result;
    }
    const { findings = [] } = result;
    const lineText = await readLines(this.given.options, findings);
    const records = await this.#records(job);
    const before = this.#before(job);
    const unresolved = new Set(before?.fresh);
    const judged = records.map(
      (one) =>
        [one, judge({ findings, evidence, lineText, isWhole }, { ...one, unresolved })] as const
    );
    const [record, judgment] = judged.sort(([, a], [, b]) => rank(a) - rank(b)).at(0) ?? [];
    if (record === undefined || judgment === undefined) {
      this.#note(job, [], evidence);
      await this.#offer(job, result);
      return result;
    }
    return await this.#decide(job, result, { record, judgment, evidence, before, isWhole });
  }

  async #decide(
    job: CheckJob,
    result: GateResult,
    { record: { record, fixed }, judgment, evidence, before, isWhole }: Decision
  ): Promise<GateResult> {
    const { fresh, known, doubt, differing, gone, isByLines } = judgment;
    if (isWhole && doubt === undefined && gone.length > 0) {
      await writeFixed(this.#place, job.id, new Set([...fixed, ...gone]));
    }
    this.#warnOfAge(job, record);
    const count = isByLines ? 1 : known.length;
    const part = { count, since: record.at, commit: record.commit };
    const changed = this.plan.scopes.get(job.id)?.changed ?? new Set<string>();
    if (fresh.length > 0 || doubt !== undefined) {
      if (judgment.mayPass && doubt === undefined) this.again.add(job.id);
      this.#note(
        job,
        fresh.map(({ failure }) => keyOf(failure)),
        evidence
      );
      const message = withReason(result.message, doubt);
      if (fresh.length === 0) return { ...result, message };
      return {
        ...result,
        message,
        findings: fresh.map(({ finding }) => finding),
        ...(count === 0 ? {} : { known: part }),
      };
    }
    const missing = missingTests(
      before,
      evidence,
      known.map(({ failure }) => failure)
    );
    if (missing.length > 0) {
      this.open.set(job.id, { ...before });
      return { ...result, message: withReason(result.message, messages.noLongerRuns(missing)) };
    }
    if (isByLines && mayHaveCaused(job, changed) && before?.once !== true) {
      this.open.set(job.id, { once: true });
      return { ...result, message: withReason(result.message, messages.ONLY_LINES) };
    }
    const differs = differing > 0 && changed.size > 0 ? { differing } : {};
    const { findings: _, findingsPath: _list, ...rest } = result;
    return {
      ...rest,
      outcome: "known",
      known: { ...part, ...differs, ...(before?.once === true ? { isDoubtful: true } : {}) },
      message: messages.knownOnly(part),
    };
  }

  /** Returns what a failed gate left, if that was in the user's turn of this run. */
  #before({ id }: CheckJob): FailureState | undefined {
    const failure = this.state.failures[id];
    const { stop } = this.given.options;
    const isOfTurn =
      stop === undefined || (failure?.session === stop.session && failure.turn === stop.turn);
    return isOfTurn ? failure : undefined;
  }

  #note(job: CheckJob, keys: readonly string[], { tools }: CheckEvidence): void {
    const before = this.#before(job)?.fresh ?? [];
    const counts = [...tools.values()];
    this.open.set(job.id, {
      fresh: [...new Set([...before, ...keys])].slice(0, MAX_FRESH),
      ran: counts.reduce((sum, { passed, failed }) => sum + passed + failed, 0),
      skipped: counts.reduce((sum, { skipped }) => sum + skipped, 0),
    });
  }

  /** Marks all failures of the records as fixed, because the check passed. */
  async #markAllFixed(job: CheckJob): Promise<void> {
    if (!(await this.#hasLocalRecord(job))) return;
    const record = await readLocalRecord(this.#place, job.id);
    if (record === undefined || record === "changed" || record.failures.length === 0) return;
    const fixed = await readFixed(this.#place, job.id);
    const keys = new Set([...fixed, ...record.failures.map(keyOf)]);
    if (keys.size > fixed.size) await writeFixed(this.#place, job.id, keys);
  }

  async #hasLocalRecord({ id }: CheckJob): Promise<boolean> {
    const { runtime, context } = this.#place;
    const [stat] = await runtime.stat([localRecordPath(context, id)]);
    return stat?.kind === "file";
  }

  /** Returns the records of a check that count, with the changes since (G44). */
  async #records(job: CheckJob): Promise<UsableRecord[]> {
    const { context, reporter } = this.given;
    const digest = commandDigest(job);
    const anchors = await (this.#anchors ??= this.#findAnchors());
    const found: { record: KnownRecord; tree: string; isShared: boolean }[] = [];
    const local = await readLocalRecord(this.#place, job.id);
    if (local === "changed") {
      reporter.report("warning", messages.recordChanged(localRecordPath(context, job.id)));
    } else if (local?.command === digest && (await isRecordedBefore(this.#place, local, anchors))) {
      found.push({ record: local, tree: local.tree, isShared: false });
    }
    for (const anchor of anchors) {
      const shared = await readSharedRecord(this.#place, job.id, anchor);
      if (shared?.command !== digest) continue;
      found.push({ record: shared, tree: anchor, isShared: true });
      break;
    }
    if (found.length === 0) return [];
    const fixed = await readFixed(this.#place, job.id);
    const usable: UsableRecord[] = [];
    for (const { record, tree, isShared } of found) {
      const since = await sinceRecord(this.#place.runtime, context, tree, this.plan.snapshot);
      if (since.isErr()) {
        reporter.report("warning", messages.recordNotUsable(job.id, since.error.message));
      } else usable.push({ record, since: since.value, fixed, isShared });
    }
    return usable;
  }

  /** Returns the commits that the current work cannot have made: its base, and HEAD when the user's turn began. */
  async #findAnchors(): Promise<readonly string[]> {
    const { options, context } = this.given;
    const { runtime, stop } = options;
    const session = stop?.session ?? (await latestTurn(runtime, context.gitDir))?.session;
    const turn =
      session === undefined
        ? undefined
        : await readTurnFile(runtime, context.gitDir, "turns", session);
    const turnHead = typeof turn?.head === "string" ? turn.head : undefined;
    const own = stop === undefined && turnHead === undefined ? context.head : undefined;
    const all = [context.baseCommit, context.start, turnHead, own];
    return [...new Set(all.filter((commit) => commit !== undefined))];
  }

  /** Tells the user once in a turn how to record failures that may be older than the change. */
  async #offer(job: CheckJob, { findings = [] }: GateResult): Promise<void> {
    const { options, context } = this.given;
    if (options.stop?.failed !== 0 || this.state.baselines[job.id] !== undefined) return;
    if (context.baseCommit === undefined) return;
    const since = await sinceRecord(
      options.runtime,
      context,
      context.baseCommit,
      this.plan.snapshot
    );
    const added = since.map((changes) => changes.added).unwrapOr(new Map<string, never>());
    const old = findings.filter(({ file = "", line = 0 }) => added.get(file)?.has(line) !== true);
    if (findings.length > 0 && old.length === 0) return;
    this.offers.push(messages.mayBeOlder(job.id, old.length, job.gate.name));
  }

  #warnOfAge({ id }: CheckJob, { at }: KnownRecord): void {
    const { now, reporter, options } = this.given;
    if (options.stop === undefined || now().getTime() - Date.parse(at) < OLD_DAYS * DAY_MS) return;
    reporter.report("warning", messages.recordIsOld(id, at));
  }
}

interface Decision {
  readonly record: UsableRecord;
  readonly judgment: Judgment;
  readonly evidence: CheckEvidence;
  readonly before: FailureState | undefined;
  readonly isWhole: boolean;
}

function rank({ doubt, fresh }: Judgment): number {
  return (doubt === undefined ? 0 : 1_000_000) + fresh.length;
}

function withReason(message: string | undefined, why: string | undefined): string {
  return [message, why].filter((part) => part !== undefined).join("; ");
}

/**
 * Returns the tests that failed earlier in the turn and that this run does not show to pass: they do not fail any more,
 * and they are not among the tests that passed, or fewer tests ran.
 */
function missingTests(
  before: FailureState | undefined,
  { passed, tools }: CheckEvidence,
  known: readonly KnownFailure[]
): string[] {
  const failing = new Set(known.map(keyOf));
  const tests = (before?.fresh ?? []).flatMap((key) => (failing.has(key) ? [] : testOf(key)));
  if (tests.length === 0) return [];
  const counts = [...tools.values()];
  const sum = (of: (count: (typeof counts)[number]) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const isNamed = passed.length > 0 && passed.length >= sum((count) => count.passed);
  if (isNamed) {
    const names = new Set(passed.map(({ test }) => test));
    return tests.filter((test) => !names.has(test));
  }
  const ran = sum((count) => count.passed + count.failed);
  const isFewer =
    ran < (before?.ran ?? 0) || sum((count) => count.skipped) > (before?.skipped ?? 0);
  return isFewer ? tests : [];
}

function testOf(key: string): string[] {
  const parts: unknown = JSON.parse(key);
  const test: unknown = Array.isArray(parts) ? parts[1] : undefined;
  return typeof test === "string" ? [test] : [];
}

/** Returns whether the change may have caused a failure of which only lines are known (G45). */
function mayHaveCaused(job: CheckJob, changed: ReadonlySet<string>): boolean {
  const { inputs } = job.gate;
  return [...changed].some((file) =>
    inputs === undefined ? !isTextFile(file) : readsFile(job, file)
  );
}

/** Reads the lines of findings. A file that cannot be read has none. */
export async function readLines(
  { runtime, projectDir }: { readonly runtime: HookRuntime; readonly projectDir: string },
  findings: readonly Finding[]
): Promise<LineText> {
  const inside = findings.flatMap(({ file, line }) =>
    file === undefined || line === undefined || /^(?:\/|\.\.\/)/.test(file) ? [] : [file]
  );
  const files = [...new Set(inside)].slice(0, MAX_FILES);
  const texts = await Promise.all(
    files.map(async (file) => {
      const read = await runtime.readFile(`${projectDir}/${file}`, { maxBytes: MAX_FILE_BYTES });
      const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
      return [file, text.split("\n")] as const;
    })
  );
  const lines = new Map(texts);
  return (file, line) => lines.get(file)?.[line - 1];
}
