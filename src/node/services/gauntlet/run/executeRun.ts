/** The one function that runs the gates (G1). */
import { posix } from "node:path";
import { describeError } from "@/common/errors";
import { ConnectedReads } from "@/node/runtime/lostConnection";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { explainProblem } from "@/node/services/gauntlet/config/source/problem";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { ignoreLogDir } from "@/node/services/gauntlet/change/ignoreLogDir";
import { GauntletRun } from "@/node/services/gauntlet/run/GauntletRun";
import { openForRun } from "@/node/services/gauntlet/run/openForRun";
import { invalidConfig, resultOf } from "@/node/services/gauntlet/run/resultOf";
import { RunVoice } from "@/node/services/gauntlet/run/RunVoice";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { withoutIdleKind } from "@/node/services/gauntlet/run/unresolved/selectGates";
import { describeLock } from "@/node/services/gauntlet/state/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/processIdentity";
import { RunLock, type LockFailure } from "@/node/services/gauntlet/state/RunLock";

/**
 * Never throws, never prints, never ends the process: whatever happens is a {@link RunResult}, and its status is what
 * the hook and the commands act on.
 */
export async function executeRun(options: RunOptions): Promise<RunResult> {
  const voice = new RunVoice(options);
  const { part } = options;
  const result = {
    // Also of what ended before it had looked, one has to know which part it is.
    ...(part === undefined ? {} : { part }),
    ...(await attempt(options, voice)),
    warnings: voice.warnings,
  };
  voice.tell({ type: "run-end", result });
  return result;
}

async function attempt(options: RunOptions, voice: RunVoice): Promise<RunResult> {
  try {
    const config = await findConfig(options, voice);
    if ("status" in config) return config;
    const narrowed = withoutIdleKind(options, config);
    return await withinLimit(options, (signal) => run(narrowed, config, signal, voice));
  } catch (thrown) {
    return resultOf("error", { errorMessage: describeError(thrown) });
  }
}

async function run(
  options: RunOptions,
  config: GauntletConfig,
  signal: AbortSignal | undefined,
  voice: RunVoice
): Promise<RunResult> {
  const { runtime, projectDir, env = process.env, now = () => new Date() } = options;
  const repository = await openForRun({ ...options, env }, config, signal);
  if (repository.isErr()) {
    return resultOf("infrastructure_error", { errorMessage: repository.error.message });
  }
  const context = repository.value;
  const logDir = posix.join(projectDir, config.logDir);
  const locked = await RunLock.acquire(runtime, logDir, await currentProcess(runtime.host), now());
  if (locked.isErr()) return refused(locked.error);
  const lock = locked.value;
  try {
    for (const text of [...context.warnings, ...takeOverNote(lock)]) {
      voice.notice("warning", text);
    }
    await hideLogs(runtime, context, config, voice);
    const gauntlet = new GauntletRun({ options, config, context, logDir, env, now, signal, voice });
    return await gauntlet.run();
  } finally {
    // The state is written by now: whoever gets the lock next finds it (G17).
    await lock.release();
  }
}

async function findConfig(
  { runtime, projectDir, config }: RunOptions,
  voice: RunVoice
): Promise<GauntletConfig | RunResult> {
  if (config !== undefined) return config;
  const reads = new ConnectedReads(runtime);
  const loaded = await loadGauntletConfig(reads, projectDir);
  if (reads.lost !== undefined) {
    return resultOf("infrastructure_error", { errorMessage: reads.lost.message });
  }
  if (loaded.kind === "none") return resultOf("no_config");
  if (loaded.kind === "invalid") return invalidConfig(loaded.problems);
  for (const problem of loaded.problems) {
    voice.notice("warning", explainProblem(problem));
  }
  return loaded.config;
}

/** Logs that show up as changes would be checked themselves (G20). Where they cannot be hidden the run goes on. */
async function hideLogs(
  runtime: RunOptions["runtime"],
  context: GitContext,
  { logDir }: GauntletConfig,
  voice: RunVoice
): Promise<void> {
  const hidden = await ignoreLogDir(runtime, context, logDir);
  if (hidden.isErr()) voice.notice("warning", hidden.error.message);
}

function takeOverNote({ takenFrom, path }: RunLock): string[] {
  if (takenFrom === undefined) return [];
  return [`took over ${path}, which a run that is no more had left behind`];
}

function refused(failure: LockFailure): RunResult {
  if (failure.kind === "held") {
    const errorMessage = `${describeLock(failure.holder)}; its lock is ${failure.path}`;
    return resultOf("lock_exists", { errorMessage });
  }
  const { path, message } = failure.failure;
  return resultOf("infrastructure_error", {
    errorMessage: `the log folder cannot be used: ${path}: ${message}`,
  });
}

/** The caller's interrupt and the run's own time limit as one signal. Leaves no timer. */
async function withinLimit<T>(
  { signal, limitMs }: RunOptions,
  act: (signal: AbortSignal | undefined) => Promise<T>
): Promise<T> {
  if (limitMs === undefined) return await act(signal);
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Error(`the run took longer than its limit of ${limitMs / 1000} s`));
  }, limitMs);
  try {
    return await act(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
