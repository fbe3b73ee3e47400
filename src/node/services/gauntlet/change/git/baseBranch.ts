/** Which branch the work is compared with, before anyone has looked which of them exist (G7, G7a). */

export interface BaseCandidate {
  /** As git takes it and a person reads it. */
  readonly name: string;
  /** Full names of the branches that it may stand for, a remote's first (G20c); empty where it is not a branch name. */
  readonly refs: readonly string[];
  /** Asked for, rather than fallen back to. */
  readonly wanted: boolean;
}

export interface BaseOptions {
  /** `base_branch`, or what the command line says instead. */
  readonly baseBranch: string;
  /** Tells CI and its pull request. Leave it out where the command line named the base. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** In CI the pull request's base goes first; then what is configured, the remote's default branch, main and master. */
export function baseCandidates({
  baseBranch,
  env,
}: BaseOptions): [BaseCandidate, ...BaseCandidate[]] {
  const pullRequestBase = isCi(env) ? (env.GITHUB_BASE_REF ?? "") : "";
  const asked =
    pullRequestBase === "" ? [baseBranch] : [`origin/${pullRequestBase}`, pullRequestBase];
  const remote = /^([^/]+)\/./.exec(baseBranch)?.[1] ?? "origin";
  const candidate = (name: string): BaseCandidate => ({
    name,
    refs: isRefName(name) ? [`refs/remotes/${name}`, `refs/heads/${name}`] : [],
    wanted: asked.includes(name),
  });
  const fallBacks = [baseBranch, `${remote}/HEAD`, "origin/HEAD", "main", "master"];
  const names = new Set([...asked, ...fallBacks]);
  names.delete(""); // Not a name, but to git it is HEAD.
  const [first = "main", ...others] = names;
  return [candidate(first), ...others.map(candidate)];
}

/** `CI` or `GITHUB_ACTIONS`, set and not `false`. */
export function isCi({ CI, GITHUB_ACTIONS }: BaseOptions["env"]): boolean {
  return [CI, GITHUB_ACTIONS].some((value) => value !== undefined && !/^(false)?$/i.test(value));
}

/** What git forbids in names of refs, above all what would be taken for a pattern. */
function isRefName(ref: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what a ref cannot hold
  return !/[\u0000-\u0020\u007f~^:?*[\\]|\.\./.test(ref);
}
