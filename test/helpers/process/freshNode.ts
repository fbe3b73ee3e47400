import { repository } from "@test/helpers/built";
import { childScript } from "@test/helpers/process/childScript";
import { execFileAsync } from "@test/helpers/process/processes";

/**
 * Runs a program of `children/` in a new Node process, to observe its peak memory, what keeps it alive and what it
 * leaves behind. Returns its output, parsed as JSON.
 *
 * @param limits a shell line such as `ulimit -f 512`, which applies only to that process
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
