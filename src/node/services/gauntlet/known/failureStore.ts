/**
 * Stores facts about checks between runs: local and shared records of known failures, with digests by which a local
 * record that the user's command did not write is detected (G44), the failures fixed since (G47), whether a check ever
 * passed on this machine (G49), and the tests that ran at its last pass (G48).
 */
import { turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import type { NamedTest } from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { isTextFile } from "@/node/services/gauntlet/domain/relevantFiles";
import { userHome } from "@/common/userHome";
import { posix } from "node:path";
import type { Result } from "neverthrow";
import * as z from "zod/mini";
import { sha256 } from "@/common/hash";
import { isJsonObject, objectOf, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { FileFailure, Files, HookRuntime } from "@/node/runtime/HookRuntime";
import { readJson, readText } from "@/node/runtime/fileContents";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isAncestor } from "@/node/services/gauntlet/change/git/gitQueries";
import { execGit, runGit } from "@/node/services/gauntlet/change/git/runGit";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import type { CheckDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import {
  failureSchema,
  keyOf,
  type KnownFailure,
} from "@/node/services/gauntlet/known/failureIdentity";

export const MAX_RECORD_BYTES = 4 * MIB;
const RECORD = { maxBytes: MAX_RECORD_BYTES + MIB };
/** The number of lines that are read of a record: more than the findings and the lines of an output. */
const MAX_RECORD_LINES = 250_000;

const text = z.string();
const objectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

const headSchema = z.object({
  /** The ID of the job. */
  check: text,
  /** Digest of the command, its folder and its environment. */
  command: text,
  commit: objectId,
  tree: objectId,
  /** The day, in ISO 8601. */
  at: z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/)),
  exit: z.int(),
  /** The number of tests that ran, by the tool that printed findings or tests. */
  tools: z.record(z.string(), z.int()),
  /** The number of failed tests without a finding, by the tool that counted them. Older records do not have it. */
  unseen: z.optional(z.record(z.string(), z.int())),
  /** Whether the command runs several tools, so that lines of its output that name an error are compared as well. */
  isCompound: z.optional(z.boolean()),
});

/** A record of known failures: the check, its commit, and the failures that it had there. */
export type KnownRecord = z.infer<typeof headSchema> & {
  readonly failures: readonly KnownFailure[];
};

/** Formats a record as JSON lines: first the check, then its failures in alphabetical order. */
export function recordText({ failures, ...head }: KnownRecord): string {
  const lines = [...new Map(failures.map((one) => [keyOf(one), JSON.stringify(one)])).values()];
  return [JSON.stringify(head), ...lines.sort()].map((line) => `${line}\n`).join("");
}

/**
 * Parses a record. Returns undefined if the first line is not a check. Leaves out other lines that cannot be read,
 * which makes no failure known.
 */
export function parseRecord(source: string): KnownRecord | undefined {
  const [first = "", ...lines] = source.split("\n", MAX_RECORD_LINES);
  const head = headSchema.safeParse(parseJson(first).unwrapOr(undefined), { jitless: true });
  if (!head.success) return undefined;
  const failures = lines.flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const json = parseJson(line).unwrapOr(undefined);
    const { success, data = {} } = failureSchema.safeParse(json, { jitless: true });
    return success && Object.keys(data).length > 0 ? [data] : [];
  });
  return { ...head.data, failures };
}

/** The folder of shared records, relative to the project. */
export const SHARED_FOLDER = posix.join(CONFIG_FOLDER, "known");
const MAX_DIGESTS = 2_000;
const MAX_SAME_TREES = "500";

export interface RecordPlace {
  readonly runtime: HookRuntime;
  readonly context: GitContext;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Returns a digest of everything in a definition that decides how a check fails. */
export function commandDigest(job: Pick<Job, "entryPoint"> & { gate: CheckDefinition }): string {
  const { command, rerunCommand, workingDirectory = job.entryPoint, env, findings } = job.gate;
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([command, rerunCommand, workingDirectory, variables, findings]), 16);
}

/** Returns the name of a record: `test.jsonl` for `check:.:test`. */
export function recordName(jobId: string): string {
  const name = jobId.replace(/^check:(?:\.:)?/, "");
  const safe = name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 100);
  return `${safe}${safe === name ? "" : `~${sha256(name, 6)}`}.jsonl`;
}

