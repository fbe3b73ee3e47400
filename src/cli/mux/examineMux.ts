/** Examines the Mux of this machine, and the hooks of a project in it, for both forms of `doctor`. */
import type { CliPlace } from "@/cli/context";
import { examineHost, examineRunning, type HostExamination } from "@/cli/mux/examineHost";
import { examineProject } from "@/cli/mux/examineProject";
import { findRunningHosts, type RunningHosts } from "@/cli/mux/runningHosts";
import { pathOutside } from "@/cli/ownCommands";
import { terminalText } from "@/common/text";
import type { HostStatus } from "@/host/StatusFile";

export interface MuxExamination {
  readonly host: HostExamination;
  /** Whether a Mux is on this machine, or was named. */
  readonly isFound: boolean;
  /** A line for each running host with hooks. */
  readonly running: readonly string[];
  readonly project: Awaited<ReturnType<typeof examineProject>>;
  readonly problems: readonly string[];
}

/** @param named the value of `--mux` */
export async function examineMux(
  projectDir: string,
  named: string | undefined,
  { cwd, env, home }: CliPlace
): Promise<MuxExamination> {
  // A clone may have programs named `mux`, `node` or `ps`, which must not run before the user trusts it (H31).
  const outside = { cwd, env: { ...env, PATH: pathOutside(projectDir, { env, home }) }, home };
  const running = await findRunningHosts(outside);
  const installed = await examineHost(named, outside);
  const [attached] = running.attached;
  const isInstalled = installed.place !== "" || named !== undefined;
  const host = isInstalled || attached === undefined ? installed : examineRunning(attached);
  const project = await examineProject(projectDir, host.build, { env, home });
  return {
    host,
    isFound: isInstalled || attached !== undefined,
    running: running.attached.map(describeRunning),
    project,
    problems: [...host.problems, ...project.problems, ...problemsOf(running)],
  };
}

function describeRunning({ pid, startedAt, host, plugin, seams }: HostStatus): string {
  const off = Object.entries(seams).filter(([, state]) => state !== "attached");
  const lack = off.map(([name, state]) => `; ${name}: ${state}`).join("");
  return terminalText(
    `process ${pid} since ${startedAt}: version ${host.version}, with mux-stop-hooks ${plugin}${lack}`
  );
}

/** Reports a running Mux without hooks, because Mux refuses to start a second server. */
function problemsOf({ attached, lock }: RunningHosts): string[] {
  if (lock === undefined || attached.some(({ pid }) => pid === lock.pid)) return [];
  const name = lock.command === "" ? "" : ` (${lock.command})`;
  return [
    terminalText(
      `a Mux without hooks is running as process ${lock.pid}${name} and holds the server lock; quit it (the desktop app too) before you start one with hooks`
    ),
  ];
}
