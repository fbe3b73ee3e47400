/**
 * Runs checks at HEAD, twice if they fail, and records their failures as known, locally or in a shared file, for the
 * commands `known record` and `init`. Refuses failures that could not be recognized again or may hide others (G44,
 * G46).
 */
import * as identity from "@/node/services/gauntlet/known/failureIdentity";
import * as checkFacts from "@/node/services/gauntlet/known/failureStore";
import { posix } from "node:path";
import { err, ok, safeTry, type Result } from "neverthrow";
import { changedFiles } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { ignoreLogDir } from "@/node/services/gauntlet/change/git/excludeFromGit";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { isSetupFile, readsFile } from "@/node/services/gauntlet/domain/relevantFiles";
import {
  type CheckRun,
  isCheckJob,
  runCheck,
  type CheckJob,
} from "@/node/services/gauntlet/gates/runCheck";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/collectFindings";
import {
  environmentCause,
  type EnvironmentFacts,
} from "@/node/services/gauntlet/known/environmentCause";
import { baseVariables, BaseCommits } from "@/node/services/gauntlet/run/execute/commandInputs";
import { isInProject, openLogDir } from "@/node/services/gauntlet/run/logs/logDir";
import { environmentFacts } from "@/node/services/gauntlet/run/known/EnvironmentFailures";
import { HeadWorktree } from "@/node/services/gauntlet/run/known/HeadWorktree";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import type { RunEnv, RunFailure } from "@/node/services/gauntlet/run/runContext";
import { selectGates } from "@/node/services/gauntlet/run/runOptions";
import { selectJobs, type JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import { MISSING } from "@/node/services/gauntlet/messages/known";
import { RunLock, describeLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";

export interface RecordRequest extends Pick<RunEnv, "runtime" | "projectDir" | "env" | "now"> {
  readonly config: GauntletConfig;
  /** Names of the only gates. */
  readonly gates?: readonly string[] | undefined;
  /** Analyzes the command of a check. */
  readonly analyze: (job: CheckJob) => Promise<CommandAnalysis>;
  /** Writes the file that the team commits, instead of the local one. */
  readonly isShared: boolean;
  /** In milliseconds, for each run of a check and for all of them. */
  readonly limits?: { readonly checkMs: number; readonly totalMs: number };
  readonly signal?: AbortSignal | undefined;
  /** Receives a check that is about to run, and returns a signal that skips it. */
  readonly onStart?: (job: CheckJob) => AbortSignal | undefined;
  readonly onEnd?: (end: RecordEnd) => void;
}

export interface CommandAnalysis {
  /** Why the command ends at its first failure and so hides others. */
  readonly endsEarly?: string;
  /** Whether it runs several tools, or a script whose content is unknown. */
  readonly isCompound: boolean;
}

/** The outcome for one check. `refused`: it fails, but its failures cannot be recorded. */
type Outcome =
  | { readonly kind: "passed" }
  | {
      readonly kind: "recorded";
      readonly count: number;
      readonly flaky: number;
      readonly path: string;
      readonly commit: string;
    }
  | { readonly kind: "refused"; readonly why: string };

export type RecordEnd = Outcome & { readonly job: CheckJob };

interface RecordRun {
  readonly request: RecordRequest;
  readonly context: GitContext;
  readonly head: string;
  readonly tree: string;
  readonly logDir: string;
  readonly scopes: ReadonlyMap<string, JobScope>;
  /** By path, the files that differ from HEAD. */
  readonly dirty: ReadonlyMap<string, { readonly isNew: boolean }>;
  readonly until: number;
}

/** Runs each check on the files of HEAD, twice if it fails. Takes the lock of a run. Changes no state of the gates. */
export async function recordAtHead(
  request: RecordRequest
): Promise<Result<RecordEnd[], RunFailure>> {
  const { runtime, projectDir, config, now, signal } = request;
  const opened = await openRunRepository(request, config);
  if (opened.isErr()) return err(opened.error);
  const context = opened.value;
  const { head, headTree } = context;
  if (head === undefined || headTree === undefined)
    return err({ message: "the repository has no commit yet; failures are recorded for a commit" });
  const logDir = await openLogDir(runtime, projectDir, config);
  const lock = await RunLock.acquire(runtime, logDir, await currentProcess(runtime.host), now());
  if (lock.isErr()) {
    const { error } = lock;
    const message =
      error.kind === "held"
        ? `another gauntlet is running (${describeLock(error.holder)}); try again when it has ended`
        : `the log folder cannot be used: ${error.failure.path}: ${error.failure.message}`;
    return err({ message });
  }
  const worktree = new HeadWorktree(runtime, context);
  // Otherwise the lock would be a change of the working tree.
  if (isInProject(projectDir, logDir)) {
    await ignoreLogDir(runtime, context, posix.relative(projectDir, logDir));
  }
  try {
    return await plan(request, context).map(async ({ jobs, ...rest }) => {
      const until = performance.now() + (request.limits?.totalMs ?? Infinity);
      const run = { request, context, head, tree: headTree, logDir, until, ...rest };
      const ends: RecordEnd[] = [];
      for (const job of jobs) {
        if (signal?.aborted === true) break;
        const end = { job, ...(await recordOne(run, job, worktree)) };
        ends.push(end);
        request.onEnd?.(end);
      }
      return ends;
    });
  } finally {
    await worktree.remove();
    await runtime.remove(posix.join(logDir, LOG_FOLDER));
    await lock.value.release();
  }
}

const LOG_FOLDER = ".known";

function plan(request: RecordRequest, context: GitContext) {
  const { runtime, config, env, gates } = request;
  return safeTry(async function* () {
    const wanted = selectGates(config, { kind: "check", ...(gates && { gates }) }, env);
    const { entryPoints } = yield* wanted.mapErr((message) => ({ message }));
    const { id: snapshot } = yield* await takeSnapshot(runtime, context);
    const { headTree = snapshot } = context;
    const selection = yield* await selectJobs({
      ...{ runtime, context, config, entryPoints, snapshot: headTree },
      ...{ unresolved: [], baselines: {}, all: true },
    });
    const changed = yield* await changedFiles(runtime, context, headTree, snapshot);
    const dirty = changed
      .filter(({ path }) => !isSetupFile(path))
      .map(({ path, status }) => [path, { isNew: status === "added" }] as const);
    const jobs = selection.jobs.filter(isCheckJob);
    return ok({ jobs, scopes: selection.scopes, dirty: new Map(dirty) });
  });
}

async function recordOne(run: RecordRun, job: CheckJob, worktree: HeadWorktree): Promise<Outcome> {
  const { request, context, dirty } = run;
  const { endsEarly, isCompound } = await request.analyze(job);
  const isAtHead = [...dirty].every(
    ([path, { isNew }]) => isNew && job.gate.inputs !== undefined && !readsFile(job, path)
  );
  const place = isAtHead ? ok(request.projectDir) : await worktree.open();
  if (place.isErr())
    return refused(
      `the working tree differs from HEAD, and a temporary worktree could not be made: ${place.error.message}; commit or stash your work, then record again`
    );
  const skip = request.onStart?.(job);
  const first = await runOnce(run, job, place.value, 1, skip);
  if (first.result.outcome === "passed") return { kind: "passed" };
  if (endsEarly !== undefined)
    return refused(
      `its command ends at its first failure (${endsEarly}), so others may be hidden; make its parts checks of their own`
    );
  const facts = await environmentFacts(request, context, run.tree, undefined);
  const why = whyRefused(first, facts);
  if (why !== undefined) return refused(why);
  const second = await runOnce(run, job, place.value, 2, skip);
  const again = second.result.outcome === "passed" ? undefined : whyRefused(second, facts);
  if (again !== undefined) return refused(again);
  const findings = [first, second].flatMap(({ result }) => result.findings ?? []);
  const lineText = await identity.readLines({ ...request, projectDir: place.value }, findings);
  const made = failuresOfRuns({ first, second, isCompound }, lineText);
  if (made.isErr()) return refused(made.error);
  const at = request.now().toISOString().slice(0, 10);
  const { head: commit, tree } = run;
  const about = { check: job.id, command: checkFacts.commandDigest(job), commit, tree, at };
  const written = await write(run, { ...about, ...made.value });
  if (written.isErr()) return refused(written.error);
  const found = made.value.failures.filter(({ line }) => line === undefined);
  const flaky = found.filter((one) => one.flaky === true).length;
  const count = found.length === 0 ? 1 : found.length - flaky;
  return { kind: "recorded", count, flaky, path: written.value, commit };
}

function refused(why: string): Outcome {
  return { kind: "refused", why };
}

async function runOnce(
  { request, context, logDir, scopes, until }: RecordRun,
  job: CheckJob,
  projectDir: string,
  nth: number,
  skip: AbortSignal | undefined
): Promise<CheckRun> {
  const { runtime, now, signal, limits } = request;
  const scope = scopes.get(job.id);
  const found = await new BaseCommits(runtime, context).of(job, scope);
  const base = found.unwrapOr(undefined)?.commit;
  const leftMs = Math.min(limits?.checkMs ?? Infinity, until - performance.now());
  const timeoutS = Math.max(0.001, Math.min(job.gate.timeoutS, leftMs / 1_000));
  const stop = AbortSignal.any([signal, skip].filter((one) => one !== undefined));
  const logPath = posix.join(logDir, LOG_FOLDER, `${job.logName}.${nth}.log`);
  const inputs = { files: scope?.files, base, env: baseVariables(base) };
  return await runCheck(
    runtime,
    { ...job, gate: { ...job.gate, timeoutS } },
    { ...inputs, projectDir, rerun: false, logPath, signal: stop, now }
  );
}

/** Returns why a failed run cannot be recorded, or undefined if it can. */
function whyRefused({ result, evidence }: CheckRun, facts: EnvironmentFacts): string | undefined {
  const { outcome, timedOut, findings = [] } = result;
  if (timedOut === true) return "it reached its time limit, so it is unknown what else would fail";
  if (outcome === "cancelled") return "it was skipped";
  const exitCode = evidence?.exitCode;
  if (evidence === undefined || exitCode === undefined) return result.message ?? outcome;
  if (exitCode === 126 || exitCode === 127)
    return `it exits with ${exitCode}, because a program cannot be found or started`;
  const cause = environmentCause({ lines: evidence.lines, exitCode, findings }, facts);
  if (cause !== undefined) return `${MISSING[cause.kind]}: ${cause.line}`;
  if (evidence.hasMore) return "it may have more problems than are read";
  const tests = [...evidence.tools.values()].filter(
    ({ passed, failed, skipped }) => passed + failed + skipped > 0
  );
  const mayPass = tests.some(({ passed, isPartial }) => passed > 0 || isPartial === true);
  if (tests.length > 0 && !mayPass)
    return "no test passed, so it probably cannot run here; make it run, then record again";
  const hasTests = findings.some(({ test }) => test !== undefined);
  if (hasTests && tests.length === 0) return "the number of its tests is unknown";
  if (findings.length === 0 && identity.maskedLines(evidence.lines).size === 0)
    return "it printed nothing by which its failure could be recognized";
  return undefined;
}

/** Returns the content of a record for two runs on the same files, or why they cannot be recorded. */
export function failuresOfRuns(
  { first, second, isCompound }: Record<"first" | "second", CheckRun> & { isCompound: boolean },
  lineText: identity.LineText
): Result<
  Pick<checkFacts.KnownRecord, "exit" | "tools" | "unseen" | "isCompound" | "failures">,
  string
> {
  const exit = first.evidence?.exitCode ?? 1;
  const hasFailedTwice = second.result.outcome !== "passed";
  const identified = ({ result: { findings = [] } }: CheckRun): identity.KnownFailure[] =>
    identity.identify(findings, lineText).map(({ failure }) => failure);
  const [failures, others] = [identified(first), identified(second)];
  const hasTests = failures.some(({ test }) => test !== undefined);
  if (hasFailedTwice && second.evidence?.exitCode !== exit && !hasTests) {
    return err(`it exited with ${exit}, then with ${second.evidence?.exitCode ?? "a signal"}`);
  }
  const tools = toolsOf(first.evidence, hasFailedTwice ? second.evidence : undefined);
  if (failures.length === 0 || others.length === 0) {
    if (!hasFailedTwice) return err("it failed only once in two runs");
    if (failures.length + others.length > 0)
      return err("only one of its two failed runs has findings");
    return linesOf(first.evidence, second.evidence).map((all) => ({ exit, tools, failures: all }));
  }
  const keys = [failures, others].map((ofRun) => new Set(ofRun.map(identity.keyOf)));
  const union = new Map([...others, ...failures].map((one) => [identity.keyOf(one), one]));
  const merged = [...union].map(([key, one]) =>
    keys.every((ofRun) => ofRun.has(key)) ? one : { ...one, flaky: true }
  );
  const lines = isCompound ? otherLines(first, second) : [];
  const unseen: Record<string, number> = {};
  for (const [tool, now] of [first, second].flatMap((run) => [...(run.evidence?.tools ?? [])])) {
    unseen[tool] = Math.max(unseen[tool] ?? 0, now.unseen ?? 0);
  }
  const all = [...merged, ...lines];
  return ok({ exit, tools, unseen, isCompound: isCompound || undefined, failures: all });
}

/** Returns the lines that name an error and are about no finding, each as often as in one of the runs. */
function otherLines(...runs: readonly CheckRun[]): identity.KnownFailure[] {
  const lines = runs.flatMap(({ result, evidence }) => {
    const counts = identity.countLines(
      identity.otherErrors(evidence?.lines ?? [], result.findings ?? [])
    );
    return [...counts].flatMap(([line, count]) =>
      Array.from({ length: count }, (_, i) => (i === 0 ? { line } : { line, nth: i + 1 }))
    );
  });
  return [...new Map(lines.map((one) => [identity.keyOf(one), one])).values()];
}

/** Returns the lines of an output, or why they cannot be compared with those of another run. */
function linesOf(
  first: CheckEvidence | undefined,
  second: CheckEvidence | undefined
): Result<identity.KnownFailure[], string> {
  if (first?.isOutputCut !== false || second?.isOutputCut !== false)
    return err("its output is too long to be compared");
  const [a, b] = [identity.maskedLines(first.lines), identity.maskedLines(second.lines)];
  const differing = [...a].find((line) => !b.has(line)) ?? [...b].find((line) => !a.has(line));
  if (differing !== undefined) return err(`its output differs between two runs: ${differing}`);
  return ok([...a].map((line) => ({ line })));
}

/** Returns the number of tests that each tool ran in both runs. */
function toolsOf(
  first: CheckEvidence | undefined,
  second: CheckEvidence | undefined
): Record<string, number> {
  const ran = [...(first?.tools ?? [])].flatMap(([tool, { passed, failed }]) => {
    const other = second?.tools.get(tool);
    if (second !== undefined && other === undefined) return [];
    const count = Math.min(passed + failed, other ? other.passed + other.failed : Infinity);
    return [[tool, count] as const];
  });
  return Object.fromEntries(ran);
}

async function write(
  { request, context }: RecordRun,
  record: checkFacts.KnownRecord
): Promise<Result<string, string>> {
  const { runtime, projectDir, env, isShared } = request;
  if (!isShared) {
    const path = checkFacts.localRecordPath(context, record.check);
    const written = await checkFacts.writeLocalRecord({ runtime, context, env }, record);
    return written.map(() => path).mapErr((one) => one.message);
  }
  const folder = posix.join(projectDir, checkFacts.SHARED_FOLDER);
  const path = posix.join(folder, checkFacts.recordName(record.check));
  await runtime.createFile(posix.join(folder, ".gitattributes"), "*.jsonl merge=union\n", MODE);
  await checkFacts.forgetFixed({ runtime, context, env }, record.check);
  const written = await runtime.writeFile(path, checkFacts.recordText(record), MODE);
  return written.map(() => path).mapErr((one) => one.message);
}

const MODE = { mode: 0o644 };
