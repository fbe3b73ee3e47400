/** The gauntlet as the in-process Stop hook (G24, G27). */
import { homedir } from "node:os";
import { posix } from "node:path";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { formatProblem } from "@/node/services/gauntlet/config/problem";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { RECURSION_MARKER } from "@/node/services/gauntlet/gates/runCheck";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { describeLock } from "@/node/services/gauntlet/state/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/RunLock";
import { currentBranch, nextEligible } from "@/node/services/gauntlet/stopInterval";
import { stopReason } from "@/node/services/gauntlet/stopReason";
import type { BuiltinHook, BuiltinHookContext } from "@/node/services/hooks/builtinHooks";
import type { HookOutput } from "@/node/services/hooks/hookOutputSchema";

export interface GauntletHookOptions {
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly home?: string;
  readonly now?: () => Date;
}

/** The run ends this long before the hook does, so that it can still say what it found. */
const SPARE_MS = 10_000;

/** What is not worth a word to the user. */
const SILENT: ReadonlySet<GauntletStatus> = new Set([
  "no_config",
  "no_changes",
  "no_applicable_gates",
  "stop_hook_active",
  "stop_hook_disabled",
  "interval_not_elapsed",
]);

/** To be registered under the name `gauntlet`. */
export function gauntletHook(options: GauntletHookOptions = {}): BuiltinHook {
  return async (context) => {
    const result = await decide(context, {
      env: options.env ?? process.env,
      home: options.home ?? homedir(),
      now: options.now ?? (() => new Date()),
    });
    return await toOutput(context, result);
  };
}

/** The steps before a run, each of which may already be the answer. */
async function decide(
  context: BuiltinHookContext,
  { env, home, now }: Required<GauntletHookOptions>
): Promise<RunResult> {
  const { runtime, input, askedToContinue } = context;
  if (env[RECURSION_MARKER]) return resultOf("stop_hook_active");
  // A continuation that only another hook asked for is none of the gauntlet's.
  if (input.stop_hook_active && !askedToContinue) return resultOf("stop_hook_active");

  const projectDir = await findGauntletProject(runtime, input.cwd);
  if (projectDir === undefined) return resultOf("no_config");
  const loaded = await loadGauntletConfig(runtime, projectDir);
  if (loaded.kind === "none") return resultOf("no_config");
  if (loaded.kind === "invalid") {
    const problems = loaded.problems.map(formatProblem).join("\n");
    return resultOf("error", { errorMessage: `the configuration is invalid\n${problems}` });
  }
  const { config } = loaded;
  const settings = await loadStopHookSettings(runtime.host, {
    env,
    home,
    project: config.stopHook,
  });
  if (!settings.enabled) {
    const { disabledBy } = settings;
    return resultOf("stop_hook_disabled", {
      ...(disabledBy === undefined ? {} : { errorMessage: disabledBy }),
    });
  }
  if (input.stop_hook_active && !settings.verifyFixes) return resultOf("stop_hook_active");

  const logDir = posix.join(projectDir, config.logDir);
  const lock = await inspectLock(runtime, logDir, await currentProcess(runtime.host), now());
  if (lock.kind === "held") {
    return resultOf("lock_exists", { errorMessage: describeLock(lock.holder) });
  }
  const due = askedToContinue
    ? undefined
    : await dueAt(context, { projectDir, logDir, minutes: settings.intervalMinutes, now: now() });
  if (due !== undefined) {
    const minutes = Math.ceil((due.getTime() - now().getTime()) / 60_000);
    return resultOf("interval_not_elapsed", {
      errorMessage: `${minutes} min left`,
      nextEligibleAt: due.toISOString(),
    });
  }
  return await executeRun({
    runtime,
    projectDir,
    config,
    silent: true,
    env,
    now,
    signal: context.signal,
    limitMs: Math.max(context.timeoutMs - SPARE_MS, context.timeoutMs / 2),
  });
}

async function dueAt(
  { runtime }: BuiltinHookContext,
  at: { projectDir: string; logDir: string; minutes: number; now: Date }
): Promise<Date | undefined> {
  if (at.minutes === 0) return undefined;
  const { state } = await readState(runtime, at.logDir);
  if (state === undefined) return undefined;
  const branch = await currentBranch(runtime, at.projectDir);
  return nextEligible(state, {
    intervalMinutes: at.minutes,
    now: at.now,
    ...(branch === undefined ? {} : { branch }),
  });
}

/** The agent hears of a failure alone; its person of whatever was not simply in order. */
async function toOutput(
  { runtime }: BuiltinHookContext,
  result: RunResult
): Promise<HookOutput | undefined> {
  const { status, message } = result;
  if (SILENT.has(status)) return undefined;
  const systemMessage = `Gauntlet: ${message}`;
  if (!isBlockingStatus(status)) return { systemMessage };
  return { decision: "block", reason: await stopReason(runtime, result), systemMessage };
}
