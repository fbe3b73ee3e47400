/** Runs a check for everything if its command does not see a change (G32, G33). */
import { err, ok, type Result } from "neverthrow";
import { clip, visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import {
  comparedKind,
  looksAtEachFile,
  seesOnlyTracked,
  seesWorkingTree,
  withoutBase,
} from "@/node/services/gauntlet/domain/commands/comparedTools";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/placeholders";
import { commandOf, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import type { FoundBase } from "@/node/services/gauntlet/run/execute/BaseCommits";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

export interface SeenJob {
  /** As it is to be run. */
  readonly job: CheckJob;
  /** Whether its command is the one for everything. */
  readonly isWhole?: boolean;
  /** Why a pass verifies nothing. */
  readonly unverified?: string;
  /** A change that a pass does not cover, for the user. */
  readonly notice?: string;
}

interface Place {
  readonly runtime: HookRuntime;
  readonly context: GitContext;
  readonly snapshot: string;
  readonly rerun: boolean;
}

/** Returns the job with the command that sees all its changes, or why there is none. */
export async function seeingJob(
  job: CheckJob,
  scope: JobScope | undefined,
  base: FoundBase | undefined,
  place: Place
): Promise<Result<SeenJob, GitFailure>> {
  const command = commandOf(job.gate, place.rerun);
  const kind = comparedKind(command);
  const hasFiles = parseCommand(command).placeholder !== undefined;
  if (scope === undefined || (kind === undefined && !hasFiles)) return ok({ job });
  const { deleted, isGlobal } = scope;
  const hidden = base && kind ? await hiddenFiles(command, scope, base, place) : ok([]);
  if (hidden.isErr()) return err(hidden.error);
  const [unseen] = hidden.value;
  const { full } = job.gate;
  const seesDeleted =
    kind === "packages" || (!kind && full === undefined && looksAtEachFile(command));
  const lost = seesDeleted ? [] : deleted;
  if (unseen === undefined && lost.length === 0 && !isGlobal) return ok({ job });
  if (full !== undefined) return ok({ job: withCommand(job, full), isWhole: true });
  const isLimited = unseen !== undefined || (kind === "tests" && (isGlobal || lost.length > 0));
  const whole = isLimited ? withoutBase(command) : undefined;
  if (whole !== undefined) return ok({ job: withCommand(job, whole), isWhole: true });
  const id = visible(job.id);
  // With --all, and without a base, everything counts as changed, and there is no pass that could be wrong.
  if (unseen !== undefined && scope.from !== place.context.emptyTree) {
    const unverified = `its command does not see a change of ${shown(unseen)}: the file is as it was in a commit, but not as it was when the check passed; add "full:" with a command that checks everything to the check ${shown(job.gate.name)}`;
    return ok({ job, unverified });
  }
  const [gone] = lost;
  if (gone === undefined) return ok({ job });
  const more = lost.length > 1 ? ` and of ${lost.length - 1} more` : "";
  const notice = `${id} did not cover the deletion of ${shown(gone)}${more}: its command gets only files that exist; add "full:" with a command that checks everything to the check ${shown(job.gate.name)}`;
  return ok({ job, notice });
}

/**
 * Returns the changed files that the tool does not find. Tools compare HEAD with the commit where it left `{base}`, and
 * the working tree with HEAD.
 */
async function hiddenFiles(
  command: string,
  { changed }: JobScope,
  { start }: FoundBase,
  { runtime, context, snapshot }: Place
): Promise<Result<string[], GitFailure>> {
  if (seesWorkingTree(command)) return ok([]);
  const found = await changedFiles(runtime, context, start, snapshot);
  if (found.isErr()) return err(found.error);
  const visibleFiles = new Set(changedPaths(found.value));
  const hidden = [...changed].filter((file) => !visibleFiles.has(file));
  if (!seesOnlyTracked(command)) return ok(hidden);
  const { projectDir: cwd, signal } = context;
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const others = await runGit(runtime, { cwd, args, signal });
  return others.map((text) => [...hidden, ...text.split("\0").filter((file) => changed.has(file))]);
}

function withCommand(job: CheckJob, command: string): CheckJob {
  const { rerunCommand: _, ...gate } = job.gate;
  return { ...job, gate: { ...gate, command } };
}

const MAX_SHOWN_CHARS = 200;

function shown(text: string): string {
  return clip(visible(text), MAX_SHOWN_CHARS);
}
