/**
 * Detects the changes and jobs that a run would have: with this machine's state for the command `detect` and the Stop
 * hook, and without it for the command `plan`. Takes no lock, runs no gate and writes no run file (G30b).
 */
import { err, ok, safeTry, type ResultAsync } from "neverthrow";
import {
  allowedOutputs,
  takeSnapshot,
} from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { isRerun } from "@/node/services/gauntlet/domain/episode";
import type { RunIdentity } from "@/node/services/gauntlet/domain/runResult";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { contextChange } from "@/node/services/gauntlet/run/plan/earlierState";
import { configWithMeaning } from "@/node/services/gauntlet/run/plan/oldGlobMeaning";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import { withOutputs } from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import * as runOptions from "@/node/services/gauntlet/run/runOptions";
import { selectJobs, type Selection } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { RunFailure } from "@/node/services/gauntlet/run/runContext";
import { runIdentity } from "@/node/services/gauntlet/run/shards/assignShards";
import { episodeOf, NO_STATE, readState } from "@/node/services/gauntlet/state/executionState";

export type DetectOptions = Required<
  Pick<runOptions.RunOptions, "runtime" | "projectDir" | "env">
> &
  Pick<runOptions.RunOptions, "baseBranch" | "scope" | "signal">;

export interface Detection extends Selection {
  /** Whether checks would use their `rerun_command`. */
  readonly isRerun: boolean;
  readonly warnings: readonly string[];
}

/** Selects the jobs as the next run would, for `detect` and the Stop hook: with this machine's state. */
export function previewJobs(
  options: DetectOptions,
  written: GauntletConfig
): ResultAsync<Detection, RunFailure> {
  const { runtime, projectDir, env, scope, baseBranch } = options;
  return safeTry(async function* () {
    const opened = yield* await openRunRepository(options, written, false);
    const config = await configWithMeaning(runtime, projectDir, written);
    const read = await readState(runtime, await logDirOf(runtime, projectDir, config));
    if (read.lost !== undefined) return err(read.lost);
    const { state: found = NO_STATE } = read;
    const change = yield* await contextChange(runtime, opened, found, baseBranch);
    // If the state belongs to other work, only its unresolved gates count.
    const { open, failures } = found;
    const state = change === undefined ? found : { ...NO_STATE, open, failures };
    const place = withOutputs(opened, config, state);
    const { entryPoints } = yield* runOptions.selectGates(config, {}, env).mapErr(asFailure);
    const { id: snapshot, rejected, ...taken } = yield* await takeSnapshot(runtime, place);
    const warnings = [...opened.warnings, ...taken.warnings];
    const selection = yield* await selectJobs({
      ...{ runtime, config, snapshot, scope, unresolved: open, failures, entryPoints },
      context: { ...place, outputs: allowedOutputs(place.outputs, rejected) },
      fromBase: state.cleaned === true,
      baselines: runOptions.usableBaselines(options, env, state.baselines),
      warn: (text) => warnings.push(text),
    });
    return ok({ ...selection, isRerun: isRerun(episodeOf(state)), warnings });
  });
}

const asFailure = (message: string): RunFailure => ({ message });

export interface SharedPlan extends Pick<Detection, "jobs" | "warnings"> {
  /** The run that every shard must belong to. */
  readonly of: RunIdentity;
}

/** Selects the jobs as each shard does, for `plan`: by the changes since the base, without this machine's state. */
export function planJobs(
  options: DetectOptions,
  config: GauntletConfig
): ResultAsync<SharedPlan, RunFailure> {
  const { runtime, env, scope } = options;
  return safeTry(async function* () {
    const context = withOutputs(yield* await openRunRepository(options, config, false), config);
    const { entryPoints } = yield* runOptions.selectGates(config, {}, env).mapErr(asFailure);
    const { id: snapshot, ...taken } = yield* await takeSnapshot(runtime, context);
    const warnings = [...context.warnings, ...taken.warnings];
    const { jobs } = yield* await selectJobs({
      ...{ runtime, context, config, entryPoints, snapshot, scope },
      ...{ unresolved: [], baselines: {}, warn: (text) => warnings.push(text) },
    });
    const of = runIdentity({ context, config, options }, snapshot, jobs);
    return ok({ of, jobs, warnings });
  });
}
