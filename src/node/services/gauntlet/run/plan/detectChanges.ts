/** Detects the changes and jobs that a run would have. Takes no lock and writes no run file (G30b). */
import { err, ok, safeTry, type ResultAsync } from "neverthrow";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import {
  allowedOutputs,
  takeSnapshot,
} from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { isRerun } from "@/node/services/gauntlet/domain/episode";
import { contextChange } from "@/node/services/gauntlet/run/plan/autoClean";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/openRunRepository";
import { configWithMeaning } from "@/node/services/gauntlet/run/plan/globMeaning";
import { withOutputs } from "@/node/services/gauntlet/run/plan/outputs";
import { usableBaselines, type RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { selectJobs, type Selection } from "@/node/services/gauntlet/run/plan/selectJobs";
import { selectGates } from "@/node/services/gauntlet/run/plan/selectGates";
import {
  episodeOf,
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";

export type DetectOptions = Required<Pick<RunOptions, "runtime" | "projectDir" | "env">> &
  Pick<RunOptions, "baseBranch" | "scope" | "signal">;

export interface Detection extends Selection {
  /** Whether checks would use their `rerun_command`. */
  readonly isRerun: boolean;
  readonly warnings: readonly string[];
}

interface DetectionFailure {
  readonly message: string;
}

export function detectChanges(
  options: DetectOptions,
  written: GauntletConfig
): ResultAsync<Detection, DetectionFailure> {
  const { runtime, env, scope } = options;
  return safeTry(async function* () {
    const opened = yield* await openRunRepository(options, written, options.signal, {
      record: false,
    });
    const config = await configWithMeaning(runtime, options.projectDir, written);
    const state = yield* await stateFor(options, config, opened);
    const place = withOutputs(opened, config, state);
    const gates = selectGates(config, {}, env);
    if (gates.isErr()) return err({ message: gates.error });
    const { id: snapshot, warnings, rejected } = yield* await takeSnapshot(runtime, place);
    const context = { ...place, outputs: allowedOutputs(place.outputs, rejected) };
    const selection = yield* await selectJobs({
      runtime,
      context,
      entryPoints: gates.value.entryPoints,
      snapshot,
      globalDependencies: config.globalDependencies,
      readsOld: config.readsOld,
      unresolved: state.open,
      fromBase: state.cleaned === true,
      baselines: usableBaselines(options, env, state.baselines),
      failures: state.failures,
      scope,
    });
    return ok({
      ...selection,
      isRerun: isRerun(episodeOf(state)),
      warnings: [...context.warnings, ...warnings],
    });
  });
}

/** Returns the state as a run would find it. Keeps only unresolved gates of a state that belongs to other work. */
function stateFor(
  { runtime, projectDir, baseBranch }: DetectOptions,
  config: GauntletConfig,
  context: GitContext
): ResultAsync<ExecutionState, DetectionFailure> {
  return safeTry(async function* () {
    const logDir = await logDirOf(runtime, projectDir, config);
    const { state, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return err(lost);
    if (state === undefined) return ok(NO_STATE);
    const change = yield* await contextChange(runtime, context, state, baseBranch);
    return ok(
      change === undefined ? state : { ...NO_STATE, open: state.open, failures: state.failures }
    );
  });
}
