/**
 * Finds the folder for the logs and the state of a project's runs, which is in the git folder or, with reviews, in the
 * project unless the configuration sets it, and moves the state to it (G15).
 */
import { posix } from "node:path";
import { sha256 } from "@/common/hash";
import { uniqueName } from "@/common/randomName";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { DEFAULT_LOG_DIR } from "@/node/services/gauntlet/config/configPaths";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";
import {
  findWorkingTree,
  type GitReads,
  turnPath,
} from "@/node/services/gauntlet/turn/readGitFolder";

export type LogConfig = Pick<GauntletConfig, "logDir" | "entryPoints">;

/** The two default folders of a project in a repository. All paths are absolute. */
interface Defaults {
  readonly wanted: string;
  /** Where an earlier version or an earlier configuration has the state. */
  readonly other: string;
  readonly gitDir: string;
}

/** Returns the folder that has the state of the project, or else the one that the next run creates. Writes nothing. */
export async function logDirOf(
  files: GitReads,
  projectDir: string,
  config: LogConfig
): Promise<string> {
  const places = await placesOf(files, projectDir, config);
  if (typeof places === "string") return places;
  return (await isInOther(files, places)) ? places.other : places.wanted;
}

/** Returns the folder for a run. Moves the state of the other default there, unless a run uses it. */
export async function openLogDir(
  runtime: HookRuntime,
  projectDir: string,
  config: LogConfig
): Promise<string> {
  const places = await placesOf(runtime, projectDir, config);
  if (typeof places === "string") return places;
  const { wanted, other, gitDir } = places;
  if (wanted.startsWith(turnPath(gitDir))) {
    const probe = turnPath(gitDir, `.${uniqueName()}`);
    const created = await runtime.createFile(probe, "");
    if (created.isErr()) return posix.join(projectDir, DEFAULT_LOG_DIR);
    await runtime.remove(probe);
  }
  if (!(await isInOther(runtime, places))) return wanted;
  const identity = await currentProcess(runtime.host);
  const lock = await inspectLock(runtime, other, identity, new Date());
  if (lock.kind === "held" || (await runtime.rename(other, wanted)).isOk()) {
    return lock.kind === "held" ? other : wanted;
  }
  // A folder that has no state yet, or one on another file system. The state is last: it completes the move.
  for (const name of [runFiles.CHECK_CACHE_FILE, runFiles.SESSION_REF_FILE, runFiles.STATE_FILE]) {
    await runFiles.copy(runtime, posix.join(other, name), posix.join(wanted, name));
  }
  const [stat] = await runtime.stat([posix.join(wanted, runFiles.STATE_FILE)]);
  if (stat?.kind !== "file") return other;
  await runtime.remove(other);
  return wanted;
}

/** Returns whether a folder that {@link logDirOf} returned is in the project, where git must ignore it (G20). */
export function isInProject(projectDir: string, logDir: string): boolean {
  return !/^\.(?:\.|git)(?:\/|$)/.test(posix.relative(projectDir, logDir));
}

async function placesOf(
  files: GitReads,
  projectDir: string,
  { logDir, entryPoints }: LogConfig
): Promise<string | Defaults> {
  if (logDir !== undefined) return posix.join(projectDir, logDir);
  const inProject = posix.join(projectDir, DEFAULT_LOG_DIR);
  const tree = await findWorkingTree(files, projectDir);
  if (tree === undefined) return inProject;
  const { root, gitDir } = tree;
  const prefix = posix.relative(root, projectDir);
  const inGit = turnPath(gitDir, prefix === "" ? "logs" : `logs-${sha256(prefix, 12)}`);
  // Agents edit the JSON of a review, and the sandbox of some cannot write to the git folder.
  const hasReviews = entryPoints.some(({ gates }) => gates.some(({ kind }) => kind === "review"));
  return hasReviews
    ? { wanted: inProject, other: inGit, gitDir }
    : { wanted: inGit, other: inProject, gitDir };
}

async function isInOther(files: GitReads, { wanted, other }: Defaults): Promise<boolean> {
  const [here, there] = await files.stat(
    [wanted, other].map((dir) => posix.join(dir, runFiles.STATE_FILE))
  );
  return here?.kind === "missing" && there?.kind === "file";
}
