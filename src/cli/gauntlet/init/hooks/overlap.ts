/** Hosts that also run the hooks of another one: with a hook of its own, the gates would run twice (G29). */
import { posix } from "node:path";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { Installation } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import { ownCommand } from "@/common/ownCommand";

export interface Overlap {
  /** The place of the other host's hook, if this host needs none of its own. */
  readonly coveredBy?: string;
  readonly advice: string;
}

/** @param isInstalled whether the host has a hook of its own */
export async function findOverlap(
  host: HookHost,
  place: InitPlace,
  options: PlanOptions,
  isInstalled: boolean
): Promise<Overlap | undefined> {
  for (const other of AGENT_HOSTS) {
    if (host.install.alsoRuns?.includes(other) === true) {
      const coveredBy = await findInProject(other, place, options);
      if (coveredBy === undefined) continue;
      if (isInstalled) return { advice: twice(host, other) };
      const advice = `${host.install.title} also runs the Stop hook of ${other.install.title} in this project, so it needs none of its own.`;
      return { coveredBy, advice };
    }
    if (other.install.alsoRuns?.includes(host) !== true) continue;
    const { stops } = await Installation.read(other, place);
    if (stops.length > 0) return { advice: twice(other, host) };
  }
  return undefined;
}

function twice({ name, install: { title } }: HookHost, { install: other }: HookHost): string {
  return `${title} runs both its own hook and the hook of ${other.title}, so the gates run twice; to remove the hook of ${title}, run "${ownCommand()} uninstall --hook ${name}".`;
}

/** Returns the place of a host's hook in the files of the project, now or after the same call of `init`. */
async function findInProject(
  host: HookHost,
  place: InitPlace,
  { hosts = [], shared }: PlanOptions
): Promise<string | undefined> {
  const isInProject = (path: string): boolean => path.startsWith(`${place.projectDir}/`);
  const { layers, stops } = await Installation.read(host, place);
  const found = stops.find(({ layer }) => isInProject(layer.file.path));
  if (found !== undefined) return found.at;
  const scope = shared === true ? "shared" : "personal";
  const target = layers.find(({ file }) => file.targetOf.includes(scope))?.file.path;
  return hosts.includes(host.name) && target !== undefined && isInProject(target)
    ? posix.normalize(target)
    : undefined;
}
