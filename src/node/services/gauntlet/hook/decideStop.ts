/** Decides a stop: the steps before a run, each of which may already return a result, and the run (G24). */
import { posix } from "node:path";
import { describeError } from "@/common/errors";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { personMessage } from "@/node/services/gauntlet/domain/audience";
import { failedByLimit, isExhausted } from "@/node/services/gauntlet/domain/episode";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { stopsNotCounted, UNVERIFIED_FIX } from "@/node/services/gauntlet/messages/stop";
import { unstableFiles } from "@/node/services/gauntlet/messages/run";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { withLogs } from "@/node/services/gauntlet/run/unresolved/unresolvedGates";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { alreadyRunning, turnedOff } from "@/node/services/gauntlet/hook/earlyResults";
import { withoutConfig } from "@/node/services/gauntlet/hook/stopConfig";
import { waitForInterval } from "@/node/services/gauntlet/hook/stopWait";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { StopSession } from "@/node/services/gauntlet/turn/StopSession";

export interface DecisionRequest {
  readonly runtime: HookRuntime;
  /** Absolute. The project is the nearest folder with a configuration, from this folder upward. */
  readonly cwd: string;
  /** Whether the agent already continues because of a stop hook. */
  readonly stopHookActive: boolean;
  /** Whether to check the stop although `stopHookActive` is set (G27). `verify_fixes: false` overrides it. */
  readonly verify: boolean;
  /** The agent host's session, by which failed stops are counted (G19). Callers without one share a count. */
  readonly sessionId?: string;
  /** The user's turn, if the caller knows it (G27a). */
  readonly turnId?: string;
  /** Whether `stop_hook_active: false` from this caller means that a new user turn began (G27a). */
  readonly beginsTurn: boolean;
  /** The agent host's variable that names the project, used if none is found from `cwd` (G24). */
  readonly projectHint?: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Absolute: the user's home folder. */
  readonly home: string;
  readonly now: () => Date;
  /** Whether the agent may only plan, so that no file may change (G35). */
  readonly isPlanning?: boolean;
  /** The user's interrupt (G28). */
  readonly signal?: AbortSignal;
  /** Time limit of the run in milliseconds. */
  readonly limitMs: number;
  /** The configuration that a user trusted, if it is not the one in the files now (G24a). */
  readonly project?: GauntletProject;
  /** Why the configuration in the files cannot be used now, if it could when the turn began (G20a). */
  readonly configProblem?: string;
}

export interface GauntletProject {
  /** Absolute. */
  readonly dir: string;
  readonly loaded: ConfigLoad;
}

export interface StopDecision {
  readonly result: RunResult;
  /** For a log. They do not change the decision. */
  readonly warnings: readonly string[];
  /** One or more lines to show to the user (G25a). Absent if the outcome is silent. */
  readonly personMessage?: string;
  /** Whether the next stop is checked as well, so that the agent can stop only when the gates pass (G27). */
  readonly verifies: boolean;
}

/**
 * Decides a stop. The result can have every status except `invalid_input`. Never throws: an unexpected failure is an
 * `error`, and the agent may stop.
 */
export async function decideStop(request: DecisionRequest): Promise<StopDecision> {
  const warnings: string[] = [];
  try {
    const { result, session, verifies = false } = await decide(request, warnings);
    // Only a stop that was checked has a session. Any other stop does not change the recorded facts.
    const facts = [...warnings, ...result.warnings];
    const news = session === undefined ? facts : await session.newFacts(facts);
    const names = session === undefined ? [] : await unstableNames(result, session);
    return { ...decisionOf(result, warnings, [...news, ...names]), verifies };
  } catch (thrown) {
    return decisionOf(createResult("error", { errorMessage: describeError(thrown) }), warnings, []);
  }
}

/** Names the files once per session, because a check that writes files would repeat them at each stop (G20c). */
async function unstableNames(
  { unstable = [] }: RunResult,
  session: StopSession
): Promise<readonly string[]> {
  if (unstable.length === 0 || !(await session.mayNameUnstable())) return [];
  return [unstableFiles(unstable)];
}

function decisionOf(
  result: RunResult,
  warnings: readonly string[],
  news: readonly string[]
): StopDecision {
  const message = personMessage(result, news);
  const forPerson = message === undefined ? {} : { personMessage: message };
  return { result, warnings, verifies: false, ...forPerson };
}

interface Decided {
  readonly result: RunResult;
  /** Present if the gates were checked. It ensures that lasting facts are shown once. */
  readonly session?: StopSession;
  readonly verifies?: boolean;
}

