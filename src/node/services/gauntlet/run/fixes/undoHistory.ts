/**
 * Records the fixes, the automatic repairs of files, of the latest user's turn that had any, with copies of the files
 * from before and after. Restores these files for the command `undo-fix`, and remembers them, so that no later fix of
 * the session changes them again (G35).
 */
import { turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as z from "zod/mini";
import { MIB } from "@/common/limits";
import type { FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import { readJson } from "@/node/runtime/fileContents";
import type { RunFailure } from "@/node/services/gauntlet/run/runContext";
import { hashKey, prune, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

export interface FixPlace {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly gitDir: string;
}

/** The fixes of one run. Its folder has the record, `before/` and `after/`. */
interface FixEntry {
  /** Absolute. */
  readonly folder: string;
  readonly session: string;
  readonly turn: string;
  /** Relative to the project: the files that the fixes changed or, until they ended, those that were copied. */
  readonly files: readonly string[];
  /** False while the fixes run, and if they were killed. */
  readonly isWhole: boolean;
}

/** Copies the files before the fixes run, and begins their record. Without the copies, a fix could not be undone. */
export async function beginFixes(
  place: FixPlace,
  { session, turn }: Pick<FixEntry, "session" | "turn">,
  files: readonly string[]
): Promise<Result<FixEntry, RunFailure>> {
  const folder = fixesFolder(place, String(Date.now()));
  const entry = { folder, session, turn, files, isWhole: false };
  const copied = await onFiles(place, COPY, [posix.join(folder, "before")], files);
  if (copied.isErr()) return err(copied.error);
  return (await writeEntry(place, entry)).map(() => entry);
}

/**
 * Records the files that the fixes changed. The history then has only the entries of this turn.
 *
 * @param tree the working tree before the fixes, for files that were not copied
 */
export async function endFixes(
  place: FixPlace,
  entry: FixEntry,
  files: readonly string[],
  tree: string
): Promise<Result<void, RunFailure | FileFailure>> {
  if (files.length === 0) return await place.runtime.remove(entry.folder);
  const others = files.filter((file) => !entry.files.includes(file));
  const before = posix.join(entry.folder, "before");
  const kept = await onFiles(place, TAKE_FROM_TREE, [before, tree], others);
  const done = kept.isErr()
    ? kept
    : await onFiles(place, COPY, [posix.join(entry.folder, "after")], files);
  if (done.isErr()) return err(done.error);
  const unchanged = entry.files.filter((file) => !files.includes(file));
  await onFiles(place, DROP, [before], unchanged);
  const written = await writeEntry(place, { ...entry, files, isWhole: true });
  for (const old of await allEntries(place)) {
    if (!isOfTurn(old, entry)) await place.runtime.remove(old.folder);
  }
  return written;
}

export interface UndoneFix {
  /** Relative to the project. */
  readonly restored: readonly string[];
  /** Files that were changed again after the fix. They are left as they are. */
  readonly changedSince: readonly string[];
  /** Absolute: the folders with what a fix that was killed had left. */
  readonly replaced: readonly string[];
}

/**
 * Restores each file whose content is still what the fixes left, the newest fix first. The caller holds the lock.
 * Returns undefined if there is no fix to undo. Later fixes of the session leave the restored files alone.
 */
export async function undoFix(place: FixPlace): Promise<Result<UndoneFix | undefined, RunFailure>> {
  const { runtime, gitDir } = place;
  const all = await allEntries(place);
  const [newest] = all;
  if (newest === undefined) return ok(undefined);
  const entries = all.filter((entry) => isOfTurn(entry, newest));
  const restored = new Set<string>();
  const changedSince = new Set<string>();
  const replaced: string[] = [];
  for (const { folder, isWhole, ...entry } of entries) {
    const files = entry.files.filter((file) => !changedSince.has(file));
    // It is unknown what a killed fix left, so the current files are kept beside their copies.
    const kept = isWhole
      ? ok([])
      : await onFiles(place, COPY, [posix.join(folder, "after")], files);
    const done = kept.isErr() ? kept : await onFiles(place, RESTORE, [folder], files);
    if (done.isErr()) return err(done.error);
    for (const [i, file] of files.entries()) {
      if (done.value[i] === "restored") restored.add(file);
      if (done.value[i] === "changed" && !restored.has(file)) changedSince.add(file);
    }
    if (!isWhole && done.value.includes("restored")) replaced.push(`${folder}-replaced`);
  }
  const known = await restoredFiles(place, newest.session);
  const files = [...new Set([...known, ...restored])];
  const key = restoredKey(newest.session);
  const written = await new TurnStore(runtime, gitDir).write("fixes", key, { files });
  for (const { folder } of entries) {
    const isKept = replaced.includes(`${folder}-replaced`);
    await (isKept ? runtime.rename(folder, `${folder}-replaced`) : runtime.remove(folder));
  }
  return written.map(() => ({
    restored: [...restored].sort(),
    changedSince: [...changedSince].sort(),
    replaced: replaced.map((folder) => `${folder}/after`),
  }));
}

/** Returns the files that were restored in a session, so that no fix changes them again. */
export async function restoredFiles(
  { runtime, gitDir }: Pick<FixPlace, "runtime" | "gitDir">,
  session: string
): Promise<readonly string[]> {
  const { files } =
    (await new TurnStore(runtime, gitDir).read("fixes", restoredKey(session))) ?? {};
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}

function restoredKey(session: string): string {
  return `restored-${hashKey(session)}`;
}

/** Returns the entries, the newest first. */
async function allEntries(place: FixPlace): Promise<FixEntry[]> {
  const names = (await place.runtime.list(fixesFolder(place))).unwrapOr([]);
  const times = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  const entries = times.map(async (name): Promise<FixEntry[]> => {
    const folder = fixesFolder(place, name);
    const path = posix.join(folder, "record.json");
    const json = await readJson(place.runtime, path, { maxBytes: 4 * MIB });
    const record = recordSchema.safeParse(json, { jitless: true });
    if (!record.success) return [];
    return [{ folder, ...record.data, files: record.data.files.filter(isOfProject) }];
  });
  return (await Promise.all(entries)).flat();
}

const recordSchema = z.object({
  session: z.string(),
  turn: z.string(),
  files: z.array(z.unknown()),
  isWhole: z.catch(z.boolean(), false),
});

/** Returns whether a value is a path in the project. Anyone may have written the record. */
function isOfProject(value: unknown): value is string {
  return (
    typeof value === "string" &&
    posix.normalize(value) === value &&
    !/^(?:\.\.)?\/|^\.\.?$|(?:^|\/)\.git(?:\/|$)/.test(value)
  );
}

async function writeEntry(
  place: FixPlace,
  { folder, ...record }: FixEntry
): Promise<Result<void, FileFailure>> {
  const path = posix.join(folder, "record.json");
  const written = await place.runtime.writeFile(path, `${JSON.stringify(record)}\n`);
  await prune(place.runtime, fixesFolder(place));
  return written;
}

function isOfTurn(entry: FixEntry, { session, turn }: FixEntry): boolean {
  return entry.session === session && entry.turn === turn;
}

function fixesFolder({ gitDir }: FixPlace, ...names: readonly string[]): string {
  return turnPath(gitDir, "fixes", ...names);
}

/** Files of one call of a script, so that its arguments stay far below every limit. */
const MAX_FILES = 100;

/** Runs a script for files in the project, with the name of the copy of each. Returns its lines. */
async function onFiles(
  { runtime, projectDir }: FixPlace,
  script: string,
  args: readonly string[],
  files: readonly string[]
): Promise<Result<string[], RunFailure>> {
  const lines: string[] = [];
  for (let i = 0; i < files.length; i += MAX_FILES) {
    const pairs = files.slice(i, i + MAX_FILES).flatMap((file) => [`./${file}`, hashKey(file)]);
    const { end, stdout, stderr } = await runtime.exec({
      command: { script, args: [...args, ...pairs] },
      cwd: projectDir,
      unsetEnv: ["GIT_*", "BASH_ENV", "ENV"],
      isBrief: true,
    });
    if (end.kind !== "exited" || end.code !== 0) {
      const why = "message" in end ? end.message : stderr.text.trim() || end.kind;
      return err({ message: why });
    }
    lines.push(...stdout.text.split("\n").slice(0, -1));
  }
  return ok(lines);
}

const EACH = "while [ $# -gt 0 ]; do file=$1 name=$2; shift 2";

/** Argument: the folder for the copies. A file that does not exist has no copy. */
const COPY = `to=$1; shift
(umask 077; mkdir -p "$to") || exit
${EACH}
  if [ -f "$file" ] && [ ! -L "$file" ]; then cp -p "$file" "$to/$name" || exit; fi
done`;

/** Argument: the folder with the copies, which may be large. */
const DROP = `from=$1; shift
${EACH}
  rm -f "$from/$name"
done`;

/** Arguments: the folder for the copies, and a tree of git. The mode is that of the file now, if it exists. */
const TAKE_FROM_TREE = `to=$1 tree=$2; shift 2
(umask 077; mkdir -p "$to") || exit
${EACH}
  entry=$(git -c safe.bareRepository=explicit ls-tree "$tree" "$file")
  case $entry in '' | 120000* | 160000*) continue ;; esac
  if [ -f "$file" ]; then cp -p "$file" "$to/$name" || exit; fi
  git -c safe.bareRepository=explicit cat-file --filters "$tree:$file" > "$to/$name" || exit
  case $entry in 100755*) chmod +x "$to/$name" ;; esac
done`;

/**
 * Argument: the folder with the copies before and after. Prints a line for each file: `restored`, `same` if it already
 * is as before, or `changed` if it is not as the fix left it. A link is never followed.
 */
const RESTORE = `from=$1 root=$(pwd -P); shift
is() { if [ -f "$1" ]; then [ -f "$file" ] && cmp -s "$1" "$file"; else [ ! -e "$file" ]; fi; }
${EACH}
  parent=$(dirname "$file")
  if [ -f "$from/before/$name" ]; then mkdir -p "$parent" || exit; fi
  expected=$root\${parent#.}
  real=$(cd "$parent" 2> /dev/null && pwd -P) || real=$expected
  if [ -L "$file" ] || [ "$real" != "$expected" ]; then echo changed
  elif is "$from/before/$name"; then echo same
  elif ! is "$from/after/$name"; then echo changed
  elif [ -f "$from/before/$name" ]; then cp -pf "$from/before/$name" "$file" && touch "$file" && echo restored || exit
  else rm -f "$file" && echo restored || exit
  fi
done`;
