/**
 * Runs the gates for every command and for the Stop hook (G1): loads the configuration, opens the repository, takes the
 * lock, hides the logs from git (G20), and then plans, executes and records the run within its time limit. If the git
 * folder cannot be written, runs the gates without recording the result (G9).
 */
import { posix } from "node:path";
import { describeError } from "@/common/errors";
import { visible } from "@/common/safeText";
import { uniqueName } from "@/common/randomName";
import { ConnectedReads } from "@/node/runtime/lostConnection";
import type { ExecRequest, HookRuntime } from "@/node/runtime/HookRuntime";
import * as configPaths from "@/node/services/gauntlet/config/configPaths";
import * as configs from "@/node/services/gauntlet/config/loadConfig";
import { explainDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isTracked } from "@/node/services/gauntlet/change/git/gitQueries";
import { ignoreLogDir } from "@/node/services/gauntlet/change/git/excludeFromGit";
import { lockHeld } from "@/node/services/gauntlet/messages/shared";
import { invalidConfig, createResult } from "@/node/services/gauntlet/run/createResult";
import { isInProject, openLogDir } from "@/node/services/gauntlet/run/logs/logDir";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import { planRun } from "@/node/services/gauntlet/run/plan/planRun";
import { normalizeKind, type RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { recordEnd } from "@/node/services/gauntlet/run/record/persistState";
import { RunReporter, type GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { describeLock, RunLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { TEMPORARY_FOLDER_PREFIX } from "@/node/services/gauntlet/state/runFiles";
import { TEMPORARY } from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";

/**
 * Runs the gates. Never throws, prints or ends the process: every outcome is a {@link RunResult}, and the hook and the
 * commands act on its status.
 */
export async function executeRun(options: RunOptions): Promise<RunResult> {
  const reporter = new RunReporter(options);
  const ended = await attempt(options, reporter).catch((thrown: unknown) =>
    createResult("error", { errorMessage: describeError(thrown) })
  );
  const result = {
    // A result must identify its shard, even if the run ended early.
    shard: options.shard,
    ...ended,
    warnings: reporter.warnings,
    ...(reporter.weakened.length === 0 ? {} : { weakened: reporter.weakened }),
  };
  reporter.emit({ type: "run-end", result });
  return result;
}

async function attempt(options: RunOptions, reporter: RunReporter): Promise<RunResult> {
  const config = await findConfig(options, reporter);
  if ("status" in config) return config;
  const narrowed = normalizeKind(options, config);
  const result = await withinLimit(options, (signal) => run(narrowed, config, signal, reporter));
  if (options.skip === undefined || result.status === "lock_exists") return result;
  const { names, why } = options.skip;
  const skipped = `not run: ${visible(names.join(", "))} (skipped ${why})`;
  return { ...result, caveat: result.caveat ? `${skipped}; ${result.caveat}` : skipped };
}

async function run(
  options: RunOptions,
  config: configs.GauntletConfig,
  signal: AbortSignal | undefined,
  reporter: RunReporter
): Promise<RunResult> {
  const { runtime, projectDir, env = process.env, now = () => new Date() } = options;
  const until = performance.now() + (options.limitMs ?? Infinity);
  const repository = await openRunRepository({ ...options, env, signal }, config);
  if (repository.isErr()) {
    return createResult("infrastructure_error", { errorMessage: repository.error.message });
  }
  const context = repository.value;
  if (
    config.hasLocal === true &&
    (await isTracked(runtime, projectDir, configPaths.LOCAL_CONFIG_FILE))
  ) {
    const errorMessage = `git tracks ${configPaths.LOCAL_CONFIG_FILE}, which is for one user only; run "git rm --cached ${configPaths.LOCAL_CONFIG_FILE}", and put what is for the team into ${configPaths.CONFIG_FILE}`;
    return createResult("error", { errorMessage });
  }
  const logDir = options.logDir ?? (await openLogDir(runtime, projectDir, config));
  const locked = await RunLock.acquire(runtime, logDir, await currentProcess(runtime.host), now());
  if (locked.isErr()) {
    const { error } = locked;
    if (error.kind === "held") {
      const errorMessage = lockHeld(describeLock(error.holder), error.path);
      return createResult("lock_exists", { errorMessage });
    }
    const { path, message } = error.failure;
    const errorMessage = `the log folder cannot be used: ${path}: ${message}`;
    return createResult("infrastructure_error", { errorMessage });
  }
  const { takenFrom, path } = locked.value;
  try {
    reporter.warn(...context.warnings);
    if (takenFrom !== undefined) {
      reporter.warn(`took over ${path}, the lock of a run that no longer exists`);
    }
    const gates = config.entryPoints.flatMap((point) => point.gates);
    if (gates.length > 0 && gates.every(({ name }) => name === configPaths.EXAMPLE_CHECK)) {
      reporter.warn(
        'nothing of this project was verified: .gauntlet/ has only the example check "conflict-markers"; add its tests and linters'
      );
    }
    const shared = { options, runtime, projectDir, env, now, signal, until };
    const given = { ...shared, config, context, logDir, reporter };
    const result = await runPhases(given, hideLogs(given));
    const hasBegun = result.status !== "infrastructure_error" || result.gates.length > 0;
    if (hasBegun || signal?.aborted === true) return result;
    return (await runInScratch(given)) ?? result;
  } finally {
    // The state is written by now, so the next run that gets the lock finds it (G17).
    await locked.value.release();
  }
}

/**
 * Plans the run, executes the plan, and records how the run ended.
 *
 * @param hidden resolves when git ignores the logs, before the first snapshot
 */
async function runPhases(given: GauntletRunContext, hidden?: Promise<void>): Promise<RunResult> {
  const planned = await planRun(given, hidden);
  if (planned.kind !== "plan") return await recordEnd(planned);
  // Loaded only if a gate runs.
  const { executePlan } = await import("@/node/services/gauntlet/run/execute/executePlan");
  const { concludeRun } = await import("@/node/services/gauntlet/run/record/concludeRun");
  return await concludeRun(await executePlan(planned));
}

/**
 * Runs the gates although the git folder cannot be written, as in the sandbox of some agents (G9): git then writes its
 * objects to a folder of the logs. Returns undefined if the git folder can be written, or if no other folder can.
 */
async function runInScratch(given: GauntletRunContext): Promise<RunResult | undefined> {
  const { options, context, logDir, runtime: own } = given;
  const probe = posix.join(context.gitDir, `${TEMPORARY}${Date.now()}.${uniqueName()}`);
  if ((await own.createFile(probe, "")).isOk()) {
    await own.remove(probe);
    return undefined;
  }
  // No exclude file can name the folder of the logs. A file of the project stays as it is.
  const hidden = await own.createFile(posix.join(logDir, ".gitignore"), "*\n");
  const scratch = posix.join(logDir, `${TEMPORARY_FOLDER_PREFIX}${uniqueName()}`);
  const objects = posix.join(scratch, "objects");
  const pack = await own.writeFile(posix.join(objects, "info", "exists"), "");
  if ((hidden.isErr() && hidden.error.code !== "EEXIST") || pack.isErr()) return undefined;
  given.reporter.warn(
    `this result is not recorded, because ${context.gitDir} cannot be written; the next stop runs the gates again`
  );
  const runtime = withObjects(own, objects, posix.join(context.commonDir, "objects"));
  const inScratch = { ...given, runtime, options: { ...options, runtime } };
  try {
    return await runPhases({ ...inScratch, context: { ...context, scratch } });
  } finally {
    await own.remove(scratch);
  }
}

async function findConfig(
  { runtime, projectDir, config, env }: RunOptions,
  reporter: RunReporter
): Promise<configs.GauntletConfig | RunResult> {
  if (config !== undefined) return config;
  const reads = new ConnectedReads(runtime);
  const loaded = await configs.loadGauntletConfig(reads, projectDir, { env });
  if (reads.lost !== undefined) {
    return createResult("infrastructure_error", { errorMessage: reads.lost.message });
  }
  if (loaded.kind === "none") return createResult("no_config");
  if (loaded.kind === "invalid") return invalidConfig(loaded.problems);
  reporter.warn(...loaded.problems.map(explainDiagnostic));
  return loaded.config;
}

/**
 * Excludes the logs, the configured reports and the local configuration from git, because gates would check them as
 * changes (G20). If that fails, the run continues.
 */
async function hideLogs(given: GauntletRunContext): Promise<void> {
  const { runtime, projectDir, logDir, config, context, reporter } = given;
  // Reports of test runners are in the default folder in any case (G29).
  const inProject = isInProject(projectDir, logDir);
  const folder = inProject ? posix.relative(projectDir, logDir) : configPaths.DEFAULT_LOG_DIR;
  const reports = config.reports?.flatMap(({ file }) => file ?? []) ?? [];
  const own = config.hasLocal === true ? [configPaths.LOCAL_CONFIG_FILE] : [];
  // One after another, because each adds a line to the same file.
  for (const path of [folder, ...reports, ...own]) {
    const hidden = await ignoreLogDir(runtime, context, path, path !== folder);
    // A report that git cannot ignore, as behind a link, is not written either.
    if (hidden.isErr() && path === folder) reporter.warn(hidden.error.message);
  }
}

/** Combines the caller's interrupt and the run's own time limit into one signal. Leaves no timer. */
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

/**
 * Returns a runtime that starts git so that it writes its objects to the folder `own`. Commands of checks only read
 * them, for a commit that they compare with.
 */
function withObjects(runtime: HookRuntime, own: string, others: string): HookRuntime {
  const exec = async (request: ExecRequest) => {
    const isGit = "file" in request.command && request.command.file === "git";
    const env: Record<string, string> = isGit
      ? { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(others) }
      : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(own) };
    return await runtime.exec({ ...request, env: { ...env, ...request.env } });
  };
  return new Proxy(runtime, {
    get: (target, name) => {
      if (name === "exec") return exec;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Quotes a path with a colon, because colons separate the paths in GIT_ALTERNATE_OBJECT_DIRECTORIES. */
function quoted(path: string): string {
  return /[:"]/.test(path) ? JSON.stringify(path) : path;
}
