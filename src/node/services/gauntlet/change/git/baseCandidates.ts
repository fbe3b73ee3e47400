/**
 * Lists the branches that the work may be compared with, by preference, before it is known which of them exist (G7,
 * G7a): the base of the pull request in CI, the configured branch, and the usual ones.
 */
import { isCi } from "@/common/isCi";

export interface BaseCandidate {
  /** The name as passed to git and shown to users. */
  readonly name: string;
  /** Full names of the branches that it may mean, remote ones first (G20c). Empty if it is not a branch name. */
  readonly refs: readonly string[];
  /** Whether it is used without a warning: the user or CI named it, or no branch was named. */
  readonly wanted: boolean;
}

export interface BaseOptions {
  /** `base_branch`, or the branch that the command line names instead. */
  readonly baseBranch: string;
  /** Whether no one named `baseBranch`, so that another branch in its place needs no warning. */
  readonly isDefaultBase?: boolean | undefined;
  /** Identifies CI and its pull request. Leave the pull request out if the command line names the base. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns, by preference: the pull request's base in CI, the configured branch, the remote's default, main, master. */
export function baseCandidates(options: BaseOptions): [BaseCandidate, ...BaseCandidate[]] {
  const { baseBranch, isDefaultBase = false, env } = options;
  const pullRequestBase = isCi(env) ? (env.GITHUB_BASE_REF ?? "") : "";
  const asked =
    pullRequestBase === "" ? [baseBranch] : [`origin/${pullRequestBase}`, pullRequestBase];
  const remote = /^([^/]+)\/./.exec(baseBranch)?.[1] ?? "origin";
  const candidate = (name: string): BaseCandidate => ({
    name,
    refs: isRefName(name) ? [`refs/remotes/${name}`, `refs/heads/${name}`] : [],
    wanted: isDefaultBase || asked.includes(name),
  });
  const fallBacks = [baseBranch, `${remote}/HEAD`, "origin/HEAD", "main", "master"];
  const names = new Set([...asked, ...fallBacks]);
  names.delete(""); // An empty name means HEAD to git.
  const [first = "main", ...others] = names;
  return [candidate(first), ...others.map(candidate)];
}

/** Returns false for a name with characters that git forbids in ref names, especially those of patterns. */
function isRefName(ref: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ref names cannot contain them
  return !/[\u0000-\u0020\u007f~^:?*[\\]|\.\./.test(ref);
}
