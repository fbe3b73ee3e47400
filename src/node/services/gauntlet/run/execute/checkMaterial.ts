/** The material of a check's command: the command that sees its changes, the changed files, and the base (G32, G33). */
import { posix } from "node:path";
import { err, ok, safeTry, type Result } from "neverthrow";
import { clip, visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
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
import { notStarted } from "@/node/services/gauntlet/messages/shared";
import type { BaseCommits, FoundBase } from "@/node/services/gauntlet/run/execute/BaseCommits";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";

export interface CheckMaterial {
  /** As it is to be run. */
  readonly job: CheckJob;
  readonly files?: readonly string[];
  readonly base?: string | undefined;
  /** Why a pass verifies nothing. */
  readonly unverified?: string;
  /** A change that a pass does not cover, for the user. */
  readonly notice?: string;
}

/** Returns what a command with placeholders gets, or why it cannot get it. */
export async function materialOf(
  plan: Plan,
  job: CheckJob,
  bases: BaseCommits,
  isRerun: boolean
): Promise<Result<CheckMaterial, string>> {
  return await safeTry<CheckMaterial, string>(async function* () {
    const scope = plan.scopes.get(job.id);
    const noBase = ({ message }: GitFailure) => notStarted(`no commit to compare with: ${message}`);
    const base = yield* (await bases.of(job, scope)).mapErr(noBase);
    const seen = yield* (await seeingJob(plan, job, scope, base, isRerun)).mapErr(noBase);
    const given = { ...seen, base: base?.commit };
    if (scope?.files === undefined || seen.isWhole === true) return ok(given);
    return ok({ ...given, files: yield* await existingFiles(plan.given, scope.files) });
  });
}

/** Returns the job with the command that sees all its changes. `isWhole`: it is the one for everything. */
async function seeingJob(
  plan: Plan,
  job: CheckJob,
  scope: JobScope | undefined,
  base: FoundBase | undefined,
  isRerun: boolean
): Promise<Result<CheckMaterial & { readonly isWhole?: boolean }, GitFailure>> {
  const command = commandOf(job.gate, isRerun);
  const kind = comparedKind(command);
  const hasFiles = parseCommand(command).placeholder !== undefined;
  if (scope === undefined || (kind === undefined && !hasFiles)) return ok({ job });
  const { deleted, isGlobal } = scope;
  const hidden = base && kind ? await hiddenFiles(plan, command, scope, base) : ok([]);
  if (hidden.isErr()) return err(hidden.error);
  const [unseen] = hidden.value;
  const { full } = job.gate;
  const seesDeleted =
    kind === "packages" || (!kind && full === undefined && looksAtEachFile(command));
  const lost = seesDeleted ? [] : deleted;
  if (unseen === undefined && lost.length === 0 && !isGlobal) return ok({ job });
  const isLimited = unseen !== undefined || (kind === "tests" && (isGlobal || lost.length > 0));
  const whole = full ?? (isLimited ? withoutBase(command) : undefined);
  if (whole !== undefined) {
    const { rerunCommand: _, ...gate } = job.gate;
    return ok({ job: { ...job, gate: { ...gate, command: whole } }, isWhole: true });
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
  const there: string[] = [];
  for (const [i, file] of files.entries()) {
    const stat = stats[i];
    if (stat?.kind === "failed") return err(notStarted(`${file}: ${stat.failure.message}`));
    const isMissing = stat?.kind === "missing" && stat.dangling !== true;
    if (isMissing && file.includes("\uFFFD")) {
      return err(
        notStarted(
          `the name of ${visible(file)} is not UTF-8, so it cannot be passed to the command; rename the file, or exclude it with "files"`
        )
      );
    }
    if (stat !== undefined && !isMissing && stat.kind !== "directory") there.push(file);
  }
  return ok(there);
}

const MAX_SHOWN_CHARS = 200;

function shown(text: string): string {
  return clip(visible(text), MAX_SHOWN_CHARS);
}
