/**
 * Opens the repository of a run, and finds the commit with which its work is compared (G7). For work on the base
 * branch, that is the commit at which the work began, which is recorded at the first run or turn (G20b).
 */
import { turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { isCi } from "@/common/isCi";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { START_REF, type GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { execGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { FIRST_TURN_FILE } from "@/node/services/gauntlet/turn/recordTurnStart";

/**
 * Opens the repository with the requested base, or else the pull request's, or else the configured one (G7).
 *
 * @param record if false, no ref is written
 */
export async function openRunRepository(
  options: Pick<RunOptions, "runtime" | "projectDir" | "baseBranch" | "env" | "signal">,
  config: GauntletConfig,
  record = true
): Promise<Result<GitContext, GitFailure>> {
  const { runtime, projectDir, baseBranch, env = process.env, signal } = options;
  const opened = await openRepository(runtime, projectDir, {
    baseBranch: baseBranch ?? config.baseBranch,
    isDefaultBase: baseBranch === undefined && config.isDefaultBase,
    env: baseBranch === undefined ? env : { ...env, GITHUB_BASE_REF: undefined },
    signal,
    mustExist: baseBranch !== undefined,
  });
  if (opened.isErr() || baseBranch !== undefined || isCi(env)) return opened;
  const context = await withStartingPoint(runtime, opened.value, record);
  return opened.map(() => context);
}

/**
 * Compares work with the starting commit if it is on the base branch, or if there is no base branch. Otherwise only
 * records that commit. Once it is recorded, runs at most one git process, and none if HEAD has not moved since.
 */
export async function withStartingPoint(
  runtime: HookRuntime,
  context: GitContext,
  record: boolean
): Promise<GitContext> {
  const { head, headInBase, baseRef, gitDir, emptyTree, warnings } = context;
  if (head === undefined) return context;
  const start = await ensureStart(runtime, context, record);
  if (start === undefined || (!headInBase && baseRef !== undefined)) return context;
  const { isFirstLook } = start;
  if (start.commit === head) return { ...context, baseCommit: head, isFirstLook };
  const { code, commit = start.commit } = await mergeBase(runtime, context, start.commit, head);
  if (code !== BAD_OBJECT) return { ...context, baseCommit: commit, isFirstLook };
  if (record) {
    // git refuses to replace a ref that it cannot read.
    await runtime.remove(posix.join(gitDir, START_REF));
    await recordStart(runtime, context, head);
  }
  // Compares with nothing once, so that a record that cannot be read hides no commit.
  const warning =
    "the record of the starting commit could not be read, so all files of the project were compared";
  return { ...context, baseCommit: emptyTree, warnings: [...warnings, warning] };
}

/** The exit code of git for a commit that it does not have. */
const BAD_OBJECT = 128;

/**
 * Stores the commit with which work on the base branch is compared, if there is none yet (G20b). Never throws; after a
 * failure the first run stores it.
 */
export async function recordStartingCommit({
  runtime,
  projectDir,
  env,
}: Required<Pick<RunOptions, "runtime" | "projectDir" | "env">>): Promise<void> {
  const opened = await openRepository(runtime, projectDir, { baseBranch: "HEAD", env });
  if (opened.isOk()) await ensureStart(runtime, opened.value);
}

/**
 * Returns the recorded starting commit, or else records one: HEAD at the first turn, or else the current HEAD. If the
 * branch has an upstream, records the merge base of that commit and the upstream instead. Returns undefined without
 * HEAD. `isFirstLook`: it is HEAD because no earlier commit is known.
 */
export async function ensureStart(
  runtime: HookRuntime,
  context: GitContext,
  record = true
): Promise<{ readonly commit: string; readonly isFirstLook: boolean } | undefined> {
  const { head, start } = context;
  if (start !== undefined) return { commit: start, isFirstLook: false };
  if (head === undefined) return undefined;
  const turn = await firstTurn(runtime, context);
  const first = turn ?? head;
  const { commit = first } = await mergeBase(runtime, context, first, "@{upstream}");
  if (record) await recordStart(runtime, context, commit);
  return { commit, isFirstLook: turn === undefined && commit === head };
}

async function recordStart(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  commit: string
): Promise<void> {
  await execGit(runtime, { cwd: projectDir, args: ["update-ref", START_REF, commit, ""], signal });
}

/** Returns the HEAD at the start of the first turn, or undefined if git no longer has that commit. */
async function firstTurn(runtime: HookRuntime, context: GitContext): Promise<string | undefined> {
  const { gitDir, projectDir, head, signal } = context;
  const text = await readText(runtime, turnPath(gitDir, FIRST_TURN_FILE), { maxBytes: 100 });
  const commit = text?.trim() ?? "";
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  if (commit === head) return commit;
  const args = ["cat-file", "-e", `${commit}^{commit}`];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  return output.isOk() && output.value.code === 0 ? commit : undefined;
}

async function mergeBase(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  a: string,
  b: string
): Promise<{ readonly code?: number; readonly commit?: string }> {
  const args = ["merge-base", "--end-of-options", a, b];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  if (output.isErr()) return {};
  const { code, stdout } = output.value;
  return code === 0 ? { code, commit: stdout.trimEnd() } : { code };
}
