/** The starting commit, with which work on the base branch itself is compared (G20b). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import { START_REF, type GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { FIRST_TURN_FILE } from "@/node/services/gauntlet/turn/turnStart";
import { turnPath } from "@/node/services/gauntlet/turn/turnFiles";

export interface StartingPoint {
  readonly commit: string;
  /** Whether it is HEAD because no earlier commit is known. */
  readonly isFirstLook: boolean;
}

/**
 * Compares work with the starting commit if it is on the base branch, or if there is no base branch. Otherwise only
 * records that commit. Once it is recorded, runs at most one git process, and none if HEAD has not moved since.
 *
 * @param record if false, no ref is written
 */
export async function withStartingPoint(
  runtime: HookRuntime,
  context: GitContext,
  record: boolean
): Promise<GitContext> {
  const { head, headInBase, baseRef } = context;
  if (head === undefined) return context;
  const start = await ensureStart(runtime, context, record);
  if (start === undefined || (!headInBase && baseRef !== undefined)) return context;
  const shared =
    start.commit === head ? head : await mergeBase(runtime, context, start.commit, head);
  return { ...context, baseCommit: shared ?? start.commit, isFirstLook: start.isFirstLook };
}

/**
 * Returns the recorded starting commit, or else records one: HEAD at the first turn, or else the current HEAD. If the
 * branch has an upstream, records the merge base of that commit and the upstream instead. Returns undefined without
 * HEAD.
 */
export async function ensureStart(
  runtime: HookRuntime,
  context: GitContext,
  record = true
): Promise<StartingPoint | undefined> {
  const { head, start } = context;
  if (start !== undefined) return { commit: start, isFirstLook: false };
  if (head === undefined) return undefined;
  const turn = await firstTurn(runtime, context);
  const first = turn ?? head;
  const upstream = await mergeBase(runtime, context, first, "@{upstream}");
  const commit = upstream ?? first;
  const { projectDir, signal } = context;
  const args = ["update-ref", START_REF, commit, ""];
  if (record) await execGit(runtime, { cwd: projectDir, args, signal });
  return { commit, isFirstLook: turn === undefined && commit === head };
}

/** Returns the HEAD at the start of the first turn, or undefined if git no longer has that commit. */
async function firstTurn(runtime: HookRuntime, context: GitContext): Promise<string | undefined> {
  const { gitDir, projectDir, head, signal } = context;
  const read = await runtime.readFile(turnPath(gitDir, FIRST_TURN_FILE), { maxBytes: 100 });
  const commit = read.isOk() ? new TextDecoder().decode(read.value).trim() : "";
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
): Promise<string | undefined> {
  const args = ["merge-base", "--end-of-options", a, b];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  if (output.isErr() || output.value.code !== 0) return undefined;
  return output.value.stdout.trimEnd();
}
