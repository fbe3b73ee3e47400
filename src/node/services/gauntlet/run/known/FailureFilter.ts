/**
 * Adapts the result of each check of a run: separates its new failures from those that are recorded as known (G43 to
 * G47), and does not block for failures that this machine causes (G49) or that a change of texts only cannot have
 * caused (G45). Warns of tests that no longer run (G48), and offers the user to record failures that may be older than
 * the change.
 */
import { posix } from "node:path";
import * as identity from "@/node/services/gauntlet/known/failureIdentity";
import * as messages from "@/node/services/gauntlet/messages/known";
import { shownCommand } from "@/common/ownCommandName";
import { plural, visible } from "@/common/safeText";
import { isCi } from "@/common/isCi";
import { isSetupFile, isTextFile, readsFile } from "@/node/services/gauntlet/domain/relevantFiles";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/collectFindings";
import { listFindings } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { addUp } from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import type { CheckRun, CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { judge, type Judgment } from "@/node/services/gauntlet/known/compareWithRecord";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import * as checkFacts from "@/node/services/gauntlet/known/failureStore";
import { EnvironmentFailures } from "@/node/services/gauntlet/run/known/EnvironmentFailures";
import { UsableRecords } from "@/node/services/gauntlet/run/known/UsableRecords";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState, FailureState } from "@/node/services/gauntlet/state/executionState";

const MAX_FRESH = 200;
const MAX_NAMED = 5;
const OLD_DAYS = 30;
const DAY_MS = 86_400_000;

/** The facts about a failed gate for the next run of the user's turn (G45). */
export type OpenFailures = Pick<FailureState, "fresh" | "ran" | "skipped" | "once">;

export class FailureFilter {
  /** By job that failed, its new failures. */
  readonly open = new Map<string, OpenFailures>();
  /** Jobs that run once more, because their failures are flaky or were fixed before. */
  readonly again = new Set<string>();
  /** Texts for the user about failures that may be older than the change. */
  readonly offers: string[] = [];
  /** Warnings of a run by hand that the next stop repeats, because an agent may have started the run. */
  readonly untold: string[] = [];
  readonly #place: checkFacts.RecordPlace;
  readonly #records: UsableRecords;
  readonly #environment: EnvironmentFailures;

  constructor(
    private readonly given: GauntletRunContext,
    private readonly state: ExecutionState,
    private readonly plan: Pick<Plan, "snapshot" | "scopes">
  ) {
    const { options, context, env } = given;
    this.#place = { runtime: options.runtime, context, env };
    this.#environment = new EnvironmentFailures(given, state, plan.snapshot);
    this.#records = new UsableRecords(given, this.#place, plan.snapshot);
  }

