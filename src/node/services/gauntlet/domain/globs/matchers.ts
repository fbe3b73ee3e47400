/**
 * Matches files with the lists of globs of a configuration, which have one meaning in all fields. In a project that
 * used a list with its earlier meaning, both count. Also rewrites globs for `validate --fix` (G4a).
 */
import picomatch from "picomatch";

export type GlobField = "exclude" | "files" | "when" | "inputs" | "global_dependencies";

/** A list of globs as written, and the folder that they are relative to, in addition to the project root. */
export interface GlobList {
  readonly field: GlobField;
  readonly globs: readonly string[];
  /** Relative to the project. */
  readonly folder: string;
  /** Whether the project used the list when each field had its own meaning, so that both meanings count. */
  readonly readsOld?: boolean | undefined;
}

type Matcher = (file: string) => boolean;

const OPTIONS = { dot: true, nonegate: true } as const;

/** Returns the predicate of a list, for paths relative to the project. The last pattern that matches a file counts. */
export function globMatcher(list: GlobList): Matcher {
  if (list.readsOld !== true || !mayDiffer(list)) return newMatcher(list);
  const [now, before] = [newMatcher(list), oldMatcher(list)];
  // The files that either meaning checks are checked.
  return list.field === "exclude"
    ? (file) => now(file) && before(file)
    : (file) => now(file) || before(file);
}

/** Returns the predicate of a list with its present meaning. */
export function newMatcher({ field, globs, folder }: GlobList): Matcher {
  const matchers = compiled(globs, folder);
  const onlyTakesAway = globs.length > 0 && globs.every(isNegated);
  const rest = onlyTakesAway && field !== "exclude" && field !== "global_dependencies";
  const prefix = folder === "." ? undefined : `${folder}/`;
  return (file) => {
    const inside =
      prefix !== undefined && file.startsWith(prefix) ? file.slice(prefix.length) : undefined;
    const found = matchers.find(
      ({ matches, fromRoot }) =>
        matches(file) || (inside !== undefined && !fromRoot && matches(inside))
    );
    return found?.takes ?? rest;
  };
}

/** Successive patterns that take files, or that take them away. */
interface Run {
  readonly takes: boolean;
  /** Whether they name a parent folder, so that they are relative to the project root. */
  readonly fromRoot: boolean;
}

/** The runs of a list in reverse order. */
type Compiled = readonly (Run & { readonly matches: Matcher })[];

/** Compiled once for all folders, unless a pattern names a parent folder. */
const compiledLists = new WeakMap<readonly string[], Compiled>();

function compiled(globs: readonly string[], folder: string): Compiled {
  const known = compiledLists.get(globs);
  if (known !== undefined) return known;
  const runs: (Run & { readonly patterns: string[] })[] = [];
  for (const glob of globs) {
    const takes = !isNegated(glob);
    const fromRoot = hasParent(glob);
    const patterns = patternsOf(takes ? glob : glob.slice(1), folder);
    const last = runs.at(-1);
    if (last?.takes === takes && last.fromRoot === fromRoot) last.patterns.push(...patterns);
    else runs.push({ takes, fromRoot, patterns });
  }
  const found = runs
    .map(({ patterns, ...run }) => ({ ...run, matches: picomatch(patterns, OPTIONS) }))
    .reverse();
  if (!globs.some(hasParent)) compiledLists.set(globs, found);
  return found;
}

function hasParent(glob: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(glob);
}

/** Returns the predicate with the old meaning of the field, in which a pattern with `!` matched almost every file. */
export function oldMatcher({ field, globs, folder }: GlobList): Matcher {
  const options = { dot: true };
  const prefix = folder === "." ? undefined : `${folder}/`;
  if (field === "global_dependencies") return picomatch([...globs], options);
  if (field === "inputs") {
    const all = globs.flatMap((glob) => [resolved(".", glob), resolved(folder, glob)]);
    const patterns = all.flatMap((glob) => (glob === "" ? ["**"] : [glob, `${glob}/**`]));
    return picomatch(patterns, options);
  }
  const clean = globs.map((glob) => glob.replace(/^(?:\.\/)+|\/+$/g, "") || ".");
  const all = clean.flatMap((glob) => [glob, glob === "." ? "**" : `${glob}/**`]);
  const matches = picomatch(field === "exclude" ? [...globs] : all, options);
  return (file) =>
    matches(file) ||
    (prefix !== undefined && file.startsWith(prefix) && matches(file.slice(prefix.length)));
}

/** Returns whether the two meanings of a list can differ for some file, regardless of the files that there are. */
export function mayDiffer({ field, globs }: Pick<GlobList, "field" | "globs">): boolean {
  const hadFolders = field !== "exclude" && field !== "global_dependencies";
  return globs.some((glob) => {
    if (isNegated(glob) || glob.startsWith("/") || !glob.replace(/\/+$/, "").includes("/")) {
      return !["*", "**", ".", "./"].includes(glob) || !hadFolders;
    }
    return hasParent(glob) ? field !== "inputs" : !hadFolders && !glob.endsWith("*");
  });
}

/** Returns whether a pattern takes files away. `!(a|b)` is a pattern of its own. */
export function isNegated(glob: string): boolean {
  return glob.startsWith("!") && !glob.startsWith("!(");
}

/** Returns a text with the old meaning of a pattern, or for one with `!`, another text with its present meaning. */
export function rewritten(glob: string): string {
  if (!isNegated(glob)) return glob.startsWith("/") ? glob : `/${glob}`;
  const rest = glob.slice(1);
  if (rest.startsWith("/")) return `!./${rest.slice(1)}`;
  const isAnyDepth = !rest.replace(/\/+$/, "").includes("/");
  if (isAnyDepth) return `!**/${rest}`;
  return /^\*\*\/[^/]+$/.test(rest) ? `!${rest.slice(3)}` : `!/${rest}`;
}

/** Returns the patterns of picomatch for a glob, which matches a file, or a folder with all its files. */
function patternsOf(glob: string, folder: string): string[] {
  const trimmed = (hasParent(glob) ? `/${resolved(folder, glob)}` : glob).replace(/\/+$/, "");
  const body = trimmed.replace(/^\.?\/+/, "");
  if (body === "" || body === ".") return ["**"];
  const pattern = trimmed.includes("/") ? body : `**/${body}`;
  return [pattern, `${pattern}/**`];
}

/** Returns the path from the project root, without `.`, `..` and empty parts. */
function resolved(folder: string, glob: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${glob}`.split("/")) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
