/** The gates of a project in its files and in the record of trust (G24a). */
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import {
  findMainProject,
  gatesTrust,
  ReadRecorder,
  readTrustRecord,
  recordedFiles,
  type GateFiles,
  type GatesTrust,
  type TrustStore,
} from "@/node/services/hooks/index";
import { trustedAs } from "@/wiring";

export interface FoundGates {
  readonly loaded: ConfigLoad;
  readonly files: GateFiles;
}

const MAX_LINK_BYTES = 4_096;

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

/** Returns the trust in the gates of `dir`, or in those of its main checkout if `dir` is in a linked worktree. */
export async function readTrust(
  store: TrustStore,
  runtime: HookRuntime,
  dir: string
): Promise<Result<GatesTrust & { readonly since?: string | undefined }, string>> {
  const read = await readTrustRecord(store);
  if (read.isErr()) return read.map(() => ({ sets: [], isRefused: false }));
  const main = await mainFolder(runtime, dir);
  const names = [dir, ...(main === undefined ? [] : [main])].map((at) => trustedAs(runtime, at));
  return read.map((record) => ({ ...gatesTrust(record, names), since: record.gatesSince }));
}

/**
 * Returns the folder of the main checkout that a folder of a linked worktree stands for. The repository must name the
 * worktree too: a `.git` file alone could claim the trust of any project.
 */
async function mainFolder(runtime: HookRuntime, dir: string): Promise<string | undefined> {
  const root = await checkoutRoot(runtime, dir);
  const main = root === undefined ? undefined : await findMainProject(runtime, root);
  const gitDir = main === undefined ? undefined : await findGitDir(runtime, dir);
  if (root === undefined || main === undefined || gitDir === undefined) return undefined;
  const link = await runtime.readFile(posix.join(gitDir, "gitdir"), { maxBytes: MAX_LINK_BYTES });
  const named = link.map((bytes) => new TextDecoder().decode(bytes).trimEnd()).unwrapOr("");
  const isNamed = posix.resolve(gitDir, named) === posix.join(root, ".git");
  return isNamed ? posix.join(main, posix.relative(root, dir)) : undefined;
}

async function checkoutRoot(runtime: HookRuntime, dir: string): Promise<string | undefined> {
  const [stat] = await runtime.stat([posix.join(dir, ".git")]);
  if (stat?.kind !== "missing") return dir;
  const parent = posix.dirname(dir);
  return parent === dir ? undefined : await checkoutRoot(runtime, parent);
}
