/** One `git rev-parse` that asks everything about a repository at once, and the reading of its answer. */
import type { GitAnswer } from "@/node/services/gauntlet/change/git";
import { SNAPSHOT_REFS } from "@/node/services/gauntlet/change/gitContext";

export interface Layout {
  readonly root: string;
  readonly prefix: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly emptyTree: string;
  readonly isShallow: boolean;
  readonly keptSnapshots: readonly string[];
  /** Absent where there is no commit yet. */
  readonly head?: Head;
  /** Of HEAD and the base; absent where the base does not exist, empty where they share no commit. */
  readonly mergeBases?: readonly string[];
}

export interface Head {
  readonly commit: string;
  readonly tree: string;
  /** `HEAD` where detached. */
  readonly branch: string;
}

/** Prints `false`, where there is a working tree: the line behind a list of any length. */
export const DIVIDER = "--is-bare-repository";
/** Behind the last question: what is no revision is an error then, rather than a pattern for paths. */
export const NO_PATHS = "--";

/** What may be missing comes last: the first name that git does not know ends its answer. */
export function revisionQuestions(base: string): string[] {
  return [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--show-prefix",
    "--git-dir",
    "--git-common-dir",
    "--show-object-format",
    "--is-shallow-repository",
    `--glob=${SNAPSHOT_REFS}/`,
    DIVIDER,
    "HEAD^{commit}",
    "HEAD^{tree}",
    "--symbolic-full-name",
    "HEAD",
    mergeBaseQuestion(base),
    NO_PATHS,
  ];
}

/** Merge bases are the lines of its answer that begin with `^`. */
export function mergeBaseQuestion(name: string): string {
  return `HEAD...${name}`;
}

export function readMergeBases(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("^")).map((line) => line.slice(1));
}

/** Absent where this is no answer of a repository with a working tree. */
export function readLayout({ code, stdout }: GitAnswer): Layout | undefined {
  const lines = stdout.split("\n").slice(0, -1);
  const [root, prefix, gitDir, commonDir, format, shallow, ...rest] = lines;
  if (root === undefined || prefix === undefined) return undefined;
  if (gitDir === undefined || commonDir === undefined) return undefined;
  const emptyTree = EMPTY_TREES.get(format ?? "");
  const divider = rest.indexOf("false");
  if (emptyTree === undefined || divider === -1) return undefined;
  return {
    ...{ root, prefix, gitDir, commonDir, emptyTree },
    isShallow: shallow === "true",
    keptSnapshots: rest.slice(0, divider),
    ...readHead(rest.slice(divider + 1), code === 0),
  };
}

/** The rest of the answer: two lines for HEAD, its name, and what the last question brought. */
function readHead(
  [commit, tree, ref, ...rest]: readonly string[],
  isWhole: boolean
): Pick<Layout, "head" | "mergeBases"> {
  if (commit === undefined || tree === undefined || ref === undefined) return {};
  const head = { commit, tree, branch: ref.replace(/^refs\/heads\//, "") };
  return isWhole ? { head, mergeBases: readMergeBases(rest) } : { head };
}

const EMPTY_TREES: ReadonlyMap<string, string> = new Map([
  ["sha1", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
  ["sha256", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"],
]);
