/** Where the branch left the base, given which branches exist (G7). */
import { err, ok, type Result } from "neverthrow";
import type { Runtime } from "@/node/runtime/Runtime";
import type { BaseCandidate } from "@/node/services/gauntlet/change/base";
import { runGit, type GitCall, type GitFailure } from "@/node/services/gauntlet/change/git";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import {
  mergeBaseQuestion,
  NO_PATHS,
  readMergeBases,
} from "@/node/services/gauntlet/change/layout";

export type FoundBase = Pick<GitContext, "baseRef" | "baseCommit" | "headInBase" | "warnings">;

/** HEAD, and what it shares with the first candidate; absent where that one does not exist. */
interface Asked {
  readonly head: string;
  readonly mergeBases: readonly string[] | undefined;
}

type Place = Pick<GitCall, "cwd" | "signal">;

/** The first candidate that exists. git is asked again only where that is not the first one of all. */
export async function findMergeBase(
  runtime: Runtime,
  place: Place,
  candidates: readonly [BaseCandidate, ...BaseCandidate[]],
  { head, mergeBases }: Asked
): Promise<Result<FoundBase, GitFailure>> {
  const [first] = candidates;
  if (mergeBases !== undefined) return baseAt(runtime, place, first.name, head, mergeBases[0]);

  const listed = await tipsOf(runtime, place, candidates);
  if (listed.isErr()) return err(listed.error);
  const next = listed.value[0];
  if (next === undefined) return ok({ headInBase: false, warnings: [nothingFound(first.name)] });
  const { tip, name, wanted } = next;
  const bases = tip === head ? ok([head]) : await mergeBasesOf(runtime, place, name);
  if (bases.isErr()) return err(bases.error);
  const found = await baseAt(runtime, place, name, head, bases.value[0]);
  const warning = wanted ? [] : [fallenBack(first.name, name)];
  return found.map((base) => ({ ...base, warnings: [...warning, ...base.warnings] }));
}

/**
 * Histories that share no commit, as far as this clone goes, are compared at the base's tip: too much is seen then,
 * never too little.
 */
async function baseAt(
  runtime: Runtime,
  place: Place,
  name: string,
  head: string,
  mergeBase: string | undefined
): Promise<Result<FoundBase, GitFailure>> {
  if (mergeBase !== undefined) {
    const headInBase = mergeBase === head;
    return ok({ baseRef: name, baseCommit: mergeBase, headInBase, warnings: [] });
  }
  const args = ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`];
  const tip = await runGit(runtime, { ...place, args });
  const warnings = [nothingShared(name)];
  return tip.map((commit) => ({
    baseRef: name,
    baseCommit: commit.trimEnd(),
    headInBase: false,
    warnings,
  }));
}

/** The candidates that are branches here, in order, with the commit each stands at. */
async function tipsOf(
  runtime: Runtime,
  place: Place,
  candidates: readonly BaseCandidate[]
): Promise<Result<(BaseCandidate & { tip: string })[], GitFailure>> {
  const refs = candidates.flatMap((candidate) => candidate.refs);
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", "--end-of-options", ...refs];
  const printed = await runGit(runtime, { ...place, args });
  return printed.map((text) => {
    const tips = new Map(text.split("\n").map((line) => line.split(" ") as [string, string]));
    return candidates.flatMap((candidate) => {
      const tip = candidate.refs.map((ref) => tips.get(ref)).find((id) => id !== undefined);
      return tip === undefined ? [] : [{ ...candidate, tip }];
    });
  });
}

async function mergeBasesOf(
  runtime: Runtime,
  place: Place,
  name: string
): Promise<Result<string[], GitFailure>> {
  const args = ["rev-parse", mergeBaseQuestion(name), NO_PATHS];
  const printed = await runGit(runtime, { ...place, args });
  return printed.map((text) => readMergeBases(text.split("\n")));
}

function fallenBack(missing: string, used: string): string {
  return `the base branch ${missing} does not exist here, so the work is compared with ${used}; set base_branch in .gauntlet/config.yml, or fetch ${missing}`;
}

function nothingFound(missing: string): string {
  return `the base branch ${missing} does not exist here, and there is no main or master, so only uncommitted changes are looked at; set base_branch in .gauntlet/config.yml, or fetch ${missing}`;
}

function nothingShared(name: string): string {
  return `HEAD and ${name} share no commit in this clone, so the work is compared with the tip of ${name}; in a shallow clone git fetch --unshallow brings the history`;
}
