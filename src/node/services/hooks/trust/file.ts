/** Stores the definitions that the user has trusted, in a file that one process at a time may change (H31). */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as z from "zod/mini";
import { ENGLISH } from "@/common/englishMessages";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { definitionsSchema } from "@/node/services/hooks/settings/definitions";
import { withFileLock } from "@/node/services/hooks/settings/edit/fileLock";
import { notWritten } from "@/node/services/hooks/messages/files";
import {
  recordTooLarge,
  recordUnusable,
  recordWouldBeTooLarge,
} from "@/node/services/hooks/messages/trust";

const MAX_STORE_MIB = 32;
const MAX_STORE_BYTES = MAX_STORE_MIB * MIB;

const trustedSetSchema = z.object({ trustedAt: z.string(), definitions: definitionsSchema });
/** Sets by project, the one that ran last at the end. An empty list is from a version that kept only a digest. */
const projectsSchema = z.record(z.string(), z.array(trustedSetSchema));
const storeSchema = z.object({ version: z.literal(2), projects: projectsSchema });
const firstVersionSchema = z.object({
  version: z.literal(1),
  projects: z.record(z.string(), z.unknown()),
});

export type TrustedSet = z.infer<typeof trustedSetSchema>;
export type TrustedProjects = z.infer<typeof projectsSchema>;

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
export async function readProjects({
  files,
  path,
}: TrustStore): Promise<Result<TrustedProjects, string>> {
  const bytes = await files.readFile(path, { maxBytes: MAX_STORE_BYTES + 1 });
  if (bytes.isErr()) {
    const { code, message } = bytes.error;
    return code === "ENOENT" ? ok({}) : unusable(path, message);
  }
  if (bytes.value.length > MAX_STORE_BYTES)
    return unusable(path, recordTooLarge(`${MAX_STORE_MIB} MiB`));
  const json = parseJson(new TextDecoder().decode(bytes.value));
  if (json.isErr()) return unusable(path, json.error);
  const first = firstVersionSchema.safeParse(json.value);
  if (first.success) {
    return ok(Object.fromEntries(Object.keys(first.data.projects).map((name) => [name, []])));
  }
  const store = storeSchema.safeParse(json.value, ENGLISH);
  return store.success ? ok(store.data.projects) : unusable(path, z.prettifyError(store.error));
}

/** Replaces the record with the result of `change`. Writes nothing if that is undefined. */
export async function changeProjects(
  store: TrustStore,
  change: (projects: TrustedProjects) => TrustedProjects | undefined
): Promise<Result<void, string>> {
  return await withFileLock(store.files, store.path, async () => {
    const read = await readProjects(store);
    if (read.isErr()) return err(read.error);
    const projects = change(read.value);
    return projects === undefined ? ok() : await replace(store, projects);
  });
}

/** Writes a new file, so that the mode of an old one does not matter. */
async function replace(
  { files, path }: TrustStore,
  projects: TrustedProjects
): Promise<Result<void, string>> {
  const text = `${JSON.stringify({ version: 2, projects }, null, 2)}\n`;
  if (text.length > MAX_STORE_BYTES) {
    return err(recordWouldBeTooLarge(path, `${MAX_STORE_MIB} MiB`));
  }
  const temporary = `${path}.${randomBytes(8).toString("hex")}`;
  const written = await files.createFile(temporary, text, { mode: 0o600 });
  const replaced = written.isErr() ? written : await files.rename(temporary, path);
  if (replaced.isErr()) await files.remove(temporary);
  return replaced.mapErr(({ message }) => notWritten(path, message));
}

function unusable(path: string, problem: string): Result<never, string> {
  return err(recordUnusable(path, problem));
}