  /**
   * Returns the result of a check without its known failures. If it has no others, its outcome is `known`. A failure
   * that the environment or older work probably caused becomes an `error`, which does not block.
   *
   * @param isWhole whether the check ran its whole command: not with some of the files, not since a commit, and not
   *   `rerun_command`
   */
  async settle(job: CheckJob, run: CheckRun, isWhole: boolean): Promise<GateResult> {
    const { result, evidence } = run;
    const isRetry = this.again.delete(job.id);
    if (isCi(this.given.env)) return isWhole ? await this.#records.failIfStale(job, run) : result;
    if (result.outcome === "passed") {
      await this.#environment.notePass(job);
      if (isWhole) await this.#records.markAll(job.id);
      await this.#compareTests(job, run, isWhole);
      return result;
    }
    if (result.outcome !== "failed") return result;
    const isUnrelated = await this.#isUnrelated(job, run);
    if (evidence?.exitCode === undefined) {
      return isUnrelated && result.timedOut === true ? unverified(job, result, true) : result;
    }
    const before = this.#before(job);
    const hasBlocked = before?.once === true;
    const mayStop = hasBlocked || isUnrelated;
    const missing = await this.#environment.settle(job, result, evidence, mayStop);
    if (missing !== undefined) {
      this.open.set(job.id, { ...openPartOf(before), once: hasBlocked || !isUnrelated });
      return missing;
    }
    const { findings = [] } = result;
    const lineText = await identity.readLines(this.given.options, findings);
    const records = await this.#records.of(job);
    const unresolved = new Set(before?.fresh);
    const judged = records.map((one) => ({
      ...{ record: one.record, evidence, before, isWhole },
      judgment: judge({ findings, evidence, lineText, isWhole }, { ...one, unresolved }),
    }));
    const [best] = judged.sort((a, b) => rank(a.judgment) - rank(b.judgment));
    if (best === undefined) {
      if (isUnrelated) return unverified(job, result, isRecordable(findings, evidence));
      this.#note(job, [], evidence);
      if (isRecordable(findings, evidence)) await this.#offer(job, findings);
      return result;
    }
    return await this.#decide(job, result, {
      ...best,
      // A failure that was flaky before is not new because it occurs twice.
      isOldFlake: isRetry && !mayHaveCaused(job, this.#changed(job)),
    });
  }

  /**
   * Returns whether the work cannot have caused a failure of a check: only texts changed, the failure names none of
   * them, and the check has never passed here (G45).
   */
  async #isUnrelated(job: CheckJob, { result, evidence }: CheckRun): Promise<boolean> {
    const changed = this.#changed(job);
    const texts = [...changed].filter(isTextFile);
    const { findings = [] } = result;
    if (texts.length === 0 || mayHaveCaused(job, changed)) return false;
    if (findings.some(({ file = "" }) => changed.has(file))) return false;
    const folder = job.gate.workingDirectory ?? job.entryPoint;
    // In a folder, a name without one is that of a file there.
    const paths = texts.flatMap((file) =>
      folder === "." || !file.includes("/")
        ? posix.relative(folder, file)
        : [file, posix.relative(folder, file)]
    );
    const output = evidence?.lines.join("\n") ?? "";
    return !paths.some((path) => names(output, path)) && !(await this.#environment.hasPassed(job));
  }

  #changed({ id }: CheckJob): ReadonlySet<string> {
    return this.plan.scopes.get(id)?.changed ?? new Set();
  }

  /** Returns whether only the whole command can show that the tests which failed in this turn pass. */
  needsWhole(job: Pick<CheckJob, "id">): boolean {
    const fresh = this.#before(job)?.fresh ?? [];
    return fresh.some((key) => identity.placeOfKey(key).test !== undefined);
  }

  async #decide(
    job: CheckJob,
    result: GateResult,
    { record, judgment, evidence, before, isWhole, isOldFlake }: Decision
  ): Promise<GateResult> {
    const { known, doubt, differing, gone, isByLines } = judgment;
    if (isWhole && doubt === undefined) await this.#records.mark(job.id, gone);
    this.#warnOfAge(job, record);
    const count = isByLines ? 1 : known.length;
    const part = { count, since: record.at, commit: record.commit };
    const changed = this.#changed(job);
    const fresh = isOldFlake && judgment.mayPass ? [] : judgment.fresh;
    if (fresh.length > 0 || doubt !== undefined) {
      if (judgment.mayPass && doubt === undefined) this.again.add(job.id);
      const keys = fresh.map(({ failure }) => identity.keyOf(failure));
      this.#note(job, keys, evidence);
      const explanation = doubt && {
        text: `its known failures do not count, because ${doubt.text}`,
        about: doubt.about,
      };
      if (fresh.length === 0) return { ...result, explanation };
      const findings = fresh.map(({ finding }) => finding);
      const { findingsPath } = result;
      if (findingsPath !== undefined) {
        await this.#place.runtime.writeFile(findingsPath, listFindings(findings, 0));
      }
      return { ...result, explanation, findings, known: count === 0 ? undefined : part };
    }
    const missing = missingTests(before, evidence, known);
    if (missing.length > 0) {
      this.open.set(job.id, openPartOf(before));
      const about = missing.slice(0, MAX_NAMED);
      const text = `${plural(missing.length, "test")} failed earlier in this turn and did not run again:`;
      return { ...result, explanation: { text, about } };
    }
    if (isByLines && mayHaveCaused(job, changed) && before?.once !== true) {
      this.open.set(job.id, { ...openPartOf(before), once: true });
      const text =
        "its output is the same as before your change, but your change may concern this check; if it does not, stop again";
      return { ...result, explanation: { text } };
    }
    await this.#compareTests(job, { result, evidence }, isWhole);
    const differs = differing > 0 && changed.size > 0 ? { differing } : {};
    const { findings: _, findingsPath: _list, ...rest } = result;
    return {
      ...rest,
      outcome: "known",
      known: { ...part, ...differs, ...(before?.once === true ? { isDoubtful: true } : {}) },
      message: messages.knownOnly(part),
    };
  }

  /** Returns the recorded failure of a job, if it failed in the user's turn of this run. */
  #before({ id }: Pick<CheckJob, "id">): FailureState | undefined {
    const failure = this.state.failures[id];
    const { stop } = this.given.options;
    const isOfTurn =
      stop === undefined || (failure?.session === stop.session && failure.turn === stop.turn);
    return isOfTurn ? failure : undefined;
  }

  /** Records the new failures of a job. Keeps the counts of that run of the turn in which most tests ran. */
  #note(job: CheckJob, keys: readonly string[], { tools }: CheckEvidence): void {
    const before = openPartOf(this.#before(job));
    const { passed, failed, skipped } = addUp([...tools.values()]);
    const ran = passed + failed;
    this.open.set(job.id, {
      ...before,
      fresh: [...new Set([...(before.fresh ?? []), ...keys])].slice(0, MAX_FRESH),
      ...(ran >= (before.ran ?? 0) ? { ran, skipped } : {}),
    });
  }

  /** Warns of tests that ran when the check last passed, and records those of this run (G48). */
  async #compareTests(
    job: CheckJob,
    { result, evidence }: CheckRun,
    isWhole: boolean
  ): Promise<void> {
    if (evidence === undefined || !isWhole) return;
    const counts = addUp([...evidence.tools.values()]);
    if (counts.isPartial === true || evidence.passed.length < counts.passed) return;
    const failing = (result.findings ?? []).flatMap(({ file, test }) =>
      test === undefined ? [] : [{ file, test }]
    );
    const ran = [...evidence.passed, ...failing];
    if (ran.length === 0 && evidence.tools.size === 0) return;
    const { options, context, reporter } = this.given;
    const changed = this.#changed(job);
    const path = checkFacts.factPath(context, context.gitDir, "tests", job.id);
    const { reportProblem } = evidence;
    let text: string | undefined;
    if (reportProblem !== undefined && ran.length === 0) {
      // It is unknown which tests ran.
      const [list] = await options.runtime.stat([path]);
      if (list?.kind === "file") text = messages.testsNotCompared(job.id, reportProblem);
    } else {
      const vanished = await checkFacts.replaceTests(options.runtime, path, ran, changed);
      if (vanished.length > 0) text = messages.vanishedTests(job.id, vanished);
    }
    if (text === undefined) return;
    reporter.weaken(text);
    if (options.stop === undefined) this.untold.push(text);
  }

  /** Informs the user once in a turn how to record failures that may be older than the change. */
  async #offer(job: CheckJob, findings: readonly Finding[]): Promise<void> {
    const { options, context } = this.given;
    const { baseCommit } = context;
    if (options.stop?.failed !== 0 || baseCommit === undefined) return;
    if (await this.#environment.hasPassed(job)) return;
    const since = await sinceRecord(options.runtime, context, baseCommit, this.plan.snapshot);
    const added = since.map((changes) => changes.added).unwrapOr(new Map<string, never>());
    const old = findings.filter(({ file = "", line = 0 }) => added.get(file)?.has(line) !== true);
    if (findings.length > 0 && old.length === 0) return;
    const what = old.length === 0 ? "its failure" : plural(old.length, "failure");
    this.offers.push(
      `${visible(job.id)}: ${what} may be older than the change. "${shownCommand()} known record --gate ${visible(job.gate.name)}" in a terminal records what fails at HEAD, so that only new failures block`
    );
  }

  #warnOfAge({ id }: CheckJob, { at }: checkFacts.KnownRecord): void {
    const { now, reporter, options } = this.given;
    if (options.stop === undefined || now().getTime() - Date.parse(at) < OLD_DAYS * DAY_MS) return;
    reporter.warn(
      `the known failures of ${id} were recorded on ${at}, more than 30 days ago; "${shownCommand()} known record" records those of today`
    );
  }
}

