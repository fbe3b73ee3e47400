/**
 * Plans a run: takes the snapshot of the working tree, runs fixes (G35), and selects the jobs from the state of earlier
 * runs. Ends the run at once if no gate has to run, as on a tree that passed. Also warns of changed gates and globs,
 * and of uncommitted changes in nested repositories and submodules, which no gate checks (G20d).
 */
import { posix } from "node:path";
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { sha256 } from "@/common/hash";
import { shownCommand } from "@/common/ownCommandName";
import { visible, clip } from "@/common/safeText";
import { KIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import {
  allowedOutputs,
  takeSnapshot,
  type ComparedSnapshots,
  type Snapshot,
} from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { largeInProject } from "@/node/services/gauntlet/change/snapshot/hashLargeFiles";
import { readsHistory } from "@/node/services/gauntlet/domain/relevantFiles";
import { keepUnresolved, NEW_EPISODE } from "@/node/services/gauntlet/domain/episode";
import { type GateDefinition, type Job, folderOfJob } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { fixedByAll, fixFailed } from "@/node/services/gauntlet/messages/autoFixes";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import * as unresolvedGates from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { describeChangedGates } from "@/node/services/gauntlet/run/plan/gateChangeNotes";
import * as states from "@/node/services/gauntlet/run/plan/earlierState";
import * as globMeaning from "@/node/services/gauntlet/run/plan/oldGlobMeaning";
import {
  describeOutputs,
  withoutTracked,
  withOutputs,
} from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import * as runOptions from "@/node/services/gauntlet/run/runOptions";
import * as selections from "@/node/services/gauntlet/run/plan/selectJobs";
import type * as runContext from "@/node/services/gauntlet/run/runContext";
import { jobsOfShard, runIdentity } from "@/node/services/gauntlet/run/shards/assignShards";
import * as executionState from "@/node/services/gauntlet/state/executionState";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/** A run that ended before any gate ran. */
export interface EndedPlan {
  readonly kind: "ended";
  readonly given: runContext.GauntletRunContext;
  readonly state: executionState.ExecutionState;
  readonly ended: runContext.EndedRun;
}

/** A run that could not be planned. Without `state`, that of an earlier run could not be read. */
export interface FailedPlan {
  readonly kind: "failed";
  readonly given: runContext.GauntletRunContext;
  readonly state?: executionState.ExecutionState;
  readonly failure: runContext.RunFailure;
}

/** @param hidden resolves when git ignores the logs, before the first snapshot */
export async function planRun(
  begun: runContext.GauntletRunContext,
  hidden?: Promise<void>
): Promise<runContext.Plan | EndedPlan | FailedPlan> {
  const [read] = await Promise.all([states.currentState(begun), hidden]);
  if (read.isErr()) return { kind: "failed", given: begun, failure: read.error };
  const { runtime, projectDir, config: written } = begun;
  const inherited = await globMeaning.withInherited(runtime, projectDir, written, read.value);
  const { config, state: meant } = globMeaning.withGlobMeaning(written, inherited);
  const given = { ...begun, config };
  const state = await states.withoutForeign(given, meant);
  return await planFrom(given, state).match<runContext.Plan | EndedPlan | FailedPlan>(
    (planned) => planned,
    (failure) => ({ kind: "failed", given, state, failure })
  );
}

function planFrom(
  begun: runContext.GauntletRunContext,
  found: executionState.ExecutionState
): ResultAsync<runContext.Plan | EndedPlan, runContext.RunFailure> {
  return safeTry(async function* () {
    const { runtime, options, config, env, logDir, reporter } = begun;
    let given = begun;
    let state = found;
    const ended = (result: RunResult, more: Partial<runContext.EndedRun> = {}): EndedPlan => ({
      ...{ kind: "ended", given, state },
      ended: { after: executionState.episodeOf(state), result, ...more },
    });
    const submodules = submodulePaths(runtime, begun.context);
    // Files that this machine's runs recorded would not be the same for another shard (G10).
    const place = withOutputs(begun.context, config, options.shard === undefined ? state : {});
    reporter.weaken(...(await describeChangedGates(begun, state)));
    if (options.stop !== undefined) {
      reporter.weaken(...(state.untold ?? []).map((text) => visible(text)));
      state = await states.namePushed(begun, state);
    }
    const wanted = runOptions.selectGates(config, options, env);
    if (wanted.isErr()) return ok(ended(createResult("error", { errorMessage: wanted.error })));
    const baselines = runOptions.usableBaselines(options, env, state.baselines);
    const taken = yield* await takeSnapshot(runtime, place, {
      keepIndex: true,
      compareWith: selections.comparedFirst({ ...options, context: place, baselines }),
      onChange: () => runtime.expectPrograms?.(),
    });
    reporter.warn(...taken.warnings);
    const outputs = allowedOutputs(place.outputs, taken.rejected);
    const context = { ...place, outputs };
    given = { ...begun, context };
    state = withoutTracked(state, taken.rejected);
    if (state.globs?.old === config.digest) state = await nameGlobs(given, state, taken.id);
    const nameNested = async (repositories: readonly string[] = []): Promise<void> => {
      const paths = [...repositories, ...(await submodules)];
      reporter.warn(...(await describeNested(runtime, context, paths)));
    };
    if (isSame(given, state, state.passed, taken.id)) {
      reporter.warn(...describeOutputs(config, state));
      await nameNested(state.repositories);
      return ok(ended(createResult("no_changes"), { snapshot: taken.id }));
    }
    const isKnownTree = options.stop !== undefined && isSame(given, state, state.known, taken.id);
    if (isKnownTree && state.known?.told !== undefined) {
      const result = createResult("no_changes", { caveat: state.known.told });
      return ok(ended(result, { snapshot: taken.id }));
    }
    const before = executionState.episodeOf(state);
    const unresolved = options.shard === undefined ? before.unresolved : [];
    const nextRun = nextRunNumber(runtime, logDir);
    const environment = states.environmentOf(given);
    const { cleaned, failures } = state;
    const select = (snapshot: string, open: readonly string[], known?: ComparedSnapshots) =>
      selections.selectJobs({
        ...{ runtime, context, snapshot, known, baselines, config },
        ...{ scope: options.scope, all: options.all, unresolved: open },
        entryPoints: wanted.value.entryPoints,
        fromBase: cleaned === true,
        lastCommit: state.commit,
        failures: options.shard === undefined ? failures : {},
        warn: (text) => {
          reporter.warn(text);
        },
      });
    const first = yield* await select(taken.id, unresolved, taken.changes);
    const fixes = yield* await fixFirst(given, first, taken, nextRun);
    const snapshot = fixes.snapshot;
    const selection = snapshot === taken.id ? first : yield* await select(snapshot, unresolved);
    if (selection.hasChanges) state = await nameGlobs(given, state, snapshot);
    state = { ...state, repositories: [...selection.repositories] };
    await nameNested(selection.repositories);
    const { branch, head, baseCommit = "" } = context;
    const tree = sha256(JSON.stringify([snapshot, branch, head, baseCommit, config.digest]), 32);
    const last = options.stop?.failedTree;
    const passed = new Set(last?.tree === tree && unresolved.length > 0 ? last.passed : []);
    // On the tree of the last failed stop, a gate that passed there is not run again (G38).
    const jobs = jobsOfShard(selection.jobs, options.shard).filter(
      ({ id }) => unresolved.includes(id) || !passed.has(id)
    );
    const of = runIdentity(given, snapshot, selection.jobs);
    const shard = options.shard === undefined ? {} : { shard: { ...options.shard, of } };
    const gone = splitOpen(given, state, selection.jobs, wanted.value.skippedInThisEnv);
    if (jobs.length > 0 || gone.blocking.length > 0 || options.configProblem !== undefined) {
      const shared = { kind: "plan", given, state, before, tree, jobs, gone, shard } as const;
      return ok({
        ...shared,
        ...{ snapshot, fixes, scopes: selection.scopes, rejected: taken.rejected },
        run: yield* await nextRun,
        environment: await environment,
        select: async (tree: string) => await select(tree, []),
      });
    }
    const kept = before.unresolved.filter((id) => !gone.closed.includes(id));
    reporter.warn(...fixes.failed.map(fixFailed), ...describeOutputs(config, state));
    const after = runOptions.isFullRun(options)
      ? keepUnresolved(NEW_EPISODE, before, kept)
      : before;
    const isSettled = !selection.hasChanges && after.unresolved.length === 0;
    const caveats = [...(isSettled ? firstLook(given, state) : []), ...fixedByAll(fixes.fixed)];
    const result = createResult(isSettled ? "no_changes" : "no_applicable_gates", {
      caveat: caveats.length === 0 ? undefined : caveats.join("; "),
      ...shard,
    });
    return ok(ended(result, { after, snapshot }));
  });
}

/** Runs the fixes of the jobs, which change files before any gate runs (G35). Loads nothing if there is none. */
async function fixFirst(
  given: runContext.GauntletRunContext,
  selection: selections.Selection,
  { id: snapshot, large }: Pick<Snapshot, "id" | "large">,
  nextRun: ReturnType<typeof nextRunNumber>
): Promise<Result<runContext.FixedTree, runContext.RunFailure>> {
  const none = { snapshot, fixed: new Map(), unfixed: new Map(), failed: [] };
  const hasFix = ({ gate }: Job): boolean => gate.kind === "check" && gate.fix !== undefined;
  if (given.options.fix !== true || !selection.jobs.some(hasFix)) return ok(none);
  const run = await nextRun;
  if (run.isErr()) return err(run.error);
  const { runFixes } = await import("@/node/services/gauntlet/run/fixes/runFixes");
  const fixed = await runFixes(given, {
    ...{ run: run.value, snapshot, ...selection },
    large: largeInProject(large, given.context),
  });
  return fixed.map((done) => done ?? none);
}

/** Names globs whose meaning changed, and gates that no file matches, once for each configuration (G4a). */
async function nameGlobs(
  given: runContext.GauntletRunContext,
  state: executionState.ExecutionState,
  snapshot: string
): Promise<executionState.ExecutionState> {
  const { options, config, reporter } = given;
  if (options.stop === undefined || state.globs?.seen === config.digest) return state;
  reporter.warn(...(await globMeaning.describeGlobs(given, state, snapshot)));
  return { ...state, globs: { ...state.globs, seen: config.digest } };
}

/** Returns whether a record of the last run is about the same files, commits and configuration, and may be used. */
function isSame(
  { options, config, context, env }: runContext.GauntletRunContext,
  { open }: executionState.ExecutionState,
  record: Partial<Pick<executionState.Baseline, "snapshot" | "definition" | "head">> | undefined,
  snapshot: string
): boolean {
  const { configProblem, all, force, useCache } = options;
  const mayUse =
    runOptions.isDefaultRun(options, env) &&
    configProblem === undefined &&
    ![all, force].includes(true) &&
    useCache !== false &&
    open.length === 0;
  const isOfTree = record?.snapshot === snapshot && record.definition === config.digest;
  const gates = config.entryPoints.flatMap((point) => point.gates);
  return mayUse && isOfTree && (record.head === context.head || !gates.some(readsHistory));
}

/**
 * Splits the unresolved gates without a job, except for those that do not run in this environment (`run_in_ci`,
 * `run_locally`). Returns none for a partial run.
 */
function splitOpen(
  { options, config, reporter }: runContext.GauntletRunContext,
  state: executionState.ExecutionState,
  jobs: readonly Job[],
  skippedInThisEnv: readonly GateDefinition[]
): unresolvedGates.UnresolvedSplit {
  if (!runOptions.isFullRun(options)) return { blocking: [], dormant: [], closed: [] };
  const ids = new Set(jobs.map(({ id }) => id));
  const isSkipped = (id: string): boolean =>
    skippedInThisEnv.some((gate) => folderOfJob(id, gate) !== undefined);
  const gone = state.open.filter((id) => !ids.has(id) && !isSkipped(id));
  const defined = config.entryPoints.flatMap(({ gates }) => gates);
  const split = unresolvedGates.splitUnresolved(gone, state, options, defined);
  reporter.warn(...split.dormant.map((id) => unresolvedGates.describeDormant(id, state)));
  return split;
}

/** Returns the caveat "nothing to compare with" (G20b). A stop repeats it if only runs by hand have reported it. */
function firstLook(
  { context, options }: runContext.GauntletRunContext,
  { start_untold }: executionState.ExecutionState
): string[] {
  const isUnreported = options.stop !== undefined && start_untold === true;
  return context.isFirstLook === true || isUnreported
    ? [
        `nothing to compare with: commits from before the first run of the gauntlet here were not checked; to check all files, run "${shownCommand()} run --all"`,
      ]
    : [];
}

/** Maximum number of repositories in which git is run. */
const MAX_LOOKED_AT = 20;
const MAX_NAME_CHARS = 200;
const MAX_MODULES_BYTES = 64 * KIB;

/** Returns the paths of the submodules in `.gitmodules`, relative to the project, or none without that file. */
export async function submodulePaths(
  runtime: HookRuntime,
  { root, projectDir }: Pick<GitContext, "root" | "projectDir">
): Promise<string[]> {
  const path = posix.join(root, ".gitmodules");
  const text = (await readText(runtime, path, { maxBytes: MAX_MODULES_BYTES })) ?? "";
  return [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(\S.*)$/gm)].map(([, name = ""]) =>
    posix.relative(projectDir, posix.join(root, name.trimEnd()))
  );
}

