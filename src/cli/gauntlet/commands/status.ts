/**
 * `mux-stop-hooks status`: shows the last run, the attempts that are used, and what is unresolved (G30b). Only reads.
 */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findVanishedHook } from "@/cli/gauntlet/doctor/vanishedHook";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { plainText, visible, plural } from "@/common/text";
import { whyNotAsInFiles } from "@/cli/gauntlet/trust/trustState";
import { reviewAndTrust } from "@/cli/gauntlet/messages/trust";
import { describeRun } from "@/cli/gauntlet/render/lastRun";
import { reviewLines } from "@/cli/gauntlet/render/reviewLines";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import { CHECK_CACHE_FILE } from "@/node/services/gauntlet/state/runFiles";
import { openLogs } from "@/node/services/gauntlet/run/logs/findGateLogs";
import { describePause } from "@/node/services/gauntlet/messages/shared";
import { readState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { isOver, readPause } from "@/node/services/gauntlet/turn/pause";
import { latestCount, latestRecord } from "@/node/services/gauntlet/turn/StopSession";
import { currentBranch } from "@/node/services/gauntlet/hook/runInterval";
import { restoreState } from "@/node/services/gauntlet/run/unresolved/restoreState";
import { stateRestored } from "@/node/services/gauntlet/messages/run";
import * as messages from "@/cli/gauntlet/messages/shared";
import { runInProgress, warning as warningLine } from "@/cli/gauntlet/messages/shared";

export async function status(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  const print = async (project: ConfiguredProject): Promise<ExitCode> => {
    const { runtime, logDir } = project;
    const { state: found, warning, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return printError(context, lost.message);
    if (warning !== undefined) context.stderr.write(`${warningLine(plainText(warning))}\n`);
    const gitDir = found === undefined ? await findGitDir(runtime, project.dir) : undefined;
    const state =
      found ?? (await restoreState(runtime, { gitDir, projectDir: project.dir, logDir }));
    if (found === undefined && state !== undefined) {
      const text = stateRestored(plainText(logDir), state.open);
      context.stderr.write(`${warningLine(text)}\n`);
    }
    const lines = [
      ...(await runningLine(project)),
      ...(await trustLines(project, context)),
      ...(await stopLines(project)),
      ...(state === undefined ? [messages.noRun()] : await stateLines(state, project)),
    ];
    context.stdout.write(`${lines.join("\n")}\n`);
    const vanished = await findVanishedHook(project, context);
    if (vanished !== undefined) printError(context, vanished);
    return EXIT.ok;
  };
  return await inProject(context, print, options);
}

async function runningLine({ runtime, logDir }: ConfiguredProject): Promise<string[]> {
  const identity = await currentProcess(runtime.host);
  const lock = await inspectLock(runtime, logDir, identity, new Date());
  return lock.kind === "held" ? [runInProgress(describeLock(lock.holder))] : [];
}

async function trustLines(
  { runtime, dir }: ConfiguredProject,
  context: CliContext
): Promise<string[]> {
  const why = await whyNotAsInFiles(runtime, dir, context);
  return why === undefined ? [] : [`${why}; ${reviewAndTrust()}`];
}

/** Returns lines about a pause, a postponed stop that no other followed, and the notes of the last stop (G25a). */
async function stopLines({ runtime, dir }: ConfiguredProject): Promise<string[]> {
  const gitDir = await findGitDir(runtime, dir);
  if (gitDir === undefined) return [];
  const pause = await readPause(runtime, { gitDir, projectDir: dir });
  const { isUnverified = false, notes = [] } = (await latestRecord(runtime, gitDir)) ?? {};
  return [
    ...(pause === undefined || isOver(pause, new Date()) ? [] : [`Paused ${describePause(pause)}`]),
    ...(isUnverified
      ? ["Not verified: a stop was postponed for agents in the background, and no stop followed"]
      : []),
    ...notes.map((note) => `Note: ${plainText(note)}`),
  ];
}

async function stateLines(
  state: ExecutionState,
  { runtime, dir, logDir, config }: ConfiguredProject
): Promise<string[]> {
  const { open } = state;
  const branch = await currentBranch(runtime, dir);
  const moved = state.branch !== undefined && branch !== undefined && branch !== state.branch;
  const logs = await openLogs(runtime, logDir, open);
  const openLines = open.flatMap((id) => {
    const log = logs.get(id);
    return [
      `  ${visible(id)}`,
      ...(log === undefined ? [] : [`      ${messages.logAt(visible(log))}`]),
    ];
  });
  return [
    messages.lastRun(describeRun(state)),
    ...(moved
      ? [
          `The current branch is ${visible(branch)}, so the next run moves the results of earlier runs away and starts over.`,
        ]
      : []),
    `Attempts: ${await failedStops(runtime, dir)} of ${config.maxRetries + 1} used`,
    open.length === 0 ? "No gates are unresolved." : `Unresolved: ${plural(open.length, "gate")}`,
    ...openLines,
    ...(await flakyLines(runtime, logDir)),
    ...(await reviewLines(runtime, logDir, state)),
    ...callLines(state),
  ];
}

/** Describes what the reviews cost. */
function callLines({ calls = {} }: ExecutionState): string[] {
  const parts = Object.entries(calls).map(
    ([name, { count, tokens }]) =>
      `${visible(name)} ${count}${tokens === 0 ? "" : ` (${tokens.toLocaleString("en-US")} tokens)`}`
  );
  return parts.length === 0 ? [] : [`Calls of reviewers on this branch: ${parts.join(", ")}`];
}

/** Describes checks that had different outcomes for the same files (G36). */
async function flakyLines(runtime: HookRuntime, logDir: string): Promise<string[]> {
  const { history } = await CheckCache.open(runtime, posix.join(logDir, CHECK_CACHE_FILE));
  return history.unstable.map(
    ({ jobId, passed, failed }) =>
      `Flaky: ${visible(jobId)} passed ${plural(passed, "time")} and failed ${plural(failed, "time")} on the same files`
  );
}

async function failedStops(runtime: HookRuntime, dir: string): Promise<number> {
  const gitDir = await findGitDir(runtime, dir);
  return gitDir === undefined ? 0 : await latestCount(runtime, gitDir);
}
