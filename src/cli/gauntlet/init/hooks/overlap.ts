/** Hosts that also run the hooks of another one: with a hook of its own, the gates would run twice (G29). */
import { posix } from "node:path";
import { Installation, placeOf } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import { INSTALLABLE_HOSTS, type InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import * as messages from "@/cli/gauntlet/messages/hooks";

export interface Overlap {
  /** The place of the other host's hook, if this host needs none of its own. */
  readonly coveredBy?: string;
  readonly advice: string;
}

/** @param isInstalled whether the host has a hook of its own */
export async function findOverlap(
  host: InstallableHost,
  place: InitPlace,
  options: PlanOptions,
  isInstalled: boolean
): Promise<Overlap | undefined> {
  for (const other of INSTALLABLE_HOSTS) {
    if (host.install.alsoRuns?.includes(other) === true) {
      const coveredBy = await findInProject(other, place, options);
      if (coveredBy === undefined) continue;
      return isInstalled
        ? { advice: twice(host, other) }
        : { coveredBy, advice: messages.runsOther(host.install.title, other.install.title) };
    }
    if (other.install.alsoRuns?.includes(host) === true) {
      if (await isInstalledAnywhere(other, place)) return { advice: twice(other, host) };
    }
  }
  return undefined;
}

function twice({ name, install }: InstallableHost, other: InstallableHost): string {
  return messages.runsBoth(install.title, name, other.install.title);
}

async function isInstalledAnywhere(
  { install }: InstallableHost,
  place: InitPlace
): Promise<boolean> {
  return (await Installation.read(install, place)).stops.length > 0;
}

/** Returns the place of a host's hook in the files of the project, now or after the same call of `init`. */
async function findInProject(
  { name, install }: InstallableHost,
  place: InitPlace,
  { hosts = [], shared }: PlanOptions
): Promise<string | undefined> {
  const isInProject = (path: string): boolean => path.startsWith(`${place.projectDir}/`);
  const { layers, stops } = await Installation.read(install, place);
  const found = stops.find(({ layer }) => isInProject(layer.file.path));
  if (found !== undefined) return placeOf(found);
  const scope = shared === true ? "shared" : "personal";
  const target = layers.find(({ file }) => file.targetOf.includes(scope))?.file.path;
  return hosts.includes(name) && target !== undefined && isInProject(target)
    ? posix.normalize(target)
    : undefined;
}
