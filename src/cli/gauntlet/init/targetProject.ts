/**
 * Finds the project that `init`, `uninstall` and `doctor` work on, and combines it with the environment of the call
 * (G24).
 */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { withParents } from "@/cli/findOwnCommand";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { createRuntime } from "@/wiring";

/** A project on this machine, and the environment of the call. */
export interface InitPlace {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly home: string;
  /** The file that this process was started with, absolute. */
  readonly program: string;
}

/**
 * Returns the project that a command would find from the current folder (G24). Without one, returns the root of the
 * repository, so that the project is found from all its folders; outside a repository, the folder itself.
 */
export async function findInitPlace({ cwd, env, home, program }: CliContext): Promise<InitPlace> {
  const runtime = createRuntime(env);
  const folders = withParents(cwd);
  const stats = await runtime.stat(folders.map((folder) => posix.join(folder, ".git")));
  const root = folders.find((_, i) => stats[i]?.kind !== "missing");
  // A home folder under version control is not a project that contains all others.
  const own = root === undefined || root === home ? cwd : root;
  const projectDir = (await findGauntletProject(runtime, cwd)) ?? own;
  return { runtime, projectDir, env, home, program };
}
