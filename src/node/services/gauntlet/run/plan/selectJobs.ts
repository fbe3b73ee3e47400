/**
 * Selects the jobs of a run: those with changes since their last pass, also in a dependency, and unresolved ones.
 * Determines what each job is compared with and which files its command or reviewer gets: not those that only commits of
 * others changed, but those that it rejected before (G7a, G10, G19a, G32). Also lists the changed nested repositories.
 */
import { posix } from "node:path";
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { uniqueName } from "@/common/randomName";
import { isLost } from "@/node/runtime/lostConnection";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import * as changes from "@/node/services/gauntlet/change/diff/changedFiles";
import type { ComparedSnapshots } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import { failed, type GitFailure, runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as checkFiles from "@/node/services/gauntlet/domain/relevantFiles";
import {
  Dependencies,
  type PackageGraph,
  definitionOf,
  planCandidates,
  type Candidate,
  type GlobalChange,
} from "@/node/services/gauntlet/domain/candidateJobs";
import { foldersOf } from "@/node/services/gauntlet/domain/entryPointFolders";
import { globMatcher } from "@/node/services/gauntlet/domain/globs/matchers";
import { outputMatcher } from "@/node/services/gauntlet/domain/outputRules";
import type { EntryPoint, Job } from "@/node/services/gauntlet/domain/gate";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import { packageGraph } from "@/node/services/gauntlet/run/plan/packageGraph";
import type { RunOptions, RunScope } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { withLogNames } from "@/node/services/gauntlet/state/runFiles";
import { isMadeHere, lastMoves, type Move } from "@/node/services/gauntlet/turn/headMoves";

export interface Selection {
  readonly jobs: readonly Job[];
  /** By job, the part of the change that it covers. */
  readonly scopes: ReadonlyMap<string, JobScope>;
  /** Relative to the project: paths that differ from the start of the comparison, with both names of renamed files. */
  readonly changed: readonly string[];
  /** The changed paths that are submodules or nested repositories. */
  readonly repositories: readonly string[];
  /** False if every comparison is empty. */
  readonly hasChanges: boolean;
}

/** The part of the change that a job covers. */
export interface JobScope extends changes.DiffRange {
  readonly covers: (file: string) => boolean;
  /** The files for a check's command, as far as git knows them. Absent if it gets none (G32). */
  readonly files?: readonly string[];
  /** HEAD of the snapshot `from`, if that is a snapshot (G33). */
  readonly head?: string | undefined;
  /** The changed files of the comparison that it covers. */
  readonly changed: ReadonlySet<string>;
  /** Files of its own that its command would get if they still existed. */
  readonly deleted: readonly string[];
  /** Whether a file changed on which every entry point depends. */
  readonly isGlobal: boolean;
}

export interface SelectionRequest extends Pick<RunOptions, "runtime" | "scope" | "all"> {
  readonly context: GitContext;
  readonly entryPoints: readonly EntryPoint[];
  /** The current working tree. */
  readonly snapshot: string;
  readonly unresolved: readonly string[];
  readonly config: Pick<GauntletConfig, "globalDependencies" | "readsOld">;
  /** Receives a warning for the user. */
  readonly warn?: (text: string) => void;
  /** Comparisons with the current working tree that are known already. */
  readonly known?: ComparedSnapshots;
  /** Whether each gate is compared with the base as well, because a clean moved the logs (G7a). */
  readonly fromBase?: boolean;
  /** The snapshot on which each gate last passed. Empty if the run does not use baselines (G7a). */
  readonly baselines: ExecutionState["baselines"];
  /** HEAD of the last run. */
  readonly lastCommit?: string;
  /** By unresolved job, what it was compared with when it failed. Its files are compared with that as well (G32). */
  readonly failures?: ExecutionState["failures"];
}

export function selectJobs(request: SelectionRequest): ResultAsync<Selection, GitFailure> {
  return safeTry(async function* () {
    const { runtime, context, snapshot, scope, unresolved, baselines } = request;
    const places = request.entryPoints.map(({ path }) => posix.join(context.projectDir, path));
    const start =
      request.all !== true && scope?.kind === "commit"
        ? yield* await changes.commitChanges(runtime, context, scope.commit)
        : startOf(context, scope, snapshot, request.all);
    const diffs = new Diffs(request, start);
    const others = new Map<string | undefined, ReadonlySet<string>>();
    const failedFrom = (id: string): readonly string[] => request.failures?.[id]?.from ?? [];
    const [stats] = await Promise.all([
      runtime.stat(places),
      ...[start.from, ...snapshotsOf(baselines)].map((from) => diffs.since(from)),
    ]);
    const entryPoints = request.entryPoints.map((one, i) => ({ ...one, kind: stats[i]?.kind }));
    const sinceStart = yield* await diffs.since(start.from);
    const changed = [...sinceStart];
    for (const snapshot of snapshotsOf(baselines))
      changed.push(...(yield* await diffs.since(snapshot)));
    const all = [...new Set(changed)];

    const globalChange = yield* await findGlobalChange(request, all);
    const dependencies = yield* await findDependencies(
      { ...request, entryPoints },
      all,
      start.from
    );
    const candidates = planCandidates(entryPoints, all, unresolved, globalChange, dependencies);
    const selected: Candidate[] = [];
    const scopes = new Map<string, JobScope>();
    let hasChanges = candidates.length === 0 && sinceStart.length > 0;
    for (const candidate of candidates) {
      const { job, covers, owns } = candidate;
      const { id, gate } = job;
      const passed = baselines[id];
      const isCurrent = passed?.definition === definitionOf(gate);
      const sincePass = isCurrent ? yield* await diffs.since(passed.snapshot) : [];
      const from = isCurrent && request.fromBase !== true ? passed.snapshot : start.from;
      const paths = [...sincePass, ...(yield* await diffs.since(from))];
      for (const failed of failedFrom(id)) paths.push(...(yield* await diffs.since(failed)));
      const still = unresolved.includes(id) ? yield* await stillThere(request, diffs, id) : [];
      // A file that was restored is as it was before the gate rejected it.
      const rejected = still.filter((file) => paths.includes(file));
      const isGlobal = globalChange !== undefined && paths.some(globalChange.isGlobal);
      const base = isCurrent ? passed.head : start.from;
      // What a person selects is reviewed as a whole.
      const isReview = gate.kind === "review" && scope === undefined && request.all !== true;
      // A review that has not passed sees the changes since its last answer (G14).
      const answered =
        isReview && !isCurrent && unresolved.includes(id) ? request.lastCommit : undefined;
      const since = answered ?? (request.fromBase === true ? start.from : base);
      const isFiltered = isReview || checkFiles.getsFiles(gate);
      if (isFiltered && !others.has(since)) {
        others.set(since, await filesOfOthers(request, diffs, since));
      }
      const theirs = (isFiltered ? others.get(since) : undefined) ?? NONE;
      const own = paths.filter((path) => !theirs.has(path));
      const sees = (file: string): boolean => covers(file) && !(isReview && theirs.has(file));
      const given = isGlobal ? globalChange.files : diffs.there(own);
      const compared = diffs.startOf(failedFrom(id)[0] ?? from);
      scopes.set(id, {
        from: compared,
        to: start.to,
        covers: sees,
        files: checkFiles.getsFiles(gate)
          ? [...new Set([...checkFiles.matchingFiles(job, given.filter(owns)), ...rejected])].sort()
          : undefined,
        deleted: checkFiles.matchingFiles(job, diffs.gone(own).filter(owns)),
        isGlobal,
        head: compared === passed?.snapshot ? passed.head : undefined,
        changed: new Set(paths.filter(sees)),
      });
      const hasCommits = checkFiles.readsHistory(gate) && context.head !== base;
      hasChanges ||= paths.length > 0 || hasCommits;
      const isDue =
        unresolved.includes(id) || hasCommits || checkFiles.isDueFor(job, paths.filter(sees));
      if (isDue) selected.push(candidate);
    }
    const there = yield* await withFolder(runtime, context.projectDir, selected);
    const jobs = withLogNames(there.map(({ job }) => job));
    const repositories = [...diffs.repositories];
    return ok({ jobs, scopes, changed: sinceStart, hasChanges, repositories });
  });
}

/**
 * Returns the files that an unresolved check rejected, under their current names (G32). A renamed file stays even if
 * the globs of the check no longer match it.
 */
async function stillThere(
  { runtime, context, snapshot, failures = {} }: SelectionRequest,
  diffs: Diffs,
  id: string
): Promise<Result<string[], GitFailure>> {
  const { files = [], at } = failures[id] ?? {};
  if (files.length === 0 || at === undefined) return ok([]);
  const since = await diffs.since(at);
  if (since.isErr()) return err(since.error);
  const changed = new Set(since.value);
  const isGone = (file: string): boolean => changed.has(file) && diffs.there([file]).length === 0;
  if (!files.some(isGone)) return ok([...files]);
  // A difference that is too large to be read has no renames.
  const renamed = (await sinceRecord(runtime, context, at, snapshot)).map((found) => found.renamed);
  const names = renamed.unwrapOr(new Map<string, string>());
  return ok(files.flatMap((file) => (isGone(file) ? (names.get(file) ?? []) : file)));
}

/** Returns the commits and trees that a run compares with, before its snapshot is taken; none with `--commit`. */
export function comparedFirst(
  request: Pick<SelectionRequest, "context" | "scope" | "all" | "baselines">
): readonly string[] {
  const { context, scope, all, baselines } = request;
  if (scope?.kind === "commit") return [];
  const start = startOf(context, scope, "", all);
  return [...new Set([start.from, ...snapshotsOf(baselines)])].slice(0, MAX_FIRST);
}

/** Each comparison takes a git process, and all of them run at once. */
const MAX_FIRST = 4;

function snapshotsOf(baselines: ExecutionState["baselines"]): string[] {
  return Object.values(baselines).map(({ snapshot }) => snapshot);
}

/** Returns undefined if no changed file is a global dependency; then no files are listed. */
async function findGlobalChange(
  { runtime, context, snapshot, config }: SelectionRequest,
  changed: readonly string[]
): Promise<Result<GlobalChange | undefined, GitFailure>> {
  const { globalDependencies: globs, readsOld } = config;
  if (globs.length === 0) return ok(undefined);
  const isGlobal = globMatcher({ field: "global_dependencies", globs, folder: ".", readsOld });
  if (!changed.some((file) => isGlobal(file))) return ok(undefined);
  const files = await treeFiles(runtime, context, snapshot);
  return files.map((found) => ({
    isGlobal,
    files: found.flatMap(({ path, id }) => (id.startsWith("160000 ") ? [] : path)),
    folders: new Set(found.flatMap(({ path }) => foldersOf(path))),
  }));
}

/** Returns undefined if no entry point with gates depends on another one; then no files are listed. */
async function findDependencies(
  { runtime, context, entryPoints, snapshot, warn }: SelectionRequest,
  changed: readonly string[],
  from: string
): Promise<Result<Dependencies | undefined, GitFailure>> {
  if (changed.length === 0) return ok(undefined);
  const graph = await packageGraph(runtime, context, entryPoints, { from, changed });
  if (graph.isErr())
    warn?.(
      `The dependencies between the packages of this workspace are unknown, so a change runs only the gates of its own package: ${graph.error}`
    );
  const packages: PackageGraph = graph.unwrapOr(new Map());
  const isExplicit = entryPoints.some(({ dependsOn = [] }) => dependsOn.length > 0);
  if (packages.size === 0 && !isExplicit) return ok(undefined);
  // The folders of a glob that depends on other entry points are known only from the tree.
  const files = isExplicit ? await treeFiles(runtime, context, snapshot) : ok([]);
  return files.map((found) => {
    const folders = new Set([...packages.keys(), ...found.flatMap(({ path }) => foldersOf(path))]);
    return new Dependencies(entryPoints, changed, [...folders], packages);
  });
}

function startOf(
  context: GitContext,
  scope: RunScope | undefined,
  snapshot: string,
  all = false
): changes.DiffRange {
  if (all) return { from: context.emptyTree, to: snapshot };
  return scope?.kind === "uncommitted"
    ? changes.uncommittedChanges(context, snapshot)
    : changes.branchChanges(context, snapshot);
}

/** Makes each comparison once, even for several gates. Never rejects. */
class Diffs {
  readonly #known = new Map<string, Promise<Result<string[], GitFailure>>>();
  readonly #gone = new Set<string>();
  readonly repositories = new Set<string>();
  /** The changed paths that are files or links in the tree of `start.to`. */
  readonly #there = new Set<string>();
  readonly #isOutput: (path: string) => boolean;

  constructor(
    private readonly request: Pick<SelectionRequest, "runtime" | "context" | "known">,
    private readonly start: changes.DiffRange
  ) {
    this.#isOutput = outputMatcher(request.context.outputs ?? []);
  }

  since(from: string): Promise<Result<string[], GitFailure>> {
    const known = this.#known.get(from) ?? this.#compare(from);
    this.#known.set(from, known);
    return known;
  }

  /** Returns the paths that are files or links now. */
  there(paths: readonly string[]): string[] {
    return paths.filter((path) => this.#there.has(path));
  }

  /** Returns the paths that were files or links, and are none now. */
  gone(paths: readonly string[]): string[] {
    return paths.filter((path) => !this.#there.has(path) && !this.repositories.has(path));
  }

  /** Returns `from`, or the start of the run's comparison if git no longer has `from`. */
  startOf(from: string): string {
    return this.#gone.has(from) ? this.start.from : from;
  }

  async #compare(from: string): Promise<Result<string[], GitFailure>> {
    const { runtime, context, known } = this.request;
    const files =
      known?.get(from) ?? (await changes.changedFiles(runtime, context, from, this.start.to));
    for (const { path, status, isRepository } of files.unwrapOr([])) {
      if (isRepository === true) this.repositories.add(path);
      else if (status !== "deleted") this.#there.add(path);
    }
    // A snapshot that git no longer has is treated like a missing one.
    const isGone = files.isErr() && files.error.reason === "failed" && from !== this.start.from;
    // A file that is an output now was part of earlier snapshots. A tracked one still is part of this snapshot (G20c).
    if (!isGone) {
      return files.map((all) =>
        changes.changedPaths(all).filter((path) => this.#there.has(path) || !this.#isOutput(path))
      );
    }
    this.#gone.add(from);
    return await this.since(this.start.from);
  }
}

/** Drops candidates whose folder was deleted, because commands cannot run there (G8). */
async function withFolder(
  runtime: HookRuntime,
  projectDir: string,
  candidates: readonly Candidate[]
): Promise<Result<Candidate[], GitFailure>> {
  const folders = candidates.map(({ job }) => posix.join(projectDir, job.entryPoint));
  const stats = await runtime.stat(folders);
  const lost = stats.flatMap((stat) =>
    stat.kind === "failed" && isLost(stat.failure) ? [stat.failure.message] : []
  )[0];
  if (lost !== undefined) return err(failed(lost));
  // A folder that cannot be read is left in: its gates then report why they cannot run.
  return ok(candidates.filter((_, i) => ["directory", "failed"].includes(stats[i]?.kind ?? "")));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the files that equal their version on the base branch, and that only commits changed which were not made in
 * this worktree (G32). In doubt, returns none.
 *
 * @param since the commit since which they changed
 */
async function filesOfOthers(
  { runtime, context }: SelectionRequest,
  diffs: Diffs,
  since: string | undefined
): Promise<ReadonlySet<string>> {
  const { gitDir, projectDir: cwd, head, signal } = context;
  if (since === undefined || since === head) return NONE;
  const moves = (await lastMoves(runtime, gitDir)) ?? [];
  const last = moves.findLastIndex(({ after }) => after === since);
  // Most often all commits since then were made here, and no git process is needed.
  if (last === -1 || !moves.slice(last + 1).some(bringsOthers)) return NONE;
  const base = await mergedBase(runtime, context);
  if (base === undefined) return NONE;
  const made = new Set(moves.filter(isMadeHere).map(({ after }) => after));
  const mark = uniqueName();
  const format = ["-z", `--format=${mark}%H`, "-c", "--name-only", "--no-renames", "--relative"];
  const args = ["log", ...format, "--end-of-options", `${since}..${head}`, "--"];
  const [log, differing] = await Promise.all([
    runGit(runtime, { cwd, args, signal }),
    diffs.since(base),
  ]);
  if (log.isErr() || differing.isErr()) return NONE;
  const theirs = new Set<string>();
  const kept = new Set(differing.value);
  for (const commit of log.value.split(mark).slice(1)) {
    const [id = "", ...names] = commit.split("\0");
    const files = names.map((name, i) => (i === 0 ? name.replace(/^\n/, "") : name));
    for (const file of files) (made.has(id) ? kept : theirs).add(file);
  }
  return new Set([...theirs].filter((file) => !kept.has(file)));
}

/** Returns the newest commit of the base branch, or of its branch on the remote, that HEAD contains. */
async function mergedBase(runtime: HookRuntime, context: GitContext): Promise<string | undefined> {
  const { projectDir: cwd, signal, branch, baseRef, head, headInBase, baseCommit } = context;
  if (baseRef === undefined || head === undefined) return undefined;
  const args = ["merge-base", "--end-of-options", head, `${baseRef}@{upstream}`];
  const printed = await runGit(runtime, { cwd, args, signal });
  if (printed.isOk()) return printed.value.trimEnd();
  if (!headInBase) return baseCommit;
  return baseRef === branch ? undefined : head;
}

/** Returns whether the move may bring commits of others. A merge ends with a move of its own, or with a commit. */
function bringsOthers(move: Move): boolean {
  return !isMadeHere(move) || /^(?:merge|pull|commit \(merge\))/.test(move.text);
}
