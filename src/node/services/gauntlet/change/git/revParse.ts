/**
 * Builds the arguments of the one `git rev-parse` that prints what a run needs of a repository (its folders, HEAD and
 * base refs), and parses its output.
 */
import type { GitOutput } from "@/node/services/gauntlet/change/git/runGit";
import type { BaseCandidate } from "@/node/services/gauntlet/change/git/baseCandidates";
import * as gitContext from "@/node/services/gauntlet/change/git/GitContext";

/** The facts in the output. */
export interface RepositoryInfo extends Pick<
  gitContext.GitContext,
  "root" | "prefix" | "gitDir" | "commonDir" | "emptyTree" | "keptSnapshots" | "start"
> {
  readonly isShallow: boolean;
  /** Full names of the refs that the base's name may mean. The first is used; with several, it is ambiguous (G20c). */
  readonly baseRefs: readonly string[];
  /** Absent before the first commit. */
  readonly head?: Head;
  /** Merge bases of HEAD and the base. Absent if the base does not exist, empty if they share no commit. */
  readonly mergeBases?: readonly string[];
}

export interface Head {
  readonly commit: string;
  readonly tree: string;
  /** `HEAD` if detached. */
  readonly branch: string;
}

/** Makes git print the line `false` in a working tree, which marks the end of a list of any length. */
export const SEPARATOR = "--is-bare-repository";
/** Ends the revisions. A name that is not a revision is then an error instead of a path pattern. */
export const END_OF_REVISIONS = "--";

/** Returns the arguments. Names that may be missing come last, because the first unknown name ends the output. */
export function revParseArgs(base: BaseCandidate): string[] {
  return [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--show-prefix",
    "--git-dir",
    "--git-common-dir",
    "--show-object-format",
    "--is-shallow-repository",
    onlyThis(gitContext.START_REF),
    SEPARATOR,
    ...meanings(base).flatMap((ref) => [onlyThis(ref), SEPARATOR]),
    "HEAD^{commit}",
    "HEAD^{tree}",
    "--symbolic-full-name",
    "HEAD",
    `--glob=${gitContext.SNAPSHOT_REFS}/[0-9a-f]*`,
    mergeBaseArg(base.name),
    END_OF_REVISIONS,
  ];
}

/** Returns the argument for a ref that may be missing. Without brackets, `--glob` appends `/*` to it. */
export function onlyThis(ref: string): string {
  return `--glob=${ref.replace(/^refs\/(.)/, "refs/[$1]")}`;
}

/**
 * Returns the full names of the refs that a base may mean. Branches come before the tag, which git would prefer: a tag
 * of the same name only causes a warning.
 */
function meanings({ name, refs }: BaseCandidate): string[] {
  return refs.length === 0 ? [] : [...refs, `refs/tags/${name}`];
}

/** Returns the argument for merge bases. git prints them as lines that begin with `^`. */
export function mergeBaseArg(name: string): string {
  return `HEAD...${name}`;
}

export function readMergeBases(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("^")).map((line) => line.slice(1));
}

/** Parses the output. Returns undefined if it is not that for a repository with a working tree. */
export function parseRevParse(
  { code, stdout }: GitOutput,
  base: BaseCandidate
): RepositoryInfo | undefined {
  const lines = stdout.split("\n").slice(0, -1);
  const [root, prefix, gitDir, commonDir, format, shallow, ...rest] = lines;
  if (root === undefined || prefix === undefined) return undefined;
  if (gitDir === undefined || commonDir === undefined) return undefined;
  const emptyTree = EMPTY_TREES.get(format ?? "");
  if (emptyTree === undefined) return undefined;
  const names = meanings(base);
  // The lists of the starting commit and of each name end with a line `false`. The rest has no such line.
  const found: (readonly string[])[] = [];
  let last: readonly string[] = rest;
  while (found.length <= names.length) {
    const end = last.indexOf("false");
    if (end === -1) return undefined;
    found.push(last.slice(0, end));
    last = last.slice(end + 1);
  }
  const [[start] = [], ...meant] = found;
  const refs = new RegExp(`^${gitContext.snapshotRefs(prefix)}/([0-9a-f]+)$`);
  const keptSnapshots = last.flatMap((ref) => refs.exec(ref)?.[1] ?? []);
  return {
    ...{ root, prefix, gitDir, commonDir, emptyTree, keptSnapshots },
    start,
    baseRefs: names.filter((_, i) => (meant[i]?.length ?? 0) > 0),
    isShallow: shallow === "true",
    ...readHead(last, code === 0),
  };
}

/** Parses the rest of the output: two lines for HEAD, its name, the snapshots, and the lines for the last argument. */
function readHead(
  [commit, tree, ref, ...rest]: readonly string[],
  isComplete: boolean
): Pick<RepositoryInfo, "head" | "mergeBases"> {
  if (commit === undefined || tree === undefined || ref === undefined) return {};
  const head = { commit, tree, branch: ref.replace(/^refs\/heads\//, "") };
  return isComplete ? { head, mergeBases: readMergeBases(rest) } : { head };
}

const EMPTY_TREES: ReadonlyMap<string, string> = new Map([
  ["sha1", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
  ["sha256", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"],
]);
