/**
 * Compares two trees, often that of a record of known failures with that of a run (G43): renamed files, changed paths,
 * and the added and removed lines. `parseDiff` reads the same from the text of a diff, as a run's report needs it.
 */
import { err, ok, type Result } from "neverthrow";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as git from "@/node/services/gauntlet/change/git/runGit";

export interface SinceRecord {
  /** The current path of each renamed file, by its path in the tree of the record. */
  readonly renamed: ReadonlyMap<string, string>;
  /** By current path, the trimmed text of each added line, by the number of the line. */
  readonly added: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** The paths of all changed files, before and after the change. */
  readonly paths: readonly string[];
  /** The number of removed lines by their trimmed text. */
  readonly removed: ReadonlyMap<string, number>;
}

const MAX_BYTES = 32 * MIB;
const DIFF = [
  ...["diff-tree", "-r", "-p", "-z", "--relative", "--no-ext-diff", "--no-textconv", "--no-color"],
  ...["--ignore-submodules=all", "--find-renames", "-l1000", "--unified=0"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options"],
];

/** Compares two trees with one git process. Fails if the difference is too large to be read. */
export async function sinceRecord(
  runtime: HookRuntime,
  { projectDir: cwd, signal }: GitContext,
  from: string,
  to: string
): Promise<Result<SinceRecord, git.GitFailure>> {
  const args = [...DIFF, from, to, "--"];
  const call = { cwd, args, keepBytes: MAX_BYTES, mayBeCut: true, signal };
  return (await git.execGit(runtime, call)).andThen((answer) => {
    if (answer.code !== 0) return err(git.refusal(args, answer));
    if (answer.isCut)
      return err(git.failed("the change is too large to be compared with the record"));
    return ok(parseDiff(answer.stdout));
  });
}

/** Parses a unified diff without context. Only a newline ends a line. */
export function parseDiff(text: string): SinceRecord {
  const renamed = new Map<string, string>();
  const added = new Map<string, Map<number, string>>();
  const removed = new Map<string, number>();
  const paths: string[] = [];
  let from: string | undefined;
  let lines = new Map<number, string>();
  let at = 0;
  /** Lines of the current hunk that were not read yet. */
  let [oldLeft, newLeft] = [0, 0];
  for (const line of text.split("\n")) {
    if (oldLeft > 0 && line.startsWith("-")) {
      oldLeft--;
      const gone = line.slice(1).trim();
      removed.set(gone, (removed.get(gone) ?? 0) + 1);
    } else if (newLeft > 0 && line.startsWith("+")) {
      newLeft--;
      lines.set(at++, line.slice(1).trim());
    } else if (line.startsWith("@@ ")) {
      const [, before = "1", first, count = "1"] = HUNK.exec(line) ?? [];
      [oldLeft, newLeft, at] = [Number(before), Number(count), Number(first)];
    } else if (line.startsWith("diff --git ")) {
      // The only line of an empty file that has its name. A renamed file has further lines with its names.
      const [, quote = "", name] = SAME_NAMES.exec(line) ?? [];
      if (name !== undefined) paths.push(nameIn(quote + name));
    } else if (line.startsWith("+++ ")) {
      lines = new Map();
      added.set(nameIn(line.slice("+++ ".length)).replace(/^b\//, ""), lines);
    } else if (line.startsWith("rename from ")) {
      from = nameIn(line.slice("rename from ".length));
    } else if (line.startsWith("rename to ") && from !== undefined) {
      renamed.set(from, nameIn(line.slice("rename to ".length)));
    }
  }
  return { renamed, added, paths: [...paths, ...[...renamed].flat()], removed };
}

/**
 * Reads the file name of a header. Git ends a name that has a space with a tab, and quotes one with special characters
 * as JSON does.
 */
function nameIn(text: string): string {
  const name = text.replace(/\t$/, "");
  const json = name.startsWith('"') ? parseJson(name).unwrapOr(name) : name;
  return typeof json === "string" ? json : name;
}

const SAME_NAMES = /^diff --git ("?)a\/(.+) \1b\/\2$/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