async function decide(request: DecisionRequest, warnings: string[]): Promise<Decided> {
  const { runtime, stopHookActive, verify, env, home, now } = request;
  if (env[RECURSION_MARKER]) return { result: createResult("stop_hook_active") };
  const project = request.project ?? (await findProject(request));
  const gitDir = await gitDirOf(request, project?.dir);
  const session = await StopSession.open(runtime, gitDir, request);
  const active = (): Decided => {
    const caveat = session.hasOpenFailure ? { caveat: UNVERIFIED_FIX } : {};
    return { result: createResult("stop_hook_active", project === undefined ? {} : caveat) };
  };
  if (stopHookActive && !verify) return active();
  if (project?.loaded.kind !== "valid") {
    return { result: await withoutConfig(request, project, session) };
  }
  const { config, problems } = project.loaded;
  warnings.push(...problems.map(formatDiagnostic));
  const settings = await loadStopHookSettings(runtime.host, {
    env,
    home,
    project: config.stopHook,
  });
  warnings.push(...settings.warnings);
  if (!settings.enabled) return { result: turnedOff(settings) };
  if (stopHookActive && !settings.verifyFixes) return active();

  const logDir = posix.join(project.dir, config.logDir);
  const lock = await inspectLock(runtime, logDir, await currentProcess(runtime.host), now());
  if (lock.kind === "held") return { result: alreadyRunning(describeLock(lock.holder)) };
  // A configuration that is broken now is a failure, however recent the last run is.
  const mayWait = request.configProblem === undefined && (!verify || settings.hasOwnInterval);
  const wait = mayWait
    ? await waitForInterval(request, { config, logDir, ...project, settings })
    : undefined;
  if (wait !== undefined) return { result: wait };
  if (isExhausted(session.count.failed, config.maxRetries)) {
    return { result: await exhausted(runtime, logDir) };
  }
  const result = await executeRun({
    runtime,
    projectDir: project.dir,
    config,
    silent: true,
    env,
    now,
    limitMs: request.limitMs,
    stop: session.count,
    fix: settings.fix && request.isPlanning !== true,
    isTrusted: request.project !== undefined,
    signal: request.signal,
    configProblem: request.configProblem,
  });
  const verifies = verify && settings.verifyFixes;
  return { result: await counted(session, result, { runtime, logDir }), session, verifies };
}

/** Finds git's folder of the project. Without a project, that of `cwd` or of the folder that the agent host names. */
async function gitDirOf(
  { runtime, cwd, projectHint }: DecisionRequest,
  projectDir: string | undefined
): Promise<string | undefined> {
  const found = await findGitDir(runtime, projectDir ?? cwd);
  if (found !== undefined || projectDir !== undefined) return found;
  return projectHint?.startsWith("/") === true ? await findGitDir(runtime, projectHint) : undefined;
}

/** Finds the project from `cwd` upward, or else from the folder that the agent host names (G24). */
async function findProject({
  runtime,
  cwd,
  projectHint,
}: DecisionRequest): Promise<GauntletProject | undefined> {
  const found = await findGauntletProject(runtime, cwd);
  const isHint = found === undefined && projectHint?.startsWith("/") === true;
  const dir = isHint ? await findGauntletProject(runtime, projectHint) : found;
  return dir === undefined ? undefined : { dir, loaded: await loadGauntletConfig(runtime, dir) };
}

/** Returns the result once the retry limit is exceeded. A Stop hook then starts no run (G19). */
async function exhausted(runtime: HookRuntime, logDir: string): Promise<RunResult> {
  const { state } = await readState(runtime, logDir);
  const openGates = await withLogs(runtime, logDir, state?.open ?? []);
  return createResult("retry_limit_exceeded", { openGates });
}

/** Counts the stop. A failed stop that cannot be counted does not block, because it would block forever (G19). */
async function counted(
  session: StopSession,
  result: RunResult,
  { runtime, logDir }: { runtime: HookRuntime; logDir: string }
): Promise<RunResult> {
  const { status } = result;
  if (isSuccessStatus(status) && result.gatesRun > 0) await session.countPass();
  if (status !== "failed" && status !== "retry_limit_exceeded") return result;
  const written = await session.countFailure({ byLimit: failedByLimit(result.gates) });
  if (written.isErr()) {
    const errorMessage = stopsNotCounted(written.error.message);
    const { gates, consoleLogPath } = result;
    return createResult("infrastructure_error", {
      ...{ errorMessage, gates, warnings: result.warnings },
      ...(consoleLogPath === undefined ? {} : { consoleLogPath }),
    });
  }
  if (status === "failed") return result;
  const { state } = await readState(runtime, logDir);
  const openGates = await withLogs(runtime, logDir, state?.open ?? []);
  return { ...result, ...createResult(status, { ...result, openGates }) };
}
