/** The interval between two runs, and the changes during it (G20d, G27). */
import { definedOnly } from "@/common/definedOnly";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { StopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/openRunRepository";
import { detectChanges } from "@/node/services/gauntlet/run/plan/detectChanges";
import { withOutputs } from "@/node/services/gauntlet/run/plan/outputs";
import {
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { currentBranch, nextEligible } from "@/node/services/gauntlet/hook/runInterval";

interface WaitRequest {
  readonly runtime: HookRuntime;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
}

interface WaitPlace {
  readonly dir: string;
  readonly logDir: string;
  readonly config: GauntletConfig;
  readonly settings: StopHookSettings;
}

/** Returns the result of a stop within the interval, or undefined if a run is due. */
export async function waitForInterval(
  request: WaitRequest,
  place: WaitPlace
): Promise<RunResult | undefined> {
  const { runtime, now } = request;
  const { intervalMinutes } = place.settings;
  if (intervalMinutes === 0) return undefined;
  const { state } = await readState(runtime, place.logDir);
  if (state === undefined) return undefined;
  const branch = await currentBranch(runtime, place.dir);
  const at = now();
  const due = nextEligible(state, {
    intervalMinutes,
    now: at,
    branch,
  });
  if (due === undefined) return undefined;
  const isSame = await isTree(request, place, state);
  const minutes = Math.ceil((due.getTime() - at.getTime()) / 60_000);
  return createResult("interval_not_elapsed", {
    errorMessage: `${minutes} min left`,
    nextEligibleAt: due.toISOString(),
    caveat: isSame ? undefined : "files changed since the last run and were not verified",
  });
}

/** Returns whether a run would have nothing to check, so that a stop need not be postponed (G39). */
export async function hasNothingToCheck(
  request: WaitRequest,
  place: Omit<WaitPlace, "settings">
): Promise<boolean> {
  const { runtime, env, signal } = request;
  const { state = NO_STATE, lost } = await readState(runtime, place.logDir);
  if (lost !== undefined || state.open.length > 0) return false;
  const isPassed = state.passed?.definition === place.config.digest;
  if (isPassed && (await isTree(request, place, state))) return true;
  const options = { runtime, projectDir: place.dir, env, ...definedOnly({ signal }) };
  const found = await detectChanges(options, place.config);
  return found.isOk() && !found.value.hasChanges;
}

/** Returns whether the working tree is still the one that passed. */
async function isTree(
  { runtime, env, signal }: WaitRequest,
  { dir, config }: Pick<WaitPlace, "dir" | "config">,
  state: ExecutionState
): Promise<boolean> {
  const snapshot = state.passed?.snapshot;
  if (snapshot === undefined) return false;
  const context = await openRunRepository({ runtime, projectDir: dir, env, signal }, config);
  if (context.isErr()) return false;
  const taken = await takeSnapshot(runtime, withOutputs(context.value, config, state), {
    keepIndex: true,
  });
  return taken.isOk() && taken.value.id === snapshot;
}
