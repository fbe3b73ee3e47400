/** Looking at process groups and sessions, whoever their members are by now. */
import { execFileAsync } from "@test/helpers/process/processes";

/** The living of a session, so of every group that a hook's programs made without leaving it. */
export async function livingInSession(leader: number): Promise<string[]> {
  const { stdout } = await execFileAsync("ps", ["-A", "-o", "sess=,pid=,stat=,args="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([session, , state]) => session === String(leader) && !state?.startsWith("Z"))
    .map(([, pid, , ...args]) => `${pid ?? ""} ${args.join(" ")}`);
}
