/**
 * Runs a check, a shell command that passes with exit code 0, with a time limit and a log (G11). Collects its findings
 * if it fails (G37), and its tests also if it passes (G48).
 */
import { posix } from "node:path";
import { unreachable } from "@/common/errors";
import { MODEL_KEYS } from "@/common/modelKeyVariables";
import { MIB } from "@/common/limits";
import { lostWith } from "@/node/runtime/lostConnection";
import type { ExecEnd, FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import type { CheckDefinition, GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { withBase } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import {
  reportPath,
  REPORT_VARIABLE,
  type FindingsSource,
} from "@/node/services/gauntlet/domain/findings/finding";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { runCalls, shellCalls, shownCommand } from "@/node/services/gauntlet/gates/runWithFiles";
import type * as collected from "@/node/services/gauntlet/gates/findings/collectFindings";
import type { ReportStamps } from "@/node/services/gauntlet/gates/findings/readReports";
import * as messages from "@/node/services/gauntlet/messages/shared";

/** The log keeps the first and the last 32 MiB of a longer output (G11). */
const KEPT_LOG_BYTES = 64 * MIB;

export interface CheckContext {
  /** Absolute, on the workspace's machine. */
  readonly projectDir: string;
  /** Whether the episode has had a run before, so that `rerun_command` is used, whose pass is not one of `command`. */
  readonly rerun: boolean;
  /** Added to the environment of the workspace's machine, and overridden by the check's own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The files for `{files}` and `{files0}`, relative to the project root. Without any, such a check does not run. */
  readonly files?: readonly string[];
  /** The commit for `{base}` (G33). */
  readonly base?: string | undefined;
  /** Absolute. The file does not exist yet. */
  readonly logPath: string;
  /** Absolute. The file for the list of its findings, if it fails (G37). */
  readonly findingsPath?: string;
  /** Whether a file, relative to the project, changed in the comparison of the job. */
  readonly isChanged?: (file: string) => boolean;
  readonly signal?: AbortSignal;
  readonly now: () => Date;
}

export type CheckJob = Job & { readonly gate: CheckDefinition };

export function isCheckJob(job: Job): job is CheckJob {
  return job.gate.kind === "check";
}

/**
 * Runs a check until it ends. Ends its whole process tree at its limit and on abort. The log has its output, but not
 * the middle of an output longer than 64 MiB. Never rejects: a check that cannot start is an `error`, and so is one
 * whose log cannot be created.
 */
export async function runCheck(
  runtime: HookRuntime,
  job: CheckJob,
  context: CheckContext
): Promise<CheckRun> {
  const { gate } = job;
  const { projectDir, logPath, signal, now } = context;
  const script = withBase(commandOf(gate, context.rerun), context.base);
  const folder = gate.workingDirectory ?? job.entryPoint;
  const cwd = posix.join(projectDir, folder);
  const calls = shellCalls(script, folder, context.files ?? []);
  const result = (durationMs: number, verdict: Partial<GateResult> & CheckOutcome): GateResult => ({
    ...{ jobId: job.id, kind: gate.kind, gate: gate.name, entryPoint: job.entryPoint },
    ...{ durationMs, logPath },
    command: shownCommand(script, calls),
    folder: cwd,
    ...verdict,
  });

  if (signal?.aborted) {
    return { result: result(0, { outcome: "cancelled", message: messages.CANCELLED }) };
  }
  if (calls.length === 0) {
    return { result: result(0, { outcome: "no_files", message: "No files", logPath: undefined }) };
  }
  const reports = await reportsBefore(runtime, cwd, gate.findings);
  const header = firstLines(job.id, script, cwd, now());
  let footer = "";
  const { end, durationMs, logFailure } = await runCalls(runtime, calls, {
    cwd,
    env: {
      ...{ ...context.env, [REPORT_VARIABLE]: reportPath(logPath), ...gate.env },
      [RECURSION_MARKER]: String(process.pid),
    },
    unsetEnv: MODEL_KEYS,
    passEnv: gate.passEnv,
    timeoutMs: gate.timeoutS * 1000,
    logTo: {
      path: logPath,
      keepBytes: KEPT_LOG_BYTES,
      header,
      footer: (ended) =>
        (footer = lastLine({ ...verdictOn(ended.end, gate), durationMs: ended.durationMs }, now())),
    },
    signal,
  });
  const ended = result(durationMs, verdictOn(end, gate, logFailure));
  const request = { ...context, folder: cwd, reports, own: { header, footer } };
  const run = await withFindings(runtime, gate, ended, request);
  const exitCode = end.kind === "exited" ? end.code : undefined;
  return { ...run, evidence: run.evidence && { ...run.evidence, exitCode } };
}

/** Returns the command for the first run of an episode, or for the later ones (G4). */
export function commandOf({ command, rerunCommand }: CheckDefinition, rerun: boolean): string {
  return rerun ? (rerunCommand ?? command) : command;
}

type CheckOutcome = Pick<GateResult, "outcome" | "message" | "timedOut" | "unreachable">;

/** Returns the outcome. A passed check stays passed without its log; the message of a failed one mentions the loss. */
function verdictOn(
  end: ExecEnd,
  { timeoutS }: CheckDefinition,
  logFailure?: FileFailure
): CheckOutcome {
  const loss = logFailure === undefined ? "" : ` (its log is incomplete: ${logFailure.message})`;
  const unreached = lostWith(end) === undefined ? {} : { unreachable: true };
  const failed = (why: string) => ({ outcome: "failed", message: `${why}${loss}` }) as const;
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? { outcome: "passed" } : failed(messages.exitedWith(end.code));
    case "signaled":
      return failed(messages.killedBy(end.signal));
    case "timedOut":
      return { ...failed(messages.timedOut(timeoutS)), timedOut: true };
    case "cancelled":
      return { ...failed(messages.CANCELLED), outcome: "cancelled" };
    case "lost":
      return { ...unreached, outcome: "error", message: messages.outcomeUnknown(end.message) };
    case "notStarted":
      return { ...unreached, outcome: "error", message: messages.notStarted(end.message) };
    default:
      return unreachable(end);
  }
}

/** Returns the lines that the gauntlet adds to a check's log before its output (G30a). */
function firstLines(title: string, script: string, cwd: string, now: Date): string {
  const lines = [title, `Command: ${script}`, `Folder: ${cwd}`];
  return lines.map((line) => timed(now, line)).join("");
}

/** Returns the line after the output. */
function lastLine(
  { outcome, message, durationMs }: Pick<GateResult, "outcome" | "message" | "durationMs">,
  now: Date
): string {
  const why = message === undefined ? "" : ` - ${message}`;
  return timed(now, `Result: ${outcome} (${(durationMs / 1000).toFixed(2)}s)${why}`);
}

/** Formats a line. Further lines of a command are indented, so that they cannot be taken for lines of the gauntlet. */
function timed(time: Date, text: string): string {
  return `[${time.toISOString()}] ${text.replace(/\n(?=.)/g, "\n    ").trimEnd()}\n`;
}

/** The result of a check, and the other facts of its run. */
export interface CheckRun {
  readonly result: GateResult;
  /** Absent if it gave no verdict, or passed and probably runs no tests. */
  readonly evidence?: collected.CheckEvidence;
}

/** Returns the state of the reports of earlier commands, which do not count. */
async function reportsBefore(
  runtime: HookRuntime,
  folder: string,
  sources: readonly FindingsSource[] = []
): Promise<ReportStamps> {
  const globs = sources.flatMap((source) => (source.kind === "report" ? (source.glob ?? []) : []));
  if (globs.length === 0) return new Map();
  const { stampReports } = await import("@/node/services/gauntlet/gates/findings/readReports");
  return await stampReports(runtime, folder, globs);
}

/**
 * Adds its findings to the result of a check that failed. Loads the parsers only for a check that failed or probably
 * ran tests (G37). Never rejects, and changes no outcome.
 */
async function withFindings(
  runtime: HookRuntime,
  { command, findings: sources }: CheckDefinition,
  result: GateResult,
  request: Omit<collected.FindingsRequest, "sources">
): Promise<CheckRun> {
  const hasPassed = result.outcome === "passed";
  const isNeeded = result.outcome === "failed" || (hasPassed && namesTests(command, sources));
  if (!isNeeded || sources?.length === 0) return { result };
  const { collectFindings } =
    await import("@/node/services/gauntlet/gates/findings/collectFindings");
  const found = await collectFindings(runtime, { ...request, sources, hasPassed });
  const { evidence } = found;
  return { result: hasPassed ? result : { ...result, ...found.result }, evidence };
}

/** Returns whether a command probably runs tests, whose names are recorded when it passes (G48). */
function namesTests(command: string, sources: readonly FindingsSource[] | undefined): boolean {
  return (
    sources?.some((source) => source.kind === "report" && source.format === "junit") ??
    TEST_COMMAND.test(command)
  );
}

const TEST_COMMAND = /test|spec|jest|mocha|phpunit|tox|nox|\bava\b|\btap\b|playwright|mvn|gradle/i;
