import { fileURLToPath } from "node:url";
import { execFileAsync } from "@test/helpers/processes";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs a TypeScript file in a Node of its own, for what only a whole process shows: its peak memory, what keeps it
 * alive, what it leaves behind. Answers what it prints, as JSON.
 *
 * @param limits a shell line such as `ulimit -f 512`, in force for that process alone
 */
export async function runInFreshNode(
  script: URL,
  args: readonly string[] = [],
  limits = "true"
): Promise<unknown> {
  const node = [process.execPath, "--import", "tsx", fileURLToPath(script), ...args];
  const { stdout } = await execFileAsync("sh", ["-c", `${limits} && exec "$@"`, "sh", ...node], {
    cwd: root,
  });
  return JSON.parse(stdout);
}
