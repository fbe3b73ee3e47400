/**
 * Replaces untracked files above 1 MiB, such as a local database, in a snapshot by short texts with their hash, so that
 * `.git` does not grow by a copy at each stop (G9). A file is hashed again only if it changed; files beyond 500 are
 * stored whole.
 */
import { stampOf } from "@/node/runtime/fileContents";
import { posix } from "node:path";
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import * as z from "zod/mini";
import { MIB } from "@/common/limits";
import type { FileStat, HookRuntime, PresentStat } from "@/node/runtime/HookRuntime";
import * as limits from "@/node/services/gauntlet/domain/commands/argumentLimits";
import * as git from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/** By path, relative to the working tree: the version of the file that was read, and the ID of its content. */
export type LargeFiles = ReadonlyMap<string, LargeFile>;

interface LargeFile {
  /** Empty if the file was so new that a later change might not be noticed. It is read again. */
  readonly version: string;
  readonly id: string;
  readonly executable: boolean;
}

export const NO_LARGE_FILES: LargeFiles = new Map();

const MIN_BYTES = MIB;
/** The maximum that git gets as arguments. Further files are stored whole. */
const MAX_FILES = 500;
/** Files of one call of a script. */
const BATCH = 50;
/** Times of some file systems are whole seconds. */
const SETTLED_AFTER_MS = 2_000;

export function isLarge(stat: FileStat | undefined): stat is PresentStat {
  return stat?.kind === "file" && stat.size > MIN_BYTES;
}

/**
 * Reads the large files among these paths, except those whose version is known. Links and files that cannot be read are
 * left out.
 */
export async function readLargeFiles(
  runtime: HookRuntime,
  { root, signal }: Pick<GitContext, "root" | "signal">,
  paths: readonly string[],
  stats: readonly FileStat[],
  known = NO_LARGE_FILES
): Promise<Result<LargeFiles, git.GitFailure>> {
  const found = new Map<string, LargeFile>();
  const unread: [string, PresentStat][] = [];
  let weight = 0;
  for (const [i, path] of paths.entries()) {
    const stat = stats[i];
    if (!isLarge(stat)) continue;
    weight += limits.weightOf(path);
    if (found.size + unread.length >= MAX_FILES || weight > limits.MAX_PATHS_WEIGHT) break;
    const last = known.get(path);
    if (last?.version === stampOf(stat)) found.set(path, last);
    else unread.push([path, stat]);
  }
  for (let at = 0; at < unread.length; at += BATCH) {
    const batch = unread.slice(at, at + BATCH);
    const now = Date.now();
    const { end, stdout } = await runtime.exec({
      command: { script: HASH, args: batch.map(([path]) => `./${path}`) },
      cwd: root,
      unsetEnv: ["GIT_*", "BASH_ENV", "ENV"],
      isBrief: true,
      signal,
    });
    if (end.kind === "cancelled") return err({ reason: "cancelled", message: "interrupted" });
    const ids = stdout.text.split("\n");
    for (const [i, [path, stat]] of batch.entries()) {
      const id = /^[\da-f]{40,}$/.exec(ids[i] ?? "")?.[0];
      if (id === undefined) continue;
      const isSettled = now - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_AFTER_MS;
      const version = isSettled ? stampOf(stat) : "";
      found.set(path, { version, id, executable: stat.executable });
    }
  }
  return ok(found);
}

/** Returns the files of `now` whose content or mode is not that in `before`. */
export function differing(before: LargeFiles, now: LargeFiles): LargeFiles {
  const isSame = (path: string, { id, executable }: LargeFile): boolean =>
    before.get(path)?.id === id && before.get(path)?.executable === executable;
  return new Map([...now].filter(([path, file]) => !isSame(path, file)));
}

/** Prints a line for each file: the ID of its content, which is not stored, or `-`. */
const HASH = `for file; do
  if [ -L "$file" ] || [ ! -f "$file" ]; then echo -
  else git -c safe.bareRepository=explicit hash-object --no-filters -- "$file" 2> /dev/null || echo -
  fi
done`;

/** Returns the arguments with which git leaves out the files. */
export function withoutLarge(files: LargeFiles): string[] {
  return [...files.keys()].map((path) => `:(top,exclude,literal)${path}`);
}

/** Puts texts in place of the files into an index, as entries that git does not compare with the working tree. */
export function putStandIns(
  runtime: HookRuntime,
  call: Omit<git.GitCall, "args">,
  files: LargeFiles
): ResultAsync<void, git.GitFailure> {
  return safeTry(async function* () {
    let entries = "";
    for (const [path, { id, executable }] of files) {
      const stdin = `A large file that git does not track: blob ${id}\n`;
      const args = ["hash-object", "-w", "--stdin"];
      const text = yield* await git.runGit(runtime, { ...call, args, stdin });
      entries += `${executable ? "100755" : "100644"} ${text.trimEnd()}\t${path}\0`;
    }
    if (entries === "") return ok();
    // With `core.ignoreStat`, the entries are assumed to be unchanged.
    const args = ["-c", "core.ignoreStat=true", "update-index", "-z", "--replace", "--index-info"];
    yield* await git.runGit(runtime, { ...call, args, stdin: entries });
    return ok();
  });
}

/** Returns the paths of the files in the project, relative to it. */
export function largeInProject(files: LargeFiles, { prefix }: Pick<GitContext, "prefix">) {
  return [...files.keys()].flatMap((path) =>
    path.startsWith(prefix) ? [path.slice(prefix.length)] : []
  );
}

const fileSchema = z.object({
  version: z.string(),
  id: z.string(),
  executable: z.boolean(),
});
const listSchema = z.array(z.tuple([z.string(), fileSchema]));

/** Returns the files of a list that `JSON.stringify([...files])` made, or undefined if it is damaged. */
export function parseLargeFiles(json: unknown): LargeFiles | undefined {
  const list = listSchema.safeParse(json, { jitless: true });
  return list.success ? new Map(list.data) : undefined;
}

/** Returns what is at these paths, which are relative to `root`. */
export function statsOf(
  runtime: HookRuntime,
  root: string,
  paths: readonly string[]
): Promise<readonly FileStat[]> {
  return paths.length === 0
    ? Promise.resolve([])
    : runtime.stat(paths.map((path) => posix.join(root, path)));
}
