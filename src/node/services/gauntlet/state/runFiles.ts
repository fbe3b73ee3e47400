/** The names of what a run writes into its log folder (§5, G15, G15a). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { isAbsent } from "@/node/services/gauntlet/state/lock/lockFile";

export const STATE_FILE = ".execution_state";
export const CHECK_CACHE_FILE = ".check_cache.json";
/** Of the existing tool: moved by a clean, never read. */
export const SESSION_REF_FILE = ".session_ref";
/** What was there before the last clean, one generation, flat. */
export const PREVIOUS_FOLDER = "previous";
/** A folder that holds what one reviewer was asked, for as long as it takes; it stays where a run was killed. */
export const QUESTION_PREFIX = ".review-";
/** There while logs are moved to `previous`, and after it where that was cut short. */
export const CLEAN_MARKER = ".clean_unfinished";

export function consoleLogName(run: number): string {
  return `console.${run}.log`;
}

export function reportName(run: number): string {
  return `report.${run}.json`;
}

export function checkLogName({ logName }: Pick<Job, "logName">, run: number): string {
  return `check_${logName}.${run}.log`;
}

/** @param slot from 1 */
export function reviewFileName(
  { logName }: Pick<Job, "logName">,
  { reviewer, slot }: { readonly reviewer: string; readonly slot: number },
  run: number,
  extension: "log" | "json"
): string {
  return `review_${logName}_${safeName(reviewer)}@${slot}.${run}.${extension}`;
}

const RUN_FILE =
  /^(?:(?:console|check_.+|review_.+@\d+)\.(\d+)\.log|(?:report|review_.+@\d+)\.(\d+)\.json)$/s;

/** The number of the run that a file is of, by its name; undefined where it is no file of a run. */
export function runNumberOf(name: string): number | undefined {
  const match = RUN_FILE.exec(name);
  const run = Number(match?.[1] ?? match?.[2]);
  return Number.isSafeInteger(run) ? run : undefined;
}

/**
 * One above the highest in the folder; 1 where there is none (G15). What an unfinished clean has moved still counts, so
 * that nothing takes its place.
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

/** Names in a folder; none where it is not there. */
export async function listFolder(
  files: Files,
  path: string
): Promise<Result<readonly string[], FileFailure>> {
  const listed = await files.list(path);
  return listed.isErr() && isAbsent(listed.error) ? ok([]) : listed;
}

/** Gives each job, in configured order, its name in those of files (G15a). */
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

/** Some file systems take names that differ by case for one. */
function nameKey(kind: GateDefinition["kind"], logName: string): string {
  return `${kind} ${logName.toLowerCase()}`;
}

/** With what stands before and after it, a file name must stay below 255 bytes. */
const MAX_NAME_CHARS = 160;

/** As a part of a file name (G15a). */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/gu, "_");
}