interface Decision {
  readonly record: checkFacts.KnownRecord;
  readonly judgment: Judgment;
  readonly evidence: CheckEvidence;
  readonly before: FailureState | undefined;
  readonly isWhole: boolean;
  /** Whether flaky failures that occurred again are not caused by the change. */
  readonly isOldFlake: boolean;
}

function rank({ doubt, fresh }: Judgment): number {
  return (doubt === undefined ? 0 : 1_000_000) + fresh.length;
}

/**
 * Returns the tests that failed earlier in the turn and that this run does not show to pass: they do not fail any more,
 * and they are not among the tests that passed, or fewer tests ran.
 */
function missingTests(
  before: FailureState | undefined,
  { passed, tools }: CheckEvidence,
  known: readonly identity.Identified[]
): string[] {
  const failing = new Set(known.map(({ failure }) => identity.keyOf(failure)));
  const others = before?.fresh?.filter((key) => !failing.has(key)) ?? [];
  const tests = others.flatMap((key) => identity.placeOfKey(key).test ?? []);
  const counts = addUp([...tools.values()]);
  if (tests.length === 0 || counts.isPartial === true) return [];
  if (passed.length > 0 && passed.length >= counts.passed) {
    const names = new Set(passed.map(({ test }) => test));
    return tests.filter((test) => !names.has(test));
  }
  const { ran = 0, skipped = 0 } = before ?? {};
  const isFewer = counts.passed + counts.failed < ran || counts.skipped > skipped;
  return isFewer ? tests : [];
}

