/**
 * Names the files that runs write into the log folder, and recognizes by its name the run to which a file belongs.
 * Finds the number for the next run (G15), gives each job a unique name for its files (G15a), and copies a file.
 */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { isAbsent } from "@/node/services/gauntlet/state/lock/RunLock";

export const STATE_FILE = ".execution_state";
export const CHECK_CACHE_FILE = ".check_cache.json";
/** A file of the original tool. A clean moves it; it is never read. */
export const SESSION_REF_FILE = ".session_ref";
/** The files from before the last clean: one generation, in a flat folder. */
export const PREVIOUS_FOLDER = "previous";
/** Prefix of a temporary folder: of a reviewer's prompt, or of git objects (G9). It remains if the run was killed. */
export const TEMPORARY_FOLDER_PREFIX = ".review-";
/** Exists while logs are moved to `previous`, and afterwards if that was interrupted. */
export const CLEAN_MARKER = ".clean_unfinished";

export function consoleLogName(run: number): string {
  return `console.${run}.log`;
}

export function reportName(run: number): string {
  return `report.${run}.json`;
}

/** Returns the name of the text that a stop sent to the agent. */
export function reasonName(run: number): string {
  return `reason.${run}.txt`;
}

/**
 * Returns the name of a check's log.
 *
 * @param part the number of the check's run within this run, from 2, or its fix. No name of a job ends like that.
 */
export function checkLogName(
  { logName }: Pick<Job, "logName">,
  run: number,
  part?: number | "fix"
): string {
  return `check_${logName}${part === undefined ? "" : `~${part}`}.${run}.log`;
}

/** Returns the name of the list of a check's findings (G37). */
export function findingsName({ logName }: Pick<Job, "logName">, run: number): string {
  return `findings_${logName}.${run}.txt`;
}

/**
 * Returns the name of a review's file.
 *
 * @param slot from 1
 */
export function reviewFileName(
  { logName }: Pick<Job, "logName">,
  { reviewer, slot }: { readonly reviewer: string; readonly slot: number },
  run: number,
  extension: "log" | "json"
): string {
  return `review_${logName}_${safeName(reviewer)}@${slot}.${run}.${extension}`;
}

const RUN_FILE =
  /^(?:(?:console|check_.+|review_.+@\d+)\.(\d+)\.log|(?:report|review_.+@\d+)\.(\d+)\.json|(?:findings_.+|reason)\.(\d+)\.txt|check_.+\.(\d+)\.junit\.xml)$/s;

/** Returns the run to which a file belongs, by its name, or undefined if it does not belong to a run. */
export function runNumberOf(name: string): number | undefined {
  const run = Number(RUN_FILE.exec(name)?.slice(1).find(Boolean));
  return Number.isSafeInteger(run) ? run : undefined;
}

/**
 * Returns one above the highest number in the folder, or 1 if there is none (G15). Includes files that an unfinished
 * clean has moved, so that no file replaces them.
 */
export async function nextRunNumber(
  files: Files,
  logDir: string
): Promise<Result<number, FileFailure>> {
  const listed = await listFolder(files, logDir);
  if (listed.isErr()) return err(listed.error);
  const names = [...listed.value];
  if (names.includes(CLEAN_MARKER)) {
    names.push(...(await listFolder(files, join(logDir, PREVIOUS_FOLDER))).unwrapOr([]));
  }
  return ok(names.reduce((next, name) => Math.max(next, (runNumberOf(name) ?? 0) + 1), 1));
}

/** Returns the names in a folder, or none if it does not exist. */
export async function listFolder(
  files: Files,
  path: string
): Promise<Result<readonly string[], FileFailure>> {
  const listed = await files.list(path);
  return listed.isErr() && isAbsent(listed.error) ? ok([]) : listed;
}

/** Returns the jobs, in configured order, with the name that their file names contain (G15a). */
export function withLogNames(jobs: readonly Omit<Job, "logName">[]): Job[] {
  const taken = new Set<string>();
  return jobs.map((job) => {
    const logName = freeName(job, taken);
    taken.add(nameKey(job.gate.kind, logName));
    return { ...job, logName };
  });
}

function freeName({ id, entryPoint, gate }: Omit<Job, "logName">, taken: Set<string>): string {
  const [folder, name] = [safeName(entryPoint), safeName(gate.name)];
  const plain = `${folder}_${name}`;
  const isFree = (candidate: string): boolean => !taken.has(nameKey(gate.kind, candidate));
  if (plain.length <= MAX_NAME_CHARS && isFree(plain)) return plain;
  const hash = sha256(id);
  const half = MAX_NAME_CHARS / 2;
  const hashed = (digits: number): string =>
    `${folder.slice(0, half)}~${hash.slice(0, digits)}_${name.slice(0, half)}`;
  let digits = 6;
  while (!isFree(hashed(digits)) && digits < hash.length) digits++;
  return hashed(digits);
}

/** Returns a key to compare names by. Ignores case, because some file systems do. */
function nameKey(kind: GateDefinition["kind"], logName: string): string {
  return `${kind} ${logName.toLowerCase()}`;
}

/** A file name must stay below 255 bytes, including its prefix and suffix. */
const MAX_NAME_CHARS = 160;

/** Returns the text as a part of a file name (G15a). */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/gu, "_");
}

/** Copies a file of a run. */
export async function copy(
  files: Files,
  from: string,
  to: string
): Promise<Result<void, FileFailure>> {
  const read = await files.readFile(from, { maxBytes: MAX_COPY_BYTES });
  return read.isErr() ? err(read.error) : await files.writeFile(to, read.value);
}

const MAX_COPY_BYTES = 32 * MIB;