/** Returns the path of the local record of a check, in the folder that all worktrees share. */
export function localRecordPath(context: GitContext, jobId: string): string {
  return factPath(context, context.commonDir, "known", jobId);
}

/** Records that a check can work on this machine. Writes a file at its first pass only. */
export async function notePass(
  files: Pick<HookRuntime, "createFile">,
  context: Pick<GitContext, "prefix" | "commonDir">,
  jobId: string
): Promise<void> {
  await files.createFile(factPath(context, context.commonDir, "passed", jobId), "");
}

/** Returns the path of a file about a check, in a folder for the project, because a repository may have several. */
export function factPath(
  { prefix }: Pick<GitContext, "prefix">,
  gitDir: string,
  kind: "known" | "passed" | "environment" | "tests",
  jobId: string
): string {
  const folder =
    prefix === ""
      ? "root"
      : `${prefix.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)}~${sha256(prefix, 6)}`;
  return turnPath(gitDir, kind, folder, recordName(jobId));
}

/** Returns the local record of a check. `changed`: its digest shows that the user's command did not write it. */
export async function readLocalRecord(
  place: RecordPlace,
  jobId: string
): Promise<KnownRecord | "changed" | undefined> {
  const path = localRecordPath(place.context, jobId);
  const text = await readText(place.runtime, path, RECORD);
  if (text === undefined) return undefined;
  const digests = await readDigests(place);
  return digests[digestKey(place, path)] === sha256(text) ? parseRecord(text) : "changed";
}

/** Writes the local record of a check, and its digest in the user's own folder. Forgets what was fixed before. */
export async function writeLocalRecord(
  place: RecordPlace,
  record: KnownRecord
): Promise<Result<void, FileFailure>> {
  const path = localRecordPath(place.context, record.check);
  const text = recordText(record);
  const { [digestKey(place, path)]: _, ...others } = await readDigests(place);
  const kept = Object.entries(others).slice(-MAX_DIGESTS);
  const digests = Object.fromEntries([...kept, [digestKey(place, path), sha256(text)]]);
  const { host } = place.runtime;
  const noted = await host.writeFile(digestsPath(place), `${JSON.stringify(digests, null, 2)}\n`);
  if (noted.isErr()) return noted;
  await forgetFixed(place, record.check);
  return await place.runtime.writeFile(path, text);
}

/** Removes the local record of a check. */
export async function removeRecord(
  place: RecordPlace,
  jobId: string
): Promise<Result<void, FileFailure>> {
  await forgetFixed(place, jobId);
  return await place.runtime.remove(localRecordPath(place.context, jobId));
}

/** Reads the shared record of a check from a commit, with one git process. */
export async function readSharedRecord(
  { runtime, context }: RecordPlace,
  jobId: string,
  commit: string
): Promise<KnownRecord | undefined> {
  const { projectDir: cwd, prefix, signal } = context;
  const path = `${commit}:${prefix}${posix.join(SHARED_FOLDER, recordName(jobId))}`;
  const args = ["cat-file", "blob", "--end-of-options", path];
  const read = await runGit(runtime, { cwd, args, keepBytes: MAX_RECORD_BYTES, signal });
  return read.map(parseRecord).unwrapOr(undefined);
}

/** Returns whether the commit of a record, or one with the same tree, is one of the anchors or of their ancestors. */
export async function isRecordedBefore(
  { runtime, context }: RecordPlace,
  { commit, tree }: KnownRecord,
  anchors: readonly string[]
): Promise<boolean> {
  for (const anchor of anchors) {
    if (commit === anchor) return true;
    const found = await isAncestor(runtime, context, commit, anchor);
    if (found.unwrapOr(false)) return true;
  }
  for (const anchor of anchors) {
    const options = [`--max-count=${MAX_SAME_TREES}`, "--format=%T"];
    const args = ["log", ...options, "--end-of-options", anchor];
    const trees = await execGit(runtime, { cwd: context.projectDir, args, signal: context.signal });
    if (trees.isOk() && trees.value.stdout.split("\n").includes(tree)) return true;
  }
  return false;
}

