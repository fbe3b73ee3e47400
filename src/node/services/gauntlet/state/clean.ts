/** Moves the files of runs to `previous/`, which contains one generation (G18). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  CHECK_CACHE_FILE,
  CLEAN_MARKER,
  listFolder,
  PREVIOUS_FOLDER,
  QUESTION_PREFIX,
  runNumberOf,
  SESSION_REF_FILE,
  STATE_FILE,
} from "@/node/services/gauntlet/state/runFiles";

export interface CleanOptions {
  /** Leaves the state and the cache of passed checks in place, after a success. */
  readonly keepState: boolean;
  /** Names of files that are copied instead of moved: those of unresolved reviews (G18a). */
  readonly copied?: readonly string[];
}

/**
 * Moves the files; requires the lock. Returns the names of the moved and copied files, unsorted. Removes the older
 * generation only if logs replace it: a state without logs is added to it.
 */
export async function cleanLogs(
  files: Files,
  logDir: string,
  { keepState, copied = [] }: CleanOptions
): Promise<Result<readonly string[], FileFailure>> {
  const previous = join(logDir, PREVIOUS_FOLDER);
  const [listed, older] = await Promise.all([
    listFolder(files, logDir),
    listFolder(files, previous),
  ]);
  if (listed.isErr()) return listed;
  const challengeFiles = listed.value.filter((name) => QUESTION.test(name));
  await Promise.all(challengeFiles.map((name) => files.remove(join(logDir, name))));
  const marker = join(logDir, CLEAN_MARKER);
  const logs = listed.value.filter(isLog);
  const rest = listed.value.filter((name) =>
    keepState ? name === SESSION_REF_FILE : isState(name)
  );
  // If the marker exists, `previous` contains the logs that an interrupted clean moved before it ended.
  if (logs.length > 0 && !listed.value.includes(CLEAN_MARKER)) {
    if (older.isErr()) return older;
    const ours = older.value.filter((name) => isLog(name) || isState(name));
    const [marked, ...removed] = await Promise.all([
      files.appendFile(marker, ""),
      ...ours.map((name) => files.remove(join(previous, name))),
    ]);
    const failure = marked.isErr() ? marked.error : firstFailure(removed);
    if (failure !== undefined) return err(failure);
  }
  // Move the state last, so that an interrupted clean is repeated.
  for (const names of [logs, rest]) {
    const moves = names.map((name) =>
      copied.includes(name)
        ? copy(files, join(logDir, name), join(previous, name))
        : files.rename(join(logDir, name), join(previous, name))
    );
    const failure = firstFailure(await Promise.all(moves));
    if (failure !== undefined) return err(failure);
  }
  if (logs.length > 0) await files.remove(marker);
  return ok([...logs, ...rest]);
}

export async function copy(
  files: Files,
  from: string,
  to: string
): Promise<Result<void, FileFailure>> {
  const read = await files.readFile(from, { maxBytes: MAX_COPY_BYTES });
  return read.isErr() ? err(read.error) : await files.writeFile(to, read.value);
}

const MAX_COPY_BYTES = 32 * MIB;

function firstFailure(results: readonly Result<void, FileFailure>[]): FileFailure | undefined {
  const failures = results.flatMap((result) => (result.isErr() ? result.error : []));
  // A file that was removed in the meantime need not be moved.
  return failures.find(({ code }) => code !== "ENOENT");
}

/** Prompts of reviewers whose run was killed. They have no further use and are removed. */
const QUESTION = new RegExp(`^\\${QUESTION_PREFIX}[0-9a-f-]{36}$`);

function isLog(name: string): boolean {
  return runNumberOf(name) !== undefined;
}

function isState(name: string): boolean {
  return [STATE_FILE, CHECK_CACHE_FILE, SESSION_REF_FILE].includes(name);
}
