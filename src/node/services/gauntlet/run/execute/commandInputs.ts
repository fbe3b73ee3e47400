/**
 * Determines what a run passes to a check's command: the changed files, and the commit to compare with. For a state that
 * is only a tree, it creates that commit. Replaces a command that would not see all changes by the one for everything,
 * or reports what it does not cover (G32, G33).
 */
import { posix } from "node:path";
import { err, ok, safeTry, type Result } from "neverthrow";
import { clip, visible } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { runGit, type GitFailure, failed } from "@/node/services/gauntlet/change/git/runGit";
import * as inspectedFiles from "@/node/services/gauntlet/domain/commands/inspectedFiles";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import { commandOf, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { notStarted } from "@/node/services/gauntlet/messages/shared";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { treeCommit } from "@/node/services/gauntlet/change/git/gitQueries";
import { getsBase } from "@/node/services/gauntlet/domain/relevantFiles";
import type { Job } from "@/node/services/gauntlet/domain/gate";

/** A check as it is to be run, and the values for the placeholders of its command. */
export interface CommandInputs {
  /** With the command that sees all changes. */
  readonly job: CheckJob;
  /** Absent if the command gets none. */
  readonly files?: readonly string[];
  readonly base?: string | undefined;
  /** Why a pass verifies nothing. */
  readonly unverified?: string;
  /** A change that a pass does not cover, for the user. */
  readonly notice?: string;
}

/** Returns the values for a command with placeholders, or why they cannot be determined. */
export async function inputsOf(
  plan: Plan,
  job: CheckJob,
  bases: BaseCommits,
  isRerun: boolean
): Promise<Result<CommandInputs, string>> {
  return await safeTry<CommandInputs, string>(async function* () {
    const scope = plan.scopes.get(job.id);
    const noBase = ({ message }: GitFailure) => notStarted(`no commit to compare with: ${message}`);
    const base = yield* (await bases.of(job, scope)).mapErr(noBase);
    const seen = yield* (await seeingJob(plan, job, scope, base, isRerun)).mapErr(noBase);
    const given = { ...seen, base: base?.commit };
    const { placeholder } = parseCommand(commandOf(seen.job.gate, isRerun));
    if (scope?.files === undefined || placeholder === undefined) return ok(given);
    return ok({ ...given, files: yield* await existingFiles(plan.given, scope.files) });
  });
}

/** Returns the job with the command that sees all its changes. */
async function seeingJob(
  plan: Plan,
  job: CheckJob,
  scope: JobScope | undefined,
  base: FoundBase | undefined,
  isRerun: boolean
): Promise<Result<CommandInputs, GitFailure>> {
  const command = commandOf(job.gate, isRerun);
  const kind = inspectedFiles.comparedKind(command);
  const hasFiles = parseCommand(command).placeholder !== undefined;
  if (scope === undefined || (kind === undefined && !hasFiles)) return ok({ job });
  const { deleted, isGlobal } = scope;
  const hidden = base && kind ? await hiddenFiles(plan, command, scope, base) : ok([]);
  if (hidden.isErr()) return err(hidden.error);
  const [unseen] = hidden.value;
  const { full } = job.gate;
  const seesDeleted =
    kind === "packages" || (!kind && full === undefined && inspectedFiles.looksAtEachFile(command));
  const lost = seesDeleted ? [] : deleted;
  if (unseen === undefined && lost.length === 0 && !isGlobal) return ok({ job });
  const isLimited = unseen !== undefined || (kind === "tests" && (isGlobal || lost.length > 0));
  const whole = full ?? (isLimited ? inspectedFiles.withoutBase(command) : undefined);
  if (whole !== undefined) {
    const { rerunCommand: _, ...gate } = job.gate;
    return ok({ job: { ...job, gate: { ...gate, command: whole } } });
  }
  const advice = `add "full:" with a command that checks everything to the check ${shown(job.gate.name)}`;
  // With --all, and without a base, everything counts as changed, and there is no pass that could be wrong.
  if (unseen !== undefined && scope.from !== plan.given.context.emptyTree) {
    const unverified = `its command does not see a change of ${shown(unseen)}: the file is as it was in a commit, but not as it was when the check passed; ${advice}`;
    return ok({ job, unverified });
  }
  const [gone] = lost;
  if (gone === undefined) return ok({ job });
  const more = lost.length > 1 ? ` and of ${lost.length - 1} more` : "";
  const notice = `${visible(job.id)} did not cover the deletion of ${shown(gone)}${more}: its command gets only files that exist; ${advice}`;
  return ok({ job, notice });
}

/**
 * Returns the changed files that the tool does not find. Tools compare HEAD with the commit where it left `{base}`, and
 * the working tree with HEAD.
 */
async function hiddenFiles(
  { given: { runtime, context }, snapshot }: Plan,
  command: string,
  { changed }: JobScope,
  { start }: FoundBase
): Promise<Result<string[], GitFailure>> {
  if (inspectedFiles.seesWorkingTree(command)) return ok([]);
  const found = await changedFiles(runtime, context, start, snapshot);
  if (found.isErr()) return err(found.error);
  const visibleFiles = new Set(changedPaths(found.value));
  const hidden = [...changed].filter((file) => !visibleFiles.has(file));
  if (!inspectedFiles.seesOnlyTracked(command)) return ok(hidden);
  const { projectDir: cwd, signal } = context;
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const others = await runGit(runtime, { cwd, args, signal });
  return others.map((text) => [...hidden, ...text.split("\0").filter((file) => changed.has(file))]);
}

/**
 * Returns the files and links that exist, in order. Fails if a name is not UTF-8, because it cannot be passed to a
 * program, and must not be left out silently.
 *
 * @param files relative to the project root, of a tree that git has made of it
 */
async function existingFiles(
  { runtime, projectDir }: GauntletRunContext,
  files: readonly string[]
): Promise<Result<string[], string>> {
  if (files.length === 0) return ok([]);
  const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
  const existing: string[] = [];
  for (const [i, file] of files.entries()) {
    const stat = stats[i];
    if (stat?.kind === "failed") return err(notStarted(`${file}: ${stat.failure.message}`));
    const isMissing = stat?.kind === "missing" && stat.dangling !== true;
    if (isMissing && file.includes("\uFFFD")) {
      const why = `the name of ${visible(file)} is not UTF-8, so it cannot be passed to the command; rename the file, or exclude it with "files"`;
      return err(notStarted(why));
    }
    if (stat !== undefined && !isMissing && stat.kind !== "directory") existing.push(file);
  }
  return ok(existing);
}

const MAX_SHOWN_CHARS = 200;

function shown(text: string): string {
  return clip(visible(text), MAX_SHOWN_CHARS);
}

export interface FoundBase {
  readonly commit: string;
  /** The common ancestor of the commit and HEAD, with which tools compare HEAD. */
  readonly start: string;
}

/** Finds or makes the commits with which the jobs of a run are compared, each only once. */
export class BaseCommits {
  /** The commits that were made, for which a ref is needed. */
  readonly made: string[] = [];
  readonly #known = new Map<string, Promise<Result<FoundBase, GitFailure>>>();

  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext
  ) {}

  /** Returns the commit that a job is compared with, or undefined if its command needs none. */
  async of(
    { gate }: Job,
    scope: JobScope | undefined
  ): Promise<Result<FoundBase | undefined, GitFailure>> {
    if (scope === undefined || !getsBase(gate)) return ok(undefined);
    const { from, head = "" } = scope;
    const key = `${from} ${head}`;
    const known = this.#known.get(key) ?? this.#commitOf(scope);
    this.#known.set(key, known);
    return await known;
  }

  /**
   * Returns the commit for a comparison, or the base of the branch if that commit and HEAD have no common ancestor: a
   * tool such as `vitest --changed` would find no changes, and pass. From the base it finds more changes, never fewer.
   */
  async #commitOf(scope: JobScope): Promise<Result<FoundBase, GitFailure>> {
    const { head, baseCommit = head } = this.context;
    if (head === undefined || baseCommit === undefined)
      return err(failed("the repository has no commit yet; make the first one"));
    for (const commit of [await this.#exactCommit(scope, baseCommit), baseCommit]) {
      if (commit === undefined) continue;
      const start = await this.#git("merge-base", "--end-of-options", commit, head);
      if (start.isOk()) return ok({ commit, start: start.value.trim() });
    }
    const why = `${baseCommit} and HEAD have no common ancestor; fetch the complete history, or check "base_branch"`;
    return err(failed(why));
  }

  /** Returns undefined for the empty tree, which no ancestor of HEAD has. */
  async #exactCommit({ from, head }: JobScope, baseCommit: string): Promise<string | undefined> {
    if (from === this.context.emptyTree) return undefined;
    if (from === baseCommit || from === this.context.head) return from;
    const isCommit = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${from}^{commit}`];
    if (head === undefined && (await this.#git(...isCommit)).isOk()) return from;
    const made = await treeCommit(this.runtime, this.context, from, head ?? baseCommit);
    if (made.isOk()) this.made.push(made.value);
    return made.unwrapOr(undefined);
  }

  async #git(...args: readonly string[]): Promise<Result<string, GitFailure>> {
    const { projectDir: cwd, signal } = this.context;
    return await runGit(this.runtime, { cwd, args, signal });
  }
}

/** Returns the environment variables from which tools such as Turborepo and Nx read the base commit (G33). */
export function baseVariables(base: string | undefined): Record<string, string> {
  if (base === undefined) return {};
  return { GAUNTLET_BASE: base, TURBO_SCM_BASE: base, NX_BASE: base };
}
