/**
 * Reads the gates of a project and the user's record of trust in them, and determines whether they differ, and whether
 * the gates ran before they needed trust (G24a). For stops, runs, `init` and the commands that report on trust.
 */
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Result } from "neverthrow";
import * as messages from "@/cli/gauntlet/messages/gateTrust";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { recordedFiles } from "@/node/runtime/fileContents";
import { START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import type { ConfigReads } from "@/node/services/gauntlet/config/readConfigFiles";
import { type ConfigLoad, loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { findGitDir, findWorkingTree } from "@/node/services/gauntlet/turn/readGitFolder";
import { ReadRecorder } from "@/node/services/hooks/settings/hookDefinitions";
import { findOwningCheckout } from "@/node/services/hooks/settings/findFiles";
import { readTrustRecord, type TrustStore } from "@/node/services/hooks/trust/trustRecord";
import {
  type GateFiles,
  type GatesTrust,
  gatesTrust,
} from "@/node/services/hooks/trust/trustDecisions";
import { skipsTrust } from "@/node/services/hooks/trust/trustVariable";
import { findTrustStore, trustedAs } from "@/node/services/hooks/trust/userTrust";
import type { UserPlace } from "@/wiring";

/** A configuration, and the files from which it was loaded. */
export interface FoundGates {
  readonly loaded: ConfigLoad;
  readonly files: GateFiles;
}

/** Reads the files of `.gauntlet/` in the folder `dir`. Runs nothing. */
export async function readGates(files: ConfigReads, dir: string): Promise<FoundGates> {
  const recorder = new ReadRecorder(files);
  const loaded = await loadGauntletConfig(recorder, dir);
  return { loaded, files: recorder.below(dir) };
}

/** Loads a configuration from its recorded files. */
export async function loadRecorded(files: GateFiles, dir: string): Promise<ConfigLoad> {
  return await loadGauntletConfig(recordedFiles(files, dir), dir);
}

export function areSame(a: GateFiles, b: GateFiles): boolean {
  return isDeepStrictEqual(a, b);
}

export interface ReadTrust extends GatesTrust {
  /** When the record began to cover gates. */
  readonly since?: string | undefined;
  readonly isRevoked?: boolean;
  /** The name of the main checkout in the record, whose trust counts as well. */
  readonly main?: string | undefined;
}

/** Returns the trust in the gates of `dir`, or in those of its main checkout if `dir` is in a linked worktree. */
export async function readTrust(
  store: TrustStore,
  runtime: HookRuntime,
  dir: string
): Promise<Result<ReadTrust, string>> {
  const read = await readTrustRecord(store);
  if (read.isErr()) return read.map(() => ({ sets: [], isRefused: false }));
  const main = await mainFolder(runtime, dir);
  const names = [dir, ...(main === undefined ? [] : [main])].map((at) => trustedAs(runtime, at));
  return read.map((record) => ({
    ...gatesTrust(record, names),
    since: record.gatesSince,
    main: names[1],
    isRevoked: names.some((name) => record.revoked?.includes(name) === true),
  }));
}

/** Returns the folder of the main checkout that corresponds to a folder of a linked worktree. */
async function mainFolder(runtime: HookRuntime, dir: string): Promise<string | undefined> {
  const tree = await findWorkingTree(runtime, dir);
  const main = tree && (await findOwningCheckout(runtime, tree.root));
  return main && posix.join(main, posix.relative(tree.root, dir));
}

/**
 * Returns whether the gates of the project ran before the record of trust began to cover gates. Compares the change
 * time of the start record, which no program can set back. This counts only once, and not after a revocation.
 */
export async function ranBefore(
  runtime: HookRuntime,
  dir: string,
  { since, isRevoked }: ReadTrust,
  now: Date
): Promise<boolean> {
  const gitDir = isRevoked === true ? undefined : await findGitDir(runtime, dir);
  if (gitDir === undefined) return false;
  const [stat] = await runtime.stat([posix.join(gitDir, START_REF)]);
  return stat?.kind === "file" && stat.ctimeMs < Date.parse(since ?? now.toISOString());
}

/** Returns why stops do not run the gates as the files define them, or undefined if they do. */
export async function whyNotAsInFiles(
  runtime: HookRuntime,
  dir: string,
  place: UserPlace
): Promise<string | undefined> {
  if (skipsTrust(place.env)) return undefined;
  const store = await findTrustStore(runtime, place);
  if (store === undefined) return messages.NO_RECORD;
  const trust = await readTrust(store, runtime, dir);
  if (trust.isErr()) return trust.error;
  const { sets, isRefused } = trust.value;
  if (isRefused) return messages.NEVER_TRUSTED;
  if (sets.length === 0) return messages.NOT_TRUSTED;
  const { files } = await readGates(runtime, dir);
  return sets.some((set) => areSame(set.files, files))
    ? undefined
    : ".gauntlet/ has changed since you trusted it, so stops run the gates as they were";
}
