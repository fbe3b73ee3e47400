/** Lists process groups and sessions, independent of the parents of their members. */
import { execFileAsync } from "@test/helpers/process/processes";

/** Lists the living processes of a session, which includes all groups that a hook's programs created in it. */
export async function livingInSession(leader: number): Promise<string[]> {
  const { stdout } = await execFileAsync("ps", ["-A", "-o", "sess=,pid=,stat=,args="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([session, , state]) => session === String(leader) && !state?.startsWith("Z"))
    .map(([, pid, , ...args]) => `${pid ?? ""} ${args.join(" ")}`);
}
