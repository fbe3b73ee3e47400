/**
 * `mux-stop-hooks status`: prints the running and the last run, used attempts, unresolved gates and violations, flaky
 * checks and calls of reviewers, as text or JSON (G30b). Adds notices about trust, a pause, the last stop, and Stop
 * hooks that were removed or do not start.
 */
import { posix } from "node:path";
import { EXIT, printError, printLine, type CliContext, type ExitCode } from "@/cli/context";
import { findVanishedHook } from "@/cli/gauntlet/doctor/findVanishedHook";
import { runInProgress } from "@/cli/gauntlet/messages/shared";
import { reviewAndTrust } from "@/cli/gauntlet/messages/gateTrust";
import * as projects from "@/cli/gauntlet/project";
import { publishedJson, type PublishedStatus } from "@/cli/gauntlet/publishedJson";
import { describeLastRun, readReviews, reviewLines } from "@/cli/gauntlet/render/lastRun";
import { whyNotAsInFiles } from "@/cli/gauntlet/trust/gateTrust";
import { plainText, plural, visible } from "@/common/safeText";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import * as messages from "@/node/services/gauntlet/messages/shared";
import { withLogs } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { readState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { currentBranch, findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import { CHECK_CACHE_FILE } from "@/node/services/gauntlet/state/runFiles";
import { isOver } from "@/node/services/gauntlet/turn/pauseRecord";
import { latestCount } from "@/node/services/gauntlet/turn/StopHistory";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { workspaceFlag } from "@/common/ownCommandName";
import { restoreState } from "@/node/services/gauntlet/run/logs/cleanLogs";

export async function status(
  options: projects.PlaceOption & { readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const print = async (project: projects.ConfiguredProject): Promise<ExitCode> => {
    const { runtime, dir: projectDir, logDir } = project;
    const { stderr } = context;
    const { state: found, warning, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return printError(context, lost.message);
    if (warning !== undefined) stderr.write(`Warning: ${plainText(warning)}\n`);
    const gitDir = await findGitDir(runtime, projectDir);
    const state = found ?? (await restoreState(runtime, { gitDir, projectDir, logDir }));
    if (found === undefined && state !== undefined) {
      stderr.write(`Warning: ${messages.stateRestored(plainText(logDir), state.open)}\n`);
    }
    const untrusted = await whyNotAsInFiles(runtime, projectDir, context);
    const flag = workspaceFlag(runtime, projectDir);
    const notices = [
      ...(untrusted === undefined ? [] : [`${untrusted}; ${reviewAndTrust(flag)}`]),
      ...(gitDir === undefined ? [] : await stopLines(project, gitDir)),
    ];
    const published = await collectStatus(project, gitDir, state, notices);
    const text = () => render(published, state).join("\n");
    printLine(context, options.json === true ? publishedJson("status", published) : text());
    const vanished = await findVanishedHook(project, context);
    if (vanished !== undefined) printError(context, vanished);
    return EXIT.ok;
  };
  return await projects.inProject(context, print, options);
}

/** Returns lines about a pause, a postponed stop that no other followed, and the notes of the last stop (G25a). */
async function stopLines(
  { runtime, dir }: projects.ConfiguredProject,
  gitDir: string
): Promise<string[]> {
  const store = new TurnStore(runtime, gitDir);
  const pause = await store.read("pauses", hashKey(dir));
  const { isUnverified = false, notes = [] } = (await store.newest("sessions")) ?? {};
  const isPaused = pause !== undefined && !isOver(pause, new Date());
  return [
    ...(isPaused ? [`Paused ${messages.pausedGates(pause)}${messages.describePause(pause)}`] : []),
    ...(isUnverified
      ? ["Not verified: a stop was postponed for agents in the background, and no stop followed"]
      : []),
    ...notes.map((note) => `Note: ${plainText(note)}`),
  ];
}

/** Collects the data that both forms of the output show. */
async function collectStatus(
  project: projects.ConfiguredProject,
  gitDir: string | undefined,
  state: ExecutionState | undefined,
  notices: string[]
): Promise<PublishedStatus> {
  const { runtime, dir, logDir, config } = project;
  const { open = [], calls = {} } = state ?? {};
  const { history } = await CheckCache.open(runtime, posix.join(logDir, CHECK_CACHE_FILE));
  return {
    projectDir: dir,
    branch: await currentBranch(runtime, dir),
    running: await projects.runningRun(project),
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
    unresolved: await withLogs(runtime, logDir, open),
    flaky: history.unstable.map((check) => ({ ...check })),
    reviews: state === undefined ? [] : await readReviews(runtime, logDir, state),
    calls: Object.entries(calls).map(([reviewer, { count, tokens }]) => ({
      ...{ reviewer, count, tokens },
    })),
  };
}

function render(
  { running, notices, branch, attempts, unresolved, flaky, reviews, calls }: PublishedStatus,
  state: ExecutionState | undefined
): string[] {
  const head = [...(running === undefined ? [] : [runInProgress(running)]), ...notices];
  if (state === undefined) return [...head, describeLastRun(state)];
  const moved = state.branch !== undefined && branch !== undefined && branch !== state.branch;
  const parts = calls.map(
    ({ reviewer, count, tokens }) =>
      `${visible(reviewer)} ${count}${tokens === 0 ? "" : ` (${tokens.toLocaleString("en-US")} tokens)`}`
  );
  return [
    ...head,
    describeLastRun(state),
    moved &&
      `The current branch is ${visible(branch)}, so the next run moves the results of earlier runs away and starts over.`,
    `Attempts: ${attempts.used} of ${attempts.allowed} used`,
    unresolved.length === 0
      ? "No gates are unresolved."
      : `Unresolved: ${plural(unresolved.length, "gate")}`,
    ...unresolved.flatMap(({ jobId, logPath }) => [
      `  ${visible(jobId)}`,
      ...(logPath === undefined ? [] : [`      Log: ${visible(logPath)}`]),
    ]),
    ...flaky.map(
      ({ jobId, passed, failed }) =>
        `Flaky: ${visible(jobId)} passed ${plural(passed, "time")} and failed ${plural(failed, "time")} on the same files`
    ),
    ...reviews.flatMap(reviewLines),
    parts.length > 0 && `Calls of reviewers on this branch: ${parts.join(", ")}`,
  ].filter((line) => line !== false);
}
