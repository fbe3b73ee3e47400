import { repository } from "@test/helpers/built";
import { childScript } from "@test/helpers/process/childScript";
import { execFileAsync } from "@test/helpers/process/processes";

/**
 * Runs a program of `children/` in a Node of its own, for what only a whole process shows: its peak memory, what keeps
 * it alive, what it leaves behind. Answers what it prints, as JSON.
 *
 * @param limits a shell line such as `ulimit -f 512`, in force for that process alone
 */
export async function runInFreshNode(
  name: string,
  args: readonly string[] = [],
  limits = "true"
): Promise<unknown> {
  const node = [process.execPath, await childScript(name), ...args];
  const { stdout } = await execFileAsync("sh", ["-c", `${limits} && exec "$@"`, "sh", ...node], {
    cwd: repository,
  });
  return JSON.parse(stdout);
}
