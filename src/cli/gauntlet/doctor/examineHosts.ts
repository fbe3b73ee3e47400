/** Examines the hooks of all agent hosts. */
import { examineAgentHost } from "@/cli/gauntlet/doctor/examineAgentHost";
import { examineMux } from "@/cli/gauntlet/hosts/mux/examine";
import { examineOpencode } from "@/cli/gauntlet/hosts/opencode/examine";
import { ProgramTrials } from "@/cli/gauntlet/doctor/ProgramTrials";
import { info, problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import { HOOK_HOSTS, type HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { INSTALLABLE_HOSTS } from "@/cli/gauntlet/init/hooks/installable";
import * as messages from "@/cli/gauntlet/messages/doctor";

export async function examineHosts(place: InitPlace): Promise<HostReport[]> {
  const trials = new ProgramTrials(place);
  const reports = await Promise.all(HOOK_HOSTS.map((host) => examine(host, place, trials)));
  const isAnyInstalled = reports.some(({ isInstalled }) => isInstalled);
  return await Promise.all(
    reports.map(async (report) => ({
      ...report,
      findings: [...report.findings, ...(await missingHook(report, isAnyInstalled, place))],
    }))
  );
}

async function examine(
  host: HookHost,
  place: InitPlace,
  trials: ProgramTrials
): Promise<HostReport> {
  const installable = INSTALLABLE_HOSTS.find(({ name }) => name === host.name);
  if (installable !== undefined) return await examineAgentHost(host, installable, place, trials);
  return host.name === "mux" ? await examineMux(host, place) : await examineOpencode(host, place);
}

/**
 * Reports that a host has no hook. This is a problem if the project has settings of the host, or if no host has a hook:
 * a user with several hosts need not use all of them in every project.
 */
async function missingHook(
  { host, isFound, isInstalled, findings }: HostReport,
  isAnyInstalled: boolean,
  place: InitPlace
): Promise<Finding[]> {
  if (isInstalled || !isFound || findings.some(({ kind }) => kind === "good")) return [];
  // Mux runs the gauntlet without a hook in a file.
  if (host.name === "mux") return [];
  // The hook may be in the file that cannot be read.
  if (findings.some(({ kind }) => kind === "problem")) return [info(messages.NO_HOOK_ELSEWHERE)];
  const { hasFolder } = await host.find(place);
  return hasFolder || !isAnyInstalled
    ? [problem(messages.NO_HOOK, messages.installHook(host.name))]
    : [info(messages.optionalHook(host.name))];
}
