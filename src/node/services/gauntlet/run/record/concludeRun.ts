/**
 * Derives the result of a run from its gates' results, with the caveats for the user, and records it with its log and
 * the state for the next run. A gate that failed with another definition or environment stays unresolved after a run by
 * hand (G18a). After a full run that passed, moves the logs to `previous/` (G18).
 */
import { posix } from "node:path";
import { clip, firstNames, plural, visible } from "@/common/safeText";
import * as episodes from "@/node/services/gauntlet/domain/episode";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { reportSettings } from "@/node/services/gauntlet/domain/outputRules";
import type { RunResult, SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { fixFailed, fixedByAll } from "@/node/services/gauntlet/messages/autoFixes";
import { INTERRUPTED, unstableFiles } from "@/node/services/gauntlet/messages/shared";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { closing, type Executed } from "@/node/services/gauntlet/run/execute/executePlan";
import { adviceOnLimit } from "@/node/services/gauntlet/run/execute/overTimeLimit";
import { reviewFiles, cleanLogs } from "@/node/services/gauntlet/run/logs/cleanLogs";
import { inPrevious, movedLog } from "@/node/services/gauntlet/run/logs/RunLog";
import * as outputFiles from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import { proofOf, recordEnd } from "@/node/services/gauntlet/run/record/persistState";
import { comparesOtherwise, isFullRun } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { StopCount } from "@/node/services/gauntlet/turn/StopHistory";
import { knownAtStop } from "@/node/services/gauntlet/messages/known";
import type { FixedTree } from "@/node/services/gauntlet/run/runContext";

const MAX_NAMED = 3;
const MAX_UNREACHABLE = 5;
const MAX_NAME_CHARS = 200;
const MAX_LEFT_OUT = 20;
const MAX_LEFT_OUT_CHARS = 400;

export async function concludeRun(executed: Executed): Promise<RunResult> {
  const { plan, log, gates, looked, scripts, ended, reviews, known, bases } = executed;
  const { given, state, before, gone, fixes } = plan;
  const { runtime, options, config, logDir, reporter } = given;
  const { stop } = options;
  const whole = isFullRun(options);
  const outcome = { results: gates, whole, ended, isOther: comparesOtherwise(options) };
  // A full run has every unresolved job that still applies. The others stay unresolved, or are closed if a trusted
  // configuration no longer defines them (G18a).
  const ids = new Set([...looked.jobs.map(({ id }) => id), ...gates.map(({ jobId }) => jobId)]);
  const isHere = (id: string): boolean => !whole || ids.has(id);
  const here = before.unresolved.filter(isHere);
  const others = before.unresolved.filter((id) => !isHere(id) && !gone.closed.includes(id));
  const settled = episodes.episodeAfter({ ...before, unresolved: here }, outcome);
  const { skipped } = reviews;
  const unchanged = stop === undefined ? 0 : unchangedStops(stop, plan.tree, gates);
  const retries = stop && { ...stop, maxRetries: config.maxRetries, unchanged };
  const plain = episodes.statusOf(outcome, settled, retries);
  // The agent may stop, and the user is notified (G2, G20d, G35, G36, G45).
  const hasWarnings =
    [...skipped, ...fixes.fixed.keys(), ...scripts, ...leftOutViolations(gates)].length > 0 ||
    gates.some((gate) => gate.flaky === true || gate.outcome === "known");
  const status = plain === "passed" && hasWarnings ? "passed_with_warnings" : plain;
  const foreign = stop === undefined ? failedOtherwise(executed) : [];
  for (const { jobId } of gates.filter(
    (gate) => foreign.includes(gate.jobId) && !episodes.isUnresolved(gate)
  )) {
    reporter.warn(
      `${visible(jobId)} passed, and is unresolved until the next stop: it failed with another definition, or in another environment`
    );
  }
  const after = episodes.keepUnresolved(settled, before, [...others, ...foreign]);
  const cleans = whole && isSuccessStatus(status);
  const found = {
    outputs: outputFiles.addWritten(state.outputs, looked.written),
    reports: await reportsAfter(executed),
    written: outputFiles.addWritten(undefined, looked.writtenOnce),
  };
  reporter.warn(...outputFiles.describeOutputs(config, found), ...(await describeGone(executed)));
  const unstable = cleans ? looked.unstable : undefined;
  const isUnstable = unstable !== undefined;
  if (isUnstable && unstable.length > 0) {
    const event = { type: "notice", level: "info", text: unstableFiles(unstable) } as const;
    log.onEvent(event);
    reporter.emit(event);
  }
  const moved = (path: string): string => (cleans ? inPrevious(path, logDir) : path);
  for (const { logPath, ...fix } of fixes.failed) {
    const text = fixFailed({ ...fix, logPath: logPath && moved(logPath) });
    log.onEvent({ type: "notice", level: "warning", text });
    reporter.warn(text);
  }
  const shown = cleans ? gates.map((gate) => movedLog(gate, logDir)) : gates;
  const result = createResult(status, {
    gates: shown,
    fixed: [...before.unresolved.filter((id) => !after.unresolved.includes(id)), ...reviews.fixed],
    skipped,
    consoleLogPath: moved(log.path),
    errorMessage: status === "infrastructure_error" ? whyNoResult(executed) : undefined,
    // Runs by hand cost no attempt, so they have no maximum (G19).
    attempt: whole ? (stop?.failed ?? before.attempt) + 1 : undefined,
    maxAttempts: whole && stop ? config.maxRetries + 1 : undefined,
    caveat: caveatOf(shown, {
      passed: isSuccessStatus(status),
      unstable: isUnstable ? whyUnstable(executed) : undefined,
      fixed: fixes.fixed,
      offers: status === "retry_limit_exceeded" ? limitCauses(executed) : known.offers,
      skipped,
    }),
    unstable,
    ...(stop && { tree: plan.tree, unchangedStops: unchanged }),
    warnings: reporter.warnings,
    reasonBudget: config.reasonBudget,
    ...plan.shard,
  });
  const { jobs, snapshot, reviewSnapshot } = looked;
  const closed = log.close(result);
  const left = await recordEnd({
    ...{ kind: "ended", given, state: { ...state, calls: reviews.calls } },
    ended: {
      ...{ after, result, snapshot, reviewSnapshot, isUnstable, jobs, reviews, found },
      ...{ environment: plan.environment, scopes: executed.scopes, baseCommits: bases.made },
      ...{ open: known.open, untold: known.untold },
    },
  });
  await closed;
  if (cleans) {
    const copied = reviewFiles(reviews.reviews, after.unresolved);
    await cleanLogs(runtime, logDir, { keepState: true, copied });
  }
  return left;
}

/**
 * Returns the number of failed stops of the user's turn, this one included, if all of them had this tree and these
 * failures; else 0 (G19).
 */
function unchangedStops(
  { failed, failedTree: last, mayRelease = false }: StopCount,
  tree: string,
  gates: readonly GateResult[]
): number {
  if (!mayRelease) return 0;
  if (failed === 0) return 1;
  const isSame = last?.tree === tree && last.failures === episodes.failuresDigest(gates);
  return isSame && last.stops === failed ? failed + 1 : 0;
}

/** Returns the unresolved jobs that failed with another definition or environment. No run by hand resolves them. */
function failedOtherwise({ plan, looked }: Executed): string[] {
  return plan.before.unresolved.filter((id) => {
    const gate = looked.jobs.find((job) => job.id === id)?.gate;
    const proof = plan.state.failures[id]?.proof;
    return gate && proof !== undefined && proof !== proofOf(gate, plan.environment);
  });
}

/** Names the files that unresolved checks rejected, if no such file is left, which alone resolves the checks (G32). */
async function describeGone({ plan, gates }: Executed): Promise<string[]> {
  const { runtime, projectDir } = plan.given;
  const texts = gates.map(async ({ jobId, outcome }) => {
    const { files = [] } = plan.state.failures[jobId] ?? {};
    if (outcome !== "no_files" || files.length === 0) return [];
    const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
    const gone = files.filter((_, i) => stats[i]?.kind === "missing");
    if (gone.length === 0) return [];
    const names = firstNames(gone.map(visible), MAX_NAMED);
    return [
      `${visible(jobId)} was not run again, because no file is left of those that it rejected (${names}); if their content is in other files now, check these`,
    ];
  });
  return (await Promise.all(texts)).flat();
}

/** Looks for reports that git does not ignore after their checks ran. Otherwise the last result applies. */
async function reportsAfter({ plan, looked }: Executed): Promise<ExecutionState["reports"]> {
  const hasReport = looked.jobs.some(
    ({ id, gate }) =>
      gate.kind === "check" &&
      reportSettings(gate).length > 0 &&
      looked.gates.some(({ jobId, command }) => jobId === id && command !== undefined)
  );
  if (!hasReport) return plan.state.reports;
  return await outputFiles.findReports(plan.given.runtime, closing(plan.given).context);
}

/** Returns why the pass does not apply to the current files (G20c). */
function whyUnstable({ looked: { late }, checkedAt }: Executed): string {
  if (late === undefined) {
    return "files changed again while the checks ran, so the current files were not verified; run the gauntlet again when they no longer change";
  }
  const time = checkedAt.toTimeString().slice(0, 8);
  return `verified at ${time}; ${late === 1 ? "1 file has" : `${late} files have`} changed since, which the next stop checks`;
}

/** Returns why a run has no verdict: it was interrupted, or a gate could not be reached or did not end in time. */
function whyNoResult({ plan, gates, ended }: Executed): string {
  const { options, signal } = plan.given;
  const [gate, ...others] = gates.filter(({ unreachable }) => unreachable === true);
  if (ended === "person" || gate?.message === undefined) {
    const reason: unknown = signal?.reason;
    const isKnown = reason instanceof Error && reason.name !== "AbortError";
    return isKnown ? reason.message : INTERRUPTED;
  }
  const names = others.map(({ jobId }) => visible(jobId));
  const also =
    names.length === 0 ? "" : `; nor is there a result of ${firstNames(names, MAX_UNREACHABLE)}`;
  const advice = adviceOnLimit(gates, options);
  const why = `${visible(gate.jobId)}${gate.overLimit === true ? "" : ":"} ${gate.message}${also}`;
  return advice === undefined ? why : `${why}; ${advice}`;
}

/** Names the gates that the time limit of a stop ended, with the next steps of the user (G27c). */
function limitCauses({ plan, gates }: Executed): string[] {
  const over = gates.filter(({ overLimit }) => overLimit === true);
  const causes = over.map(({ jobId, message = "" }) => `${visible(jobId)} ${message}`);
  return [...causes, adviceOnLimit(gates, plan.given.options) ?? []].flat();
}

interface RunFacts {
  /** Whether every gate passed. If not, flaky gates and files that were not reviewed are not notable. */
  readonly passed: boolean;
  /** Why the pass does not apply to the current files. */
  readonly unstable: string | undefined;
  /** Also those of jobs that are no longer due, because their fix left nothing to check. */
  readonly fixed: FixedTree["fixed"];
  /** Texts about failures that may be older than the change (G45). */
  readonly offers: readonly string[];
  readonly skipped: readonly SkippedIssue[];
}

/** Returns the limits of a result that the user should know, or undefined if everything was verified. */
export function caveatOf(
  gates: readonly GateResult[],
  { passed, unstable, fixed, offers, skipped }: RunFacts
): string | undefined {
  const known = gates.flatMap(({ jobId, outcome, known: part, logPath }) =>
    outcome === "known" && part !== undefined ? [knownAtStop(jobId, part, logPath)] : []
  );
  const caveats = [
    ...known,
    ...firstTexts(
      skipped.map(({ issue, reason }) => `skipped: ${short(issue)} (reason: ${short(reason)})`),
      (more) => `skipped ${more}; the console log of the run has them`
    ),
    ...leftOutViolations(gates),
    ...(passed ? unverified(gates, unstable) : offers),
    ...fixedByAll(fixed),
  ];
  return caveats.length === 0 ? undefined : caveats.join("; ");
}

/** Returns the texts of the violations that do not count (G12). */
function leftOutViolations(gates: readonly GateResult[]): string[] {
  const all = gates.flatMap(({ slots = [] }) => slots.flatMap(({ leftOut = [] }) => leftOut));
  return firstTexts(
    all.map(short),
    (more) => `left out ${more}; "rawOutput" in the JSON of the review has them`
  );
}

const short = (text: string): string => clip(text, MAX_LEFT_OUT_CHARS);

function firstTexts(all: readonly string[], rest: (more: string) => string): string[] {
  const more = all.length - MAX_LEFT_OUT;
  const last = more > 0 ? [rest(plural(more, "further violation"))] : [];
  return [...all.slice(0, MAX_LEFT_OUT), ...last];
}

/** Returns texts about the parts of the change that a pass did not verify reliably. */
function unverified(gates: readonly GateResult[], unstable: string | undefined): string[] {
  const slots = gates.flatMap((gate) => gate.slots ?? []);
  const cut = [...new Set(slots.flatMap((slot) => slot.cut ?? []))];
  const names = cut.map((file) => clip(visible(file), MAX_NAME_CHARS));
  const cutText = `files that no reviewer saw in full, because of their size or a NUL byte: ${firstNames(names, MAX_NAMED)}`;
  const flaky = gates.filter((gate) => gate.flaky === true);
  return [
    ...(unstable === undefined ? [] : [unstable]),
    ...flaky.map(
      ({ jobId, runs = 2 }) => `${visible(jobId)} is flaky: it failed, and passed on run ${runs}`
    ),
    ...(cut.length > 0 ? [cutText] : []),
  ];
}
