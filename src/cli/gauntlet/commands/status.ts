/**
 * `mux-stop-hooks status`: shows the last run, the attempts that are used, and what is unresolved (G30b). Only reads.
 */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { findVanishedHook } from "@/cli/gauntlet/doctor/vanishedHook";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { plainText, visible, plural } from "@/common/text";
import { whyNotAsInFiles } from "@/cli/gauntlet/trust/trustState";
import { reviewAndTrust } from "@/cli/gauntlet/messages/trust";
import { describeRun } from "@/cli/gauntlet/render/lastRun";
import { publishedJson, type PublishedStatus } from "@/cli/gauntlet/publishedJson";
import { readReviews, reviewLines } from "@/cli/gauntlet/render/reviewLines";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import { CHECK_CACHE_FILE } from "@/node/services/gauntlet/state/runFiles";
import { withLogs } from "@/node/services/gauntlet/run/logs/unresolvedGates";
import { describePause, pausedGates } from "@/node/services/gauntlet/messages/shared";
import { readState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentBranch, findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { isOver } from "@/node/services/gauntlet/turn/pause";
import { latestCount } from "@/node/services/gauntlet/turn/StopSession";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { restoreState } from "@/node/services/gauntlet/run/logs/keptState";
import { stateRestored } from "@/node/services/gauntlet/messages/run";
import * as messages from "@/cli/gauntlet/messages/shared";
import { runInProgress, warning as warningLine } from "@/cli/gauntlet/messages/shared";

export interface StatusOptions extends PlaceOption {
  readonly json?: boolean;
}

export async function status(options: StatusOptions, context: CliContext): Promise<ExitCode> {
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
    const notices = [...(await trustLines(project, context)), ...(await stopLines(project))];
    const published = await publish(project, state, notices);
    context.stdout.write(
      options.json === true
        ? publishedJson("status", published)
        : `${render(published, state).join("\n")}\n`
    );
    const vanished = await findVanishedHook(project, context);
    if (vanished !== undefined) printError(context, vanished);
    return EXIT.ok;
  };
  return await inProject(context, print, options);
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
  const store = new TurnStore(runtime, gitDir);
  const pause = await store.read("pauses", hashKey(dir));
  const { isUnverified = false, notes = [] } = (await store.newest("sessions")) ?? {};
  return [
    ...(pause === undefined || isOver(pause, new Date())
      ? []
      : [`Paused ${pausedGates(pause)}${describePause(pause)}`]),
    ...(isUnverified
      ? ["Not verified: a stop was postponed for agents in the background, and no stop followed"]
      : []),
    ...notes.map((note) => `Note: ${plainText(note)}`),
  ];
}

/** Collects what both forms of the output show. */
async function publish(
  { runtime, dir, logDir, config }: ConfiguredProject,
  state: ExecutionState | undefined,
  notices: string[]
): Promise<PublishedStatus> {
  const identity = await currentProcess(runtime.host);
  const lock = await inspectLock(runtime, logDir, identity, new Date());
  const { history } = await CheckCache.open(runtime, posix.join(logDir, CHECK_CACHE_FILE));
  const gitDir = await findGitDir(runtime, dir);
  return {
    projectDir: dir,
    branch: await currentBranch(runtime, dir),
    running: lock.kind === "held" ? describeLock(lock.holder) : undefined,
    notices,
    lastRun: state && {
      status: state.status,
      completedAt: state.last_run_completed_at,
      branch: state.branch,
      gatesRun: state.gates_run,
      isPartial: state.partial === true,
    },
    attempts: {
      used: gitDir === undefined ? 0 : await latestCount(new TurnStore(runtime, gitDir)),
      allowed: config.maxRetries + 1,
    },
    unresolved: await withLogs(runtime, logDir, state?.open ?? []),
    flaky: history.unstable.map((check) => ({ ...check })),
    reviews: state === undefined ? [] : await readReviews(runtime, logDir, state),
    calls: Object.entries(state?.calls ?? {}).map(([reviewer, { count, tokens }]) => ({
      ...{ reviewer, count, tokens },
    })),
  };
}

function render(
  { running, notices, branch, attempts, unresolved, flaky, reviews, calls }: PublishedStatus,
  state: ExecutionState | undefined
): string[] {
  const head = [...(running === undefined ? [] : [runInProgress(running)]), ...notices];
  if (state === undefined) return [...head, messages.noRun()];
  const moved = state.branch !== undefined && branch !== undefined && branch !== state.branch;
  const parts = calls.map(
    ({ reviewer, count, tokens }) =>
      `${visible(reviewer)} ${count}${tokens === 0 ? "" : ` (${tokens.toLocaleString("en-US")} tokens)`}`
  );
  return [
    ...head,
    messages.lastRun(describeRun(state)),
    ...(moved
      ? [
          `The current branch is ${visible(branch)}, so the next run moves the results of earlier runs away and starts over.`,
        ]
      : []),
    `Attempts: ${attempts.used} of ${attempts.allowed} used`,
    unresolved.length === 0
      ? "No gates are unresolved."
      : `Unresolved: ${plural(unresolved.length, "gate")}`,
    ...unresolved.flatMap(({ jobId, logPath }) => [
      `  ${visible(jobId)}`,
      ...(logPath === undefined ? [] : [`      ${messages.logAt(visible(logPath))}`]),
    ]),
    ...flaky.map(
      ({ jobId, passed, failed }) =>
        `Flaky: ${visible(jobId)} passed ${plural(passed, "time")} and failed ${plural(failed, "time")} on the same files`
    ),
    ...reviews.flatMap(reviewLines),
    ...(parts.length === 0 ? [] : [`Calls of reviewers on this branch: ${parts.join(", ")}`]),
  ];
}
