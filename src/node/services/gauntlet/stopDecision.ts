/** What is to come of a stop: the steps before a run, each of which may already be the answer, and the run (G24). */
import { posix } from "node:path";
import { describeError } from "@/common/errors";
import type { Runtime } from "@/node/runtime/Runtime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { formatProblem } from "@/node/services/gauntlet/config/problem";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { invalidConfig, resultOf } from "@/node/services/gauntlet/run/resultOf";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/RunLock";
import { alreadyRunning, tooRecent, turnedOff } from "@/node/services/gauntlet/stopAnswers";
import { currentBranch, nextEligible } from "@/node/services/gauntlet/stopInterval";

export interface StopRequest {
  readonly runtime: Runtime;
  /** Absolute: the project is the nearest folder with a configuration from here upward. */
  readonly cwd: string;
  /** The agent already goes on because of a stop hook. */
  readonly stopHookActive: boolean;
  /** It goes on because the gauntlet itself asked for it; only a host that counts knows (G27). */
  readonly askedToContinue: boolean;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The person's home folder, absolute. */
  readonly home: string;
  readonly now: () => Date;
  /** The user's interrupt (G28). */
  readonly signal?: AbortSignal;
  /** Of the run, in milliseconds. */
  readonly limitMs: number;
  /** What counts, where that is not what stands in the files now (G24a). */
  readonly project?: GauntletProject;
  /** Why the configuration that stands there now cannot be used, where it could when the turn began (G20a). */
  readonly configProblem?: string;
}

export interface GauntletProject {
  /** Absolute. */
  readonly dir: string;
  readonly loaded: ConfigLoad;
}

export interface StopDecision {
  readonly result: RunResult;
  /** For the person; they change no decision. */
  readonly warnings: readonly string[];
}

/** Every status of a stop but `invalid_input`. Never throws: the unexpected is an `error`, and the agent may stop. */
export async function decideStop(request: StopRequest): Promise<StopDecision> {
  const warnings: string[] = [];
  try {
    return { result: await decide(request, warnings), warnings };
  } catch (thrown) {
    return { result: resultOf("error", { errorMessage: describeError(thrown) }), warnings };
  }
}

async function findProject(runtime: Runtime, cwd: string): Promise<GauntletProject | undefined> {
  const dir = await findGauntletProject(runtime, cwd);
  return dir === undefined ? undefined : { dir, loaded: await loadGauntletConfig(runtime, dir) };
}

async function decide(request: StopRequest, warnings: string[]): Promise<RunResult> {
  const { runtime, stopHookActive, askedToContinue, env, home, now } = request;
  if (env[RECURSION_MARKER]) return resultOf("stop_hook_active");
  // A continuation that only another hook asked for is none of the gauntlet's.
  if (stopHookActive && !askedToContinue) return resultOf("stop_hook_active");

  const project = request.project ?? (await findProject(runtime, request.cwd));
  if (project === undefined || project.loaded.kind === "none") return resultOf("no_config");
  if (project.loaded.kind === "invalid") return invalidConfig(project.loaded.problems);
  const { config, problems } = project.loaded;
  warnings.push(...problems.map(formatProblem));
  const settings = await loadStopHookSettings(runtime.host, {
    env,
    home,
    project: config.stopHook,
  });
  warnings.push(...settings.warnings);
  if (!settings.enabled) return turnedOff(settings);
  if (stopHookActive && !settings.verifyFixes) return resultOf("stop_hook_active");

  const logDir = posix.join(project.dir, config.logDir);
  const lock = await inspectLock(runtime, logDir, await currentProcess(runtime.host), now());
  if (lock.kind === "held") return alreadyRunning(describeLock(lock.holder));
  // What is broken now is a failure, however young the last run is.
  const isWaiting = !askedToContinue && request.configProblem === undefined;
  const due = isWaiting
    ? await dueAt(runtime, { project, logDir, minutes: settings.intervalMinutes, now: now() })
    : undefined;
  if (due !== undefined) return tooRecent(due, now());
  return await executeRun({
    runtime,
    projectDir: project.dir,
    config,
    silent: true,
    env,
    now,
    limitMs: request.limitMs,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.configProblem === undefined ? {} : { configProblem: request.configProblem }),
  });
}

async function dueAt(
  runtime: Runtime,
  at: { project: GauntletProject; logDir: string; minutes: number; now: Date }
): Promise<Date | undefined> {
  if (at.minutes === 0) return undefined;
  const { state } = await readState(runtime, at.logDir);
  if (state === undefined) return undefined;
  const branch = await currentBranch(runtime, at.project.dir);
  return nextEligible(state, {
    intervalMinutes: at.minutes,
    now: at.now,
    ...(branch === undefined ? {} : { branch }),
  });
}
