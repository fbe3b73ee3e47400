/** Returns whether git tracks a file. */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";

/**
 * Returns whether git tracks a file. If git cannot be run, returns false.
 *
 * @param file relative to `cwd`, which is absolute
 */
export async function isTracked(runtime: HookRuntime, cwd: string, file: string): Promise<boolean> {
  const args = ["ls-files", "-z", "--", `:(literal)${file}`];
  const tracked = await execGit(runtime, { cwd, args, mayBeCut: true });
  return tracked.isOk() && tracked.value.stdout !== "";
}
