/** Where the branch left the base, given which branches exist (G7). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { Runtime } from "@/node/runtime/Runtime";
import type { BaseCandidate } from "@/node/services/gauntlet/change/base";
import {
  askGit,
  refusal,
  runGit,
  type GitCall,
  type GitFailure,
} from "@/node/services/gauntlet/change/git";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import {
  DIVIDER,
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

interface Place extends Pick<GitCall, "cwd" | "signal"> {
  readonly commonDir: string;
}

/** The first candidate that exists. git is asked again only where that is not the first one of all, most often once. */
export async function findMergeBase(
  runtime: Runtime,
  place: Place,
  candidates: readonly [BaseCandidate, ...BaseCandidate[]],
  { head, mergeBases }: Asked
): Promise<Result<FoundBase, GitFailure>> {
  const [first, ...others] = candidates;
  if (mergeBases !== undefined) return baseAt(runtime, place, first.name, head, mergeBases[0]);

  const guess = await likeliest(runtime, place, others);
  const asked = await askFor(runtime, place, others, guess);
  if (asked.isErr()) return err(asked.error);
  const { found, shared } = asked.value;
  if (found === undefined) return ok({ headInBase: false, warnings: [nothingFound(first.name)] });
  const { tip, name, wanted } = found;
  const known = tip === head ? [head] : name === guess ? shared : undefined;
  const bases = known === undefined ? await mergeBasesOf(runtime, place, name) : ok(known);
  if (bases.isErr()) return err(bases.error);
  const base = await baseAt(runtime, place, name, head, bases.value[0]);
  const warning = wanted ? [] : [fallenBack(first.name, name)];
  return base.map((known) => ({ ...known, warnings: [...warning, ...known.warnings] }));
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

/**
 * Which candidate exists, going by what lies in git's folder. Branches may be packed away into one file, so this is
 * only what is worth asking along.
 */
async function likeliest(
  runtime: Runtime,
  { commonDir }: Place,
  candidates: readonly BaseCandidate[]
): Promise<string | undefined> {
  const refs = candidates.flatMap(({ name, refs }) => refs.map((ref) => ({ name, ref })));
  const stats = await runtime.stat(refs.map(({ ref }) => posix.join(commonDir, ref)));
  const loose = refs.find((_, i) => stats[i]?.kind === "file");
  return loose?.name ?? candidates.find(({ wanted }) => !wanted)?.name;
}

interface Answer {
  /** The first candidate that is a branch here, with the commit that it stands at. */
  readonly found?: BaseCandidate & { readonly tip: string };
  /** What HEAD shares with the guess; absent where that one does not exist. */
  readonly shared?: readonly string[];
}

/** Asks for each candidate by patterns, which may match nothing; last for the guess, which may end the answer. */
async function askFor(
  runtime: Runtime,
  place: Place,
  candidates: readonly BaseCandidate[],
  guess: string | undefined
): Promise<Result<Answer, GitFailure>> {
  const tips = candidates.flatMap(({ refs }) => [...refs.map(onlyThis), DIVIDER]);
  const last = guess === undefined ? [] : [mergeBaseQuestion(guess)];
  const args = ["rev-parse", ...tips, ...last, NO_PATHS];
  const asked = await askGit(runtime, { ...place, args });
  return asked.andThen((answer) => {
    const parts = answer.stdout.split(/^false\n/m).map((part) => part.split("\n"));
    if (parts.length !== candidates.length + 1) return err(refusal(args, answer));
    const found = candidates.flatMap((candidate, i) => {
      const tip = parts[i]?.[0] ?? "";
      return tip === "" ? [] : [{ ...candidate, tip }];
    });
    const shared = readMergeBases(parts.at(-1) ?? []);
    return ok({
      ...(found[0] === undefined ? {} : { found: found[0] }),
      ...(answer.code === 0 ? { shared } : {}),
    });
  });
}

/** Without anything special in it git would take it for a folder. */
function onlyThis(ref: string): string {
  return `--glob=${ref.replace(/^refs\/(.)/, "refs/[$1]")}`;
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
