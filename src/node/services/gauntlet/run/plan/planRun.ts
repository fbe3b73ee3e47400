/** One run, from the state of an earlier run to the state for the next one. The lock is held. */
import { ownCommand } from "@/common/ownCommand";
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { visible } from "@/common/text";
import { definedOnly } from "@/common/definedOnly";
import {
  allowedOutputs,
  takeSnapshot,
  type ComparedSnapshots,
} from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { readsHistory } from "@/node/services/gauntlet/domain/checkFiles";
import { keepUnresolved, NEW_EPISODE } from "@/node/services/gauntlet/domain/episode";
import { type GateDefinition, type Job } from "@/node/services/gauntlet/domain/gate";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { fixFailed } from "@/node/services/gauntlet/messages/fixes";
import * as messages from "@/node/services/gauntlet/messages/run";
import { contextChange } from "@/node/services/gauntlet/run/plan/autoClean";
import { describeChangedGates } from "@/node/services/gauntlet/run/plan/changedDefinitions";
import {
  describeDormant,
  splitUnresolved,
  type UnresolvedSplit,
} from "@/node/services/gauntlet/run/logs/unresolvedGates";
import {
  describeNested,
  submodulePaths,
} from "@/node/services/gauntlet/run/plan/nestedRepositories";
import {
  describeGlobs,
  withInherited,
  withMeaning,
} from "@/node/services/gauntlet/run/plan/globMeaning";
import {
  describeOutputs,
  withoutTracked,
  withOutputs,
} from "@/node/services/gauntlet/run/plan/outputs";
import { shardIdentity } from "@/node/services/gauntlet/run/shards/shardIdentity";
import { environmentOf, withoutForeign } from "@/node/services/gauntlet/run/plan/environment";
import { BaseCommits } from "@/node/services/gauntlet/run/execute/BaseCommits";
import { describeFixed } from "@/node/services/gauntlet/run/record/caveats";
import { persistState } from "@/node/services/gauntlet/run/record/persistState";
import { treeDigest, withoutPassed } from "@/node/services/gauntlet/run/plan/unchangedTree";
import { describeElsewhere, sortByBranch } from "@/node/services/gauntlet/run/plan/otherBranches";
import { namePushed } from "@/node/services/gauntlet/run/plan/refusedPush";
import { putAway } from "@/node/services/gauntlet/run/logs/putAway";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { GauntletRunContext, RunFailure } from "@/node/services/gauntlet/run/runContext";
import { RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
import { isDefaultRun, isFullRun, usableBaselines } from "@/node/services/gauntlet/run/runOptions";
import {
  comparedFirst,
  selectJobs,
  type Selection,
} from "@/node/services/gauntlet/run/plan/selectJobs";
import { jobsOfShard } from "@/node/services/gauntlet/run/shards/shard";
import { selectGates, type SelectedGates } from "@/node/services/gauntlet/run/plan/selectGates";
import {
  episodeOf,
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { restoreState } from "@/node/services/gauntlet/run/logs/restoreState";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";

const NO_FIXES = { fixed: new Map(), unfixed: new Map(), failed: [] };

export class GauntletRun {
  /** The state of an earlier run, once it was read. */
  #found: ExecutionState | undefined;

  /** @param hidden resolves when git ignores the logs, before the first snapshot */
  constructor(
    private given: GauntletRunContext,
    private readonly hidden: Promise<void> = Promise.resolve()
  ) {}

  async run(): Promise<RunResult> {
    const done = await this.#attempt();
    if (done.isOk()) return done.value;
    const result = createResult("infrastructure_error", { errorMessage: done.error.message });
    // Persist a failed run as well, so that the next run knows how this one ended (G16).
    if (this.#found !== undefined) {
      await persistState(this.given, this.#found, {
        after: episodeOf(this.#found),
        result,
      });
    }
    return result;
  }

  #attempt(): ResultAsync<RunResult, RunFailure> {
    const { options, context, logDir, env, reporter } = this.given;
    const { runtime } = options;
    return safeTry(
      async function* (this: GauntletRun) {
        const [read] = await Promise.all([this.#currentState(), this.hidden]);
        const found = yield* read;
        const written = this.given.config;
        const inherited = await withInherited(runtime, options.projectDir, written, found);
        const meaning = withMeaning(written, inherited);
        const { config } = meaning;
        this.given = { ...this.given, config };
        const current =
          options.shard === undefined ? await withoutForeign(this.given, meaning.state) : found;
        this.#found = current;
        const submodules = submodulePaths(runtime, context);
        let state = current;
        // Files that this machine's runs recorded would not be the same for another shard (G10).
        const known = options.shard === undefined ? state : {};
        const place = withOutputs(context, config, known);
        for (const text of await describeChangedGates(this.given, state)) reporter.weaken(text);
        if (options.stop !== undefined) {
          for (const text of state.untold ?? []) reporter.weaken(visible(text));
          state = await namePushed(this.given, state);
        }
        const before = episodeOf(state);
        const wanted = selectGates(config, options, env);
        if (wanted.isErr()) {
          const result = createResult("error", { errorMessage: wanted.error });
          return await persistState(this.given, state, { after: before, result });
        }
        const { skippedInThisEnv } = wanted.value;
        const taken = yield* await takeSnapshot(runtime, place, {
          keepIndex: true,
          compareWith: comparedFirst({ ...options, context, baselines: this.#baselines(state) }),
          onChange: () => runtime.expectPrograms?.(),
        });
        for (const text of taken.warnings) reporter.report("warning", text);
        const outputs = allowedOutputs(place.outputs, taken.rejected);
        this.given = { ...this.given, context: { ...place, outputs } };
        state = withoutTracked(state, taken.rejected);
        if (state.globs?.old === config.digest) state = await this.#nameGlobs(state, taken.id);
        if (this.#isVerified(state, taken.id)) {
          this.#nameOutputs(state);
          await this.#nameNested([...(state.repositories ?? []), ...(await submodules)]);
          const result = createResult("no_changes");
          return await persistState(this.given, state, {
            ...{ after: before, result, snapshot: taken.id },
          });
        }
        const told = this.#toldBefore(state, taken.id);
        if (told !== undefined) {
          const result = createResult("no_changes", { caveat: told });
          return await persistState(this.given, state, {
            ...{ after: before, result, snapshot: taken.id },
          });
        }
        const unresolved = options.shard === undefined ? before.unresolved : [];
        const nextRun = nextRunNumber(runtime, logDir);
        const environment = environmentOf(this.given);
        const unfixed = yield* await this.#select(
          state,
          wanted.value,
          taken.id,
          unresolved,
          taken.changes
        );
        const fixes = yield* await this.#fix(unfixed, taken.id);
        const snapshot = fixes?.snapshot ?? taken.id;
        const selection =
          snapshot === taken.id
            ? unfixed
            : yield* await this.#select(state, wanted.value, snapshot, unresolved);
        if (selection.hasChanges) state = await this.#nameGlobs(state, snapshot);
        const { repositories } = selection;
        state = { ...state, repositories: [...repositories] };
        await this.#nameNested([...repositories, ...(await submodules)]);
        const tree = treeDigest(context, config.digest, snapshot);
        const due = jobsOfShard(selection.jobs, options.shard);
        const jobs = withoutPassed(due, tree, unresolved, options.stop?.failedTree);
        const shard = shardIdentity(this.given, snapshot, selection.jobs);
        const gone = this.#splitOpen(state, selection.jobs, skippedInThisEnv);
        if (
          jobs.length === 0 &&
          gone.blocking.length === 0 &&
          options.configProblem === undefined
        ) {
          const kept = before.unresolved.filter((id) => !gone.closed.includes(id));
          for (const failed of fixes?.failed ?? []) reporter.report("warning", fixFailed(failed));
          this.#nameOutputs(state);
          const after = isFullRun(options) ? keepUnresolved(NEW_EPISODE, before, kept) : before;
          const isSettled = !selection.hasChanges && after.unresolved.length === 0;
          const looks = isSettled ? this.#firstLook(state) : [];
          const caveats = [...looks, ...describeFixed(fixes?.fixed ?? new Map())];
          const result = createResult(isSettled ? "no_changes" : "no_applicable_gates", {
            ...(caveats.length === 0 ? {} : { caveat: caveats.join("; ") }),
            ...shard,
          });
          return await persistState(this.given, state, { after, result, snapshot });
        }
        const run = fixes?.run ?? (yield* await nextRun);
        const log = new RunLog(runtime, logDir, run);
        for (const notice of reporter.notices) log.onEvent(notice);
        const { scopes } = selection;
        const bases = new BaseCommits(runtime, context);
        const { fixed, unfixed: left, failed: failedFixes } = fixes ?? NO_FIXES;
        const plan = {
          ...{ bases, run, snapshot, tree, jobs, scopes, log },
          environment: await environment,
          ...{
            fixed,
            unfixed: left,
            failedFixes,
            before,
            late: state.late,
            skippedInThisEnv,
            shard,
            rejected: taken.rejected,
          },
        };
        const select = async (tree: string) => await this.#select(state, wanted.value, tree, []);
        // Loaded only if a gate runs.
        const { PlannedRun } = await import("@/node/services/gauntlet/run/execute/executePlan");
        return await new PlannedRun(this.given, state, plan, select).run(gone);
      }.bind(this)
    );
  }

  /** Runs the fixes of the jobs, which change files before any gate runs (G35). Loads nothing if there is none. */
  async #fix({ jobs, scopes }: Selection, snapshot: string) {
    if (this.given.options.fix !== true || !jobs.some(hasFix)) return ok(undefined);
    const { runFixes } = await import("@/node/services/gauntlet/run/fixes/runFixes");
    const run = await nextRunNumber(this.given.options.runtime, this.given.logDir);
    if (run.isErr()) return err(run.error);
    const fixed = await runFixes(this.given, { run: run.value, snapshot, jobs, scopes });
    return fixed.map((done) => done && { ...done, run: run.value });
  }

  /** Returns the state for this context. Puts away logs of another branch or of merged work; keeps unresolved gates. */
  async #currentState(): Promise<Result<ExecutionState, RunFailure>> {
    const { options, context, logDir, reporter } = this.given;
    const { runtime, baseBranch } = options;
    const { state, warning, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return err(lost);
    if (warning !== undefined) reporter.report("warning", warning);
    if (state === undefined) {
      const place = { gitDir: context.gitDir, projectDir: options.projectDir, logDir };
      const copy = await restoreState(runtime, place);
      if (copy === undefined) return ok(NO_STATE);
      reporter.report("warning", messages.stateRestored(visible(logDir), copy.open));
      return ok(copy);
    }
    const changed = await contextChange(runtime, context, state, baseBranch);
    if (changed.isErr()) return err(changed.error);
    const sorted = await sortByBranch(runtime, context, state);
    for (const text of describeElsewhere(sorted)) reporter.report("warning", text);
    if (changed.value === undefined) return ok(sorted);
    const { open: unresolved, elsewhere } = sorted;
    const baselines = state.branch === context.branch;
    const kept = { unresolved, elsewhere, baselines };
    const cleaned = await putAway(runtime, logDir, sorted, kept);
    if (cleaned.isErr()) return err(cleaned.error);
    reporter.report("info", changed.value);
    return ok(cleaned.value.state);
  }

  async #nameNested(paths: readonly string[]): Promise<void> {
    const { options, context, reporter } = this.given;
    for (const text of await describeNested(options.runtime, context, paths)) {
      reporter.report("warning", text);
    }
  }

  /** Names globs whose meaning changed, and gates that no file matches, once for each configuration (G4a). */
  async #nameGlobs(state: ExecutionState, snapshot: string): Promise<ExecutionState> {
    const { options, config, reporter } = this.given;
    if (options.stop === undefined || state.globs?.seen === config.digest) return state;
    for (const text of await describeGlobs(this.given, state, snapshot)) {
      reporter.report("warning", text);
    }
    return { ...state, globs: { ...state.globs, seen: config.digest } };
  }

  #nameOutputs(state: ExecutionState): void {
    for (const text of describeOutputs(this.given.config, state)) {
      this.given.reporter.report("warning", text);
    }
  }

  /** Returns true if no file has changed since all gates passed with the same configuration. */
  #isVerified({ passed, ...state }: ExecutionState, snapshot: string): boolean {
    return (
      this.#mayUseLastRun(state) &&
      passed?.snapshot === snapshot &&
      passed.definition === this.given.config.digest &&
      this.#hasSameCommits(passed.head)
    );
  }

  /** Returns what the user was shown if no file has changed since a run that had only known failures (G45). */
  #toldBefore({ known, ...state }: ExecutionState, snapshot: string): string | undefined {
    const { options, config } = this.given;
    const isSame =
      known?.snapshot === snapshot &&
      known.definition === config.digest &&
      this.#hasSameCommits(known.head);
    return isSame && options.stop !== undefined && this.#mayUseLastRun(state)
      ? known.told
      : undefined;
  }

  /** Returns whether HEAD is the given one, or no gate depends on it. */
  #hasSameCommits(head: string | undefined): boolean {
    const { config, context } = this.given;
    return (
      head === context.head ||
      !config.entryPoints.some(({ gates }) => gates.some((gate) => readsHistory(gate)))
    );
  }

  #mayUseLastRun({ open }: Pick<ExecutionState, "open">): boolean {
    const { options, env } = this.given;
    return (
      isDefaultRun(options, env) &&
      options.configProblem === undefined &&
      options.all !== true &&
      options.force !== true &&
      options.useCache !== false &&
      open.length === 0
    );
  }

  #baselines({ baselines }: ExecutionState): ExecutionState["baselines"] {
    return usableBaselines(this.given.options, this.given.env, baselines);
  }

  #select(
    state: ExecutionState,
    { entryPoints }: Pick<SelectedGates, "entryPoints">,
    snapshot: string,
    unresolved: readonly string[],
    known?: ComparedSnapshots
  ): ResultAsync<Selection, RunFailure> {
    const { options, context, config, reporter } = this.given;
    const { runtime, scope, all = false } = options;
    const { globalDependencies, readsOld } = config;
    return selectJobs({
      runtime,
      context,
      entryPoints,
      snapshot,
      unresolved,
      ...{ globalDependencies, readsOld },
      all,
      fromBase: state.cleaned === true,
      baselines: this.#baselines(state),
      ...definedOnly({ known }),
      // The jobs of a shard do not depend on this machine's earlier runs (G10).
      warn: (text) => {
        reporter.report("warning", text);
      },
      failures: options.shard === undefined ? state.failures : {},
      scope,
    });
  }

  /**
   * Splits the unresolved gates without a job, except for those that do not run in this environment (`run_in_ci`,
   * `run_locally`). Returns none for a partial run.
   */
  #splitOpen(
    state: ExecutionState,
    jobs: readonly Job[],
    skippedInThisEnv: readonly GateDefinition[]
  ): UnresolvedSplit {
    const { options, config, reporter } = this.given;
    if (!isFullRun(options)) return { blocking: [], dormant: [], closed: [] };
    const ids = new Set(jobs.map(({ id }) => id));
    const gone = state.open.filter((id) => !ids.has(id) && !isJobOf(id, skippedInThisEnv));
    const defined = config.entryPoints.flatMap(({ gates }) => gates);
    const split = splitUnresolved(gone, state, options, defined);
    for (const id of split.dormant) reporter.report("warning", describeDormant(id, state));
    return split;
  }

  /** Returns the caveat "nothing to compare with" (G20b). A stop repeats it if only runs by hand have reported it. */
  #firstLook({ start_untold }: ExecutionState): string[] {
    const { context, options } = this.given;
    const isUnreported = options.stop !== undefined && start_untold === true;
    return context.isFirstLook === true || isUnreported
      ? [
          `nothing to compare with: commits from before the first run of the gauntlet here were not checked; to check all files, run "${ownCommand()} run --all"`,
        ]
      : [];
  }
}

function hasFix({ gate }: Job): boolean {
  return gate.kind === "check" && gate.fix !== undefined;
}

function isJobOf(id: string, gates: readonly GateDefinition[]): boolean {
  return gates.some((gate) => folderOfJob(id, gate) !== undefined);
}
