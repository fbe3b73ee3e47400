/** Which projects a person has trusted to run what (H31, H32): one small file in the user root. Runs nothing. */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import { describeError } from "@/common/errors";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { plural } from "@/common/text";
import type { Files } from "@/node/runtime/Runtime";
import type { TrustPolicy, TrustRequest } from "@/node/services/hooks/trustPolicy";
import type { TrustState } from "@/node/services/hooks/types";

const MOST_BYTES = 4 * MIB;

const storeSchema = z.object({
  version: z.literal(1),
  /** By project root, or by its URL where it is on another machine. */
  projects: z.record(z.string(), z.object({ digest: z.string(), trustedAt: z.string() })),
});
type Store = z.infer<typeof storeSchema>;

export interface TrustStore {
  /** The machine of the user's own files. */
  readonly files: Files;
  /** {@link trustStorePath} of the user root. */
  readonly path: string;
}

export function trustStorePath(userRoot: string): string {
  return posix.join(userRoot, "hook-trust.json");
}

/**
 * Trusts what is recorded, for as long as its digest stays the same; `MUX_HOOKS_TRUST=always` skips the question.
 * Besides what loading costs, each decision reads the store.
 */
export function storedTrust({
  env,
  ...store
}: TrustStore & { readonly env: Readonly<NodeJS.ProcessEnv> }): TrustPolicy {
  return {
    decide: async (request) => {
      if (env.MUX_HOOKS_TRUST === "always") return { trusted: true };
      const read = await readStore(store);
      if (read.isErr()) return untrusted(request, read.error);
      const recorded = read.value.projects[request.projectDir];
      if (recorded === undefined) return untrusted(request, "it has not been trusted");
      const digest = await digestOf(request);
      if (digest.isErr()) return untrusted(request, digest.error);
      if (digest.value === recorded.digest) return { trusted: true };
      return untrusted(request, "what they run has changed since it was trusted");
    },
  };
}

/** Trusts what the request holds now, until it changes. An error says what to do. */
export async function recordTrust(
  store: TrustStore,
  request: TrustRequest,
  now: Date
): Promise<Result<void, string>> {
  const digest = await digestOf(request);
  if (digest.isErr()) return err(digest.error);
  const read = await readStore(store);
  if (read.isErr()) return err(read.error);
  const record = { digest: digest.value, trustedAt: now.toISOString() };
  return await writeStore(store, { ...read.value.projects, [request.projectDir]: record });
}

/** Forgets a project, and says whether it was recorded at all. */
export async function revokeTrust(
  store: TrustStore,
  projectDir: string
): Promise<Result<boolean, string>> {
  const read = await readStore(store);
  if (read.isErr()) return err(read.error);
  const { [projectDir]: recorded, ...projects } = read.value.projects;
  if (recorded === undefined) return ok(false);
  return (await writeStore(store, projects)).map(() => true);
}

function untrusted({ projectDir, items }: TrustRequest, why: string): TrustState {
  const what =
    items.length === 0
      ? "the hook settings of this project do not count"
      : `${plural(items.length, "hook")} of this project ${items.length === 1 ? "does" : "do"} not run`;
  const trust = "mux-hooks trust";
  const how = posix.isAbsolute(projectDir)
    ? `in ${projectDir}, "${trust} --show" lists what would run and "${trust}" allows it`
    : `"${trust} --show --workspace ${projectDir}" lists what would run, and without --show allows it`;
  return { trusted: false, message: `${what}: ${why}; ${how}` };
}

async function digestOf(request: TrustRequest): Promise<Result<string, string>> {
  return await request.digest().then(
    (digest) => ok(digest),
    (thrown: unknown) => err(describeError(thrown))
  );
}

/** A store that cannot be understood is an error and stays as it is: what a person decided is not written over. */
async function readStore({ files, path }: TrustStore): Promise<Result<Store, string>> {
  const bytes = await files.readFile(path, { maxBytes: MOST_BYTES + 1 });
  if (bytes.isErr()) {
    const { code, message } = bytes.error;
    return code === "ENOENT" ? ok({ version: 1, projects: {} }) : unusable(path, message);
  }
  if (bytes.value.length > MOST_BYTES) return unusable(path, "it is too large");
  const json = parseJson(new TextDecoder().decode(bytes.value));
  if (json.isErr()) return unusable(path, json.error);
  const store = storeSchema.safeParse(json.value);
  return store.success ? ok(store.data) : unusable(path, z.prettifyError(store.error));
}

function unusable(path: string, problem: string): Result<never, string> {
  return err(
    `the record of trusted projects, ${path}, cannot be used (${problem}): mend or remove it`
  );
}

async function writeStore(
  { files, path }: TrustStore,
  projects: Store["projects"]
): Promise<Result<void, string>> {
  const store: Store = { version: 1, projects };
  const written = await files.writeFile(path, `${JSON.stringify(store, null, 2)}\n`);
  return written.mapErr(({ message }) => `${path} could not be written: ${message}`);
}