/** Returns the keys of failures that were fixed since a record was made (G47). */
export async function readFixed(
  { runtime, context }: RecordPlace,
  jobId: string
): Promise<ReadonlySet<string>> {
  const keys = await readJson(runtime, fixedPath(context, jobId), RECORD);
  return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : []);
}

/** Replaces the keys of the failures that were fixed. */
export async function writeFixed(
  { runtime, context }: RecordPlace,
  jobId: string,
  keys: ReadonlySet<string>
): Promise<void> {
  await runtime.writeFile(fixedPath(context, jobId), JSON.stringify([...keys]));
}

/** Forgets which failures of the last record were fixed, because there is a new one. */
export async function forgetFixed({ runtime, context }: RecordPlace, jobId: string): Promise<void> {
  await runtime.remove(fixedPath(context, jobId));
}

function fixedPath(context: GitContext, jobId: string): string {
  return `${localRecordPath(context, jobId)}.fixed`;
}

function digestKey({ runtime }: RecordPlace, path: string): string {
  return runtime.isRemote ? `${runtime.label} ${path}` : path;
}

function digestsPath({ env }: RecordPlace): string {
  const configHome = env.XDG_CONFIG_HOME ?? "";
  const folder = posix.isAbsolute(configHome) ? configHome : posix.join(userHome(env), ".config");
  return posix.join(folder, "agent-gauntlet", "known.json");
}

async function readDigests(place: RecordPlace): Promise<Record<string, unknown>> {
  return objectOf(await readJson(place.runtime.host, digestsPath(place), RECORD));
}

// The tests that ran when a check last passed (G48).

const MAX_TESTS_BYTES = 4 * MIB;

/**
 * Replaces the recorded tests by those that ran, and returns the names of those that ran before and do not run any
 * more, although a file of theirs changed.
 *
 * @param path the one of the list
 * @param changed the files that changed since the last pass
 */
export async function replaceTests(
  files: Files,
  path: string,
  ran: readonly NamedTest[],
  changed: ReadonlySet<string>
): Promise<string[]> {
  const before = parseTests((await readText(files, path, { maxBytes: MAX_TESTS_BYTES })) ?? "");
  const now = new Set(ran.map(testKey));
  const text = [...now]
    .sort()
    .map((key) => `${key}\n`)
    .join("");
  if (Buffer.byteLength(text) <= MAX_TESTS_BYTES)
    await files.writeFile(path, text, { isDisposable: true });
  const known = new Set(before.map(({ file }) => file));
  const moved = new Set(ran.filter(({ file }) => !known.has(file)).map(({ test }) => masked(test)));
  const paths = [...changed];
  const vanished = before.filter(
    (one) => !now.has(testKey(one)) && !moved.has(one.test) && isTouched(one, paths)
  );
  return [...new Set(vanished.map(({ test }) => test))];
}

/** Removes the parameters in brackets at the end, which may differ in every run. */
function masked(test: string): string {
  return test.replace(/(?:\[[^[\]]*\])+$/, "");
}

function testKey({ file, test }: NamedTest): string {
  return JSON.stringify({ ...(file === undefined ? {} : { file }), test: masked(test) });
}

/**
 * Returns whether a file of a test may have changed. A report may name, instead of the file, a class or a module with
 * its name. Without any of these, the test may be in each file of code.
 */
function isTouched({ file, test }: NamedTest, changed: readonly string[]): boolean {
  if (file !== undefined) return changed.includes(file);
  const [module = ""] = test.split(" > ", 1);
  if (!NAMED_MODULE.test(module)) return changed.some((path) => !isTextFile(path));
  return changed.some((path) => module.includes(posix.parse(path).name));
}

const NAMED_MODULE = /^[^\s.]+\.[^\s]+$/;

function parseTests(text: string): NamedTest[] {
  return text.split("\n").flatMap((line) => {
    const json = line === "" ? undefined : parseJson(line).unwrapOr(undefined);
    if (!isJsonObject(json) || typeof json.test !== "string") return [];
    const { file, test } = json;
    return [typeof file === "string" ? { file, test } : { test }];
  });
}
