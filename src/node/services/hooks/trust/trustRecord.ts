/**
 * Reads and changes `hook-trust.json`, the user's record of trusted definitions, which one process at a time may change
 * (H31). An invalid record is an error, and is never overwritten. The lock for this also protects the settings files
 * that commands edit.
 */
import { shownCommand } from "@/common/ownCommandName";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as z from "zod/mini";
import { ENGLISH } from "@/common/zodEnglish";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { uniqueName } from "@/common/randomName";
import type { Files } from "@/node/runtime/HookRuntime";
import type { Definitions } from "@/node/services/hooks/settings/hookDefinitions";
import { setTimeout as delay } from "node:timers/promises";

const MAX_STORE_MIB = 32;
const MAX_STORE_BYTES = MAX_STORE_MIB * MIB;

export const contentSchema = z.union([z.string(), z.object({ base64: z.string() })]);
const filesSchema = z.record(z.string(), contentSchema);
export const definitionsSchema = z.object({
  settings: z.record(z.string(), z.string()),
  scripts: filesSchema,
  builtins: z.record(z.string(), z.object({ dir: z.string(), files: filesSchema })),
  plugins: z.optional(z.record(z.string(), z.string())),
});
/** Trusted sets by project, the one that ran last at the end. A version that kept only a digest left an empty list. */
const projectsSchema = z.record(
  z.string(),
  z.array(z.object({ trustedAt: z.string(), definitions: definitionsSchema }))
);
const storeSchema = z.object({
  version: z.literal(2),
  projects: projectsSchema,
  gatesSince: z.optional(z.string()),
  never: z.optional(z.array(z.string())),
  waiting: z.optional(z.array(z.string())),
  revoked: z.optional(z.array(z.string())),
});
const firstVersionSchema = z.object({
  version: z.literal(1),
  projects: z.record(z.string(), z.unknown()),
});

// The types of the schemas, written out so that the types of this package do not need those of zod.

export interface TrustedSet {
  trustedAt: string;
  definitions: Definitions;
}

export type TrustedProjects = Record<string, TrustedSet[]>;

/** The whole record. Projects have an absolute path, or the URL of another machine, as their name. */
export interface TrustRecord {
  readonly projects: TrustedProjects;
  /** When the record began to cover gates (G24a). */
  readonly gatesSince?: string | undefined;
  /** Projects whose gates the user does not want to run, so that they are not mentioned either. */
  readonly never?: readonly string[] | undefined;
  /** Projects in which a stop was not checked because nothing was trusted, the newest last. */
  readonly waiting?: readonly string[] | undefined;
  /** Projects whose trust was revoked, so that an earlier use of their gates does not count as trust (G24a). */
  readonly revoked?: readonly string[] | undefined;
}

/** The place of the record. */
export interface TrustStore {
  /** The machine of the user's own files. */
  readonly files: Files;
  /** {@link trustStorePath} of the user root. */
  readonly path: string;
}

export function trustStorePath(userRoot: string): string {
  return posix.join(userRoot, "hook-trust.json");
}

/** Reads the record. An invalid one is an error and is kept, so that the user's decisions are not overwritten. */
export async function readTrustRecord(store: TrustStore): Promise<Result<TrustRecord, string>> {
  const { files, path } = store;
  const unusable = (problem: string) =>
    err(`the record of trusted projects, ${path}, cannot be used: ${problem}; fix or remove it`);
  const bytes = await files.readFile(path, { maxBytes: MAX_STORE_BYTES + 1 });
  if (bytes.isErr()) {
    const { code, message } = bytes.error;
    return code === "ENOENT" ? ok({ projects: {} }) : unusable(message);
  }
  if (bytes.value.length > MAX_STORE_BYTES) return unusable(`larger than ${MAX_STORE_MIB} MiB`);
  const json = parseJson(new TextDecoder().decode(bytes.value));
  if (json.isErr()) return unusable(json.error);
  const first = firstVersionSchema.safeParse(json.value);
  if (first.success) {
    const names = Object.keys(first.data.projects);
    return ok({ projects: Object.fromEntries(names.map((name) => [name, []])) });
  }
  const parsed = storeSchema.safeParse(json.value, ENGLISH);
  if (!parsed.success) return unusable(z.prettifyError(parsed.error));
  const { version, ...record } = parsed.data;
  return ok(record);
}

/** Replaces the record with the result of `change`. Writes nothing if that is undefined. */
export async function changeTrustRecord(
  store: TrustStore,
  change: (record: TrustRecord) => TrustRecord | undefined
): Promise<Result<void, string>> {
  const { files, path } = store;
  return await withFileLock(files, path, async () => {
    const read = await readTrustRecord(store);
    if (read.isErr()) return err(read.error);
    const changed = change(read.value);
    if (changed === undefined) return ok();
    const text = `${JSON.stringify({ version: 2, ...changed }, null, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_STORE_BYTES) {
      return err(
        `${path} would be larger than ${MAX_STORE_MIB} MiB; run "${shownCommand()} hooks trust --only" to discard older definitions`
      );
    }
    // A new file, so that the mode of an old one does not matter.
    const temporary = `${path}.${uniqueName()}`;
    const written = await files.createFile(temporary, text, { mode: 0o600 });
    const replaced = written.isErr() ? written : await files.rename(temporary, path);
    if (replaced.isErr()) await files.remove(temporary);
    return replaced.mapErr(({ message }) => notWritten(path, message));
  });
}

const WAIT_MS = 10_000;
const POLL_MS = 20;
/** Maximum age of a lock. A change takes milliseconds, so the process that made an older lock no longer exists. */
const MAX_AGE_MS = 5_000;

/** Runs a change of the file while no other process changes it. Reads in `change` see the result of the one before. */
export async function withFileLock<T>(
  files: Files,
  path: string,
  change: () => Promise<Result<T, string>>
): Promise<Result<T, string>> {
  const lock = await takeLock(files, path);
  if (lock.isErr()) return err(lock.error);
  try {
    return await change();
  } finally {
    await files.remove(lock.value);
  }
}

async function takeLock(files: Files, path: string): Promise<Result<string, string>> {
  const lock = `${path}.lock`;
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const taken = await files.createFile(lock, "");
    if (taken.isOk()) return ok(lock);
    if (taken.error.code !== "EEXIST") return err(notWritten(path, taken.error.message));
    if (performance.now() > deadline)
      return err(
        `${path} is locked by another process; if there is none, remove ${lock} and ${lock}.old`
      );
    // Only one of several processes removes it, and looks again first: another may have replaced it meanwhile.
    const remover = `${lock}.old`;
    if ((await isStale(files, lock)) && (await files.createFile(remover, "")).isOk()) {
      if (await isStale(files, lock)) await files.remove(lock);
      await files.remove(remover);
    }
    await delay(POLL_MS);
  }
}

async function isStale(files: Files, lock: string): Promise<boolean> {
  const [stat] = await files.stat([lock]);
  return stat?.kind === "file" && Date.now() - stat.mtimeMs > MAX_AGE_MS;
}

function notWritten(path: string, problem: string): string {
  return `${path} could not be written: ${problem}`;
}