/**
 * Returns a sentence for each of these repositories that has uncommitted changes. Runs one git process for each
 * repository that exists.
 *
 * @param paths relative to the project
 */
export async function describeNested(
  runtime: HookRuntime,
  context: GitContext,
  paths: readonly string[]
): Promise<string[]> {
  const { projectDir, signal } = context;
  const inside = [...new Set(paths)].filter((path) =>
    posix.join(projectDir, path).startsWith(`${projectDir}/`)
  );
  if (inside.length === 0) return [];
  // In a folder without a repository of its own, git would report on the outer one.
  const stats = await runtime.stat(inside.map((path) => posix.join(projectDir, path, ".git")));
  const existing = inside.filter((_, i) => ["directory", "file"].includes(stats[i]?.kind ?? ""));
  const texts = existing.slice(0, MAX_LOOKED_AT).map(async (path) => {
    const cwd = posix.join(projectDir, path);
    const args = ["status", "--porcelain", "-unormal", "--ignore-submodules=none"];
    const call = { cwd, args, keepBytes: KIB, mayBeCut: true, signal };
    const status = await execGit(runtime, call);
    // Their changes are unknown if git fails.
    if (status.isOk() && status.value.code === 0 && status.value.stdout === "") return [];
    return [
      `the nested repository ${clip(visible(path), MAX_NAME_CHARS)} has uncommitted changes, which were not checked; commit them in that repository, or check it separately`,
    ];
  });
  return (await Promise.all(texts)).flat();
}