/** Returns only the parts of a failure that the next run of the turn needs. */
function openPartOf({ fresh, ran, skipped, once }: OpenFailures = {}): OpenFailures {
  return { fresh, ran, skipped, once };
}

/** Returns whether the change may have caused a failure of which only lines are known (G45). */
function mayHaveCaused(job: CheckJob, changed: ReadonlySet<string>): boolean {
  const { inputs } = job.gate;
  return [...changed].some((file) =>
    inputs === undefined ? !isTextFile(file) && !isSetupFile(file) : readsFile(job, file)
  );
}

/** Returns whether an output has a path, not only as the end of another one. */
function names(output: string, path: string): boolean {
  const parts = output.split(path);
  const startsHere = (before = "") => /(?:^|[^\w./-])(?:\.\/)?$/.test(before);
  return parts.slice(1).some((after, i) => startsHere(parts[i]) && !/^[\w/-]/.test(after));
}

/** Returns whether `known record` has something by which it can recognize the failure. */
function isRecordable(findings: readonly Finding[], { lines }: CheckEvidence): boolean {
  return findings.length > 0 || identity.maskedLines(lines).size > 0;
}

/** Returns the result of a check that failed, but whose failure is unrelated to the work. */
function unverified({ gate }: CheckJob, result: GateResult, mayRecord: boolean): GateResult {
  const why = `${result.message ?? "failed"}; no run of the gates has passed it here, and only texts changed`;
  const message = mayRecord
    ? `${why}. "${shownCommand()} known record --gate ${visible(gate.name)}" in a terminal records what fails at HEAD`
    : why;
  return { ...result, outcome: "error", unreachable: true, message };
}
