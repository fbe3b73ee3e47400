/**
 * Finds the first candidate for a base branch that exists, and the commit where the work left it, or its tip if the two
 * share no commit (G7). Warns the user of a base that is missing or ambiguous.
 */
import { posix } from "node:path";
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { BaseCandidate } from "@/node/services/gauntlet/change/git/baseCandidates";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as revParse from "@/node/services/gauntlet/change/git/revParse";

export type FoundBase = Pick<
  GitContext,
  "baseRef" | "baseRevision" | "baseCommit" | "headInBase" | "warnings"
>;

/** Known facts about HEAD and the first candidate. */
interface KnownBases {
  readonly head: string;
  /** Absent if the first candidate does not exist. */
  readonly mergeBases: readonly string[] | undefined;
  /** Full names that the first candidate may mean. */
  readonly baseRefs: readonly string[];
}

interface GitPlace extends Pick<git.GitCall, "cwd" | "signal"> {
  readonly commonDir: string;
}

/** Finds the base. Calls git only if the first candidate is missing, ambiguous or shares no commit with HEAD. */
export function findMergeBase(
  runtime: HookRuntime,
  place: GitPlace,
  candidates: readonly [BaseCandidate, ...BaseCandidate[]],
  { head, mergeBases, baseRefs }: KnownBases
): ResultAsync<FoundBase, git.GitFailure> {
  return safeTry(async function* () {
    const [first, ...others] = candidates;
    const [ref, ...doubles] = baseRefs;
    if (ref !== undefined && doubles.length > 0) {
      const [base] = yield* await mergeBasesOf(runtime, place, ref);
      const exist = doubles.length === 1 ? "also exists" : "also exist";
      const warning = `the base branch ${first.name} is ambiguous: ${ref} is used, but ${doubles.join(" and ")} ${exist}; delete or rename the refs that are not your base branch`;
      return await baseAt(runtime, place, first.name, ref, head, base, [warning]);
    }
    if (mergeBases !== undefined) {
      return await baseAt(runtime, place, first.name, first.name, head, mergeBases[0], []);
    }
    const guess = await likeliest(runtime, place, others);
    const { found, shared } = yield* await readMergeBase(runtime, place, others, guess);
    if (found === undefined) {
      const consequence =
        "and there is no main or master, so the changes are compared with the starting commit, at which the gauntlet was first used here";
      return ok({ headInBase: false, warnings: [baseMissing(first.name, consequence)] });
    }
    const { tip, name, ref: revision, wanted } = found;
    const known = tip === head ? [head] : revision === guess ? shared : undefined;
    const [base] = known ?? (yield* await mergeBasesOf(runtime, place, revision));
    const warnings = wanted
      ? []
      : [baseMissing(first.name, `so the changes are compared with ${name}`)];
    return await baseAt(runtime, place, name, revision, head, base, warnings);
  });
}

function baseMissing(missing: string, consequence: string): string {
  return `the base branch ${missing} does not exist in this clone, ${consequence}; set base_branch in .gauntlet/config.yml, or fetch ${missing}`;
}

/**
 * Compares with the base's tip if the histories share no commit in this clone. Too many changes are found then, but
 * never too few.
 */
async function baseAt(
  runtime: HookRuntime,
  place: GitPlace,
  name: string,
  revision: string,
  head: string,
  mergeBase: string | undefined,
  warnings: readonly string[]
): Promise<Result<FoundBase, git.GitFailure>> {
  const base = { baseRef: name, baseRevision: revision };
  if (mergeBase !== undefined) {
    return ok({ ...base, baseCommit: mergeBase, headInBase: mergeBase === head, warnings });
  }
  const args = ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`];
  const tip = await git.runGit(runtime, { ...place, args });
  return tip.map((commit) => ({
    ...base,
    baseCommit: commit.trimEnd(),
    headInBase: false,
    warnings: [
      ...warnings,
      `HEAD and ${name} share no commit in this clone, so the changes are compared with the tip of ${name}; if the clone is shallow, run "git fetch --unshallow"`,
    ],
  }));
}

/**
 * Guesses which branch exists by the files in the git folder. Branches may be packed into one file, so the guess only
 * selects the merge base to compute in the same call.
 */
async function likeliest(
  runtime: HookRuntime,
  { commonDir }: GitPlace,
  candidates: readonly BaseCandidate[]
): Promise<string | undefined> {
  const refs = candidates.flatMap(({ refs }) => refs);
  const stats = await runtime.stat(refs.map((ref) => posix.join(commonDir, ref)));
  return refs.find((_, i) => stats[i]?.kind === "file") ?? refs[0];
}

interface MergeBaseReply {
  /** The first branch that exists, with its commit. */
  readonly found?: BaseCandidate & { readonly ref: string; readonly tip: string };
  /** Merge bases of HEAD and the guess. Absent if the guess does not exist. */
  readonly shared?: readonly string[];
}

/** Queries each branch by a pattern, which may match none. The guess is last, because git stops at an unknown name. */
async function readMergeBase(
  runtime: HookRuntime,
  place: GitPlace,
  candidates: readonly BaseCandidate[],
  guess: string | undefined
): Promise<Result<MergeBaseReply, git.GitFailure>> {
  const wanted = candidates.flatMap((candidate) =>
    candidate.refs.map((ref) => ({ ...candidate, ref }))
  );
  const tips = wanted.flatMap(({ ref }) => [revParse.onlyThis(ref), revParse.SEPARATOR]);
  const last = guess === undefined ? [] : [revParse.mergeBaseArg(guess)];
  const args = ["rev-parse", ...tips, ...last, revParse.END_OF_REVISIONS];
  const output = await git.execGit(runtime, { ...place, args });
  return output.andThen((answer) => {
    const parts = answer.stdout.split(/^false\n/m).map((part) => part.split("\n"));
    if (parts.length !== wanted.length + 1) return err(git.refusal(args, answer));
    const found = wanted.flatMap((branch, i) => {
      const tip = parts[i]?.[0] ?? "";
      return tip === "" ? [] : [{ ...branch, tip }];
    });
    const shared = revParse.readMergeBases(parts.at(-1) ?? []);
    return ok({ found: found[0], shared: answer.code === 0 ? shared : undefined });
  });
}

async function mergeBasesOf(
  runtime: HookRuntime,
  place: GitPlace,
  revision: string
): Promise<Result<string[], git.GitFailure>> {
  const args = ["rev-parse", revParse.mergeBaseArg(revision), revParse.END_OF_REVISIONS];
  const printed = await git.runGit(runtime, { ...place, args });
  return printed.map((text) => revParse.readMergeBases(text.split("\n")));
}
