/** Examines the hook of an agent host with settings files. */
import { codexHost } from "@/cli/gauntlet/hosts/codex/index";
import type { HookInstallation } from "@/cli/gauntlet/hosts/types";
import { examineCodexTrust } from "@/cli/gauntlet/hosts/codex/examineTrust";
import { examinePrograms } from "@/cli/gauntlet/doctor/hookPrograms";
import { nameIn } from "@/cli/gauntlet/doctor/names";
import type { ProgramTrials } from "@/cli/gauntlet/doctor/ProgramTrials";
import { good, info, problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import {
  Installation,
  placeOf,
  type InstalledHook,
  type Layer,
} from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import type { HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import type { InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import { findOverlap } from "@/cli/gauntlet/init/hooks/overlap";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import { formatDiagnostic } from "@/common/diagnostics";
import * as messages from "@/cli/gauntlet/messages/doctor";

export async function examineAgentHost(
  host: HookHost,
  installable: InstallableHost,
  place: InitPlace,
  trials: ProgramTrials
): Promise<HostReport> {
  const { install } = installable;
  const { found: isFound } = await host.find(place);
  const { layers, stops, turns, syntax } = await Installation.read(install, place);
  const isInstalled = stops.length > 0;
  const { findings, repairs } = await examinePrograms(host, { stops, turns }, place, trials);
  return {
    host,
    isFound,
    isInstalled,
    findings: [
      ...layers.flatMap((layer) => brokenFile(layer, syntax, place)),
      ...stops.map((hook) => installedAt(hook, place)),
      ...(stops.length > 1
        ? [problem(messages.hookTwice(stops.length), messages.keepOne(host.name))]
        : []),
      ...(await sharedHook(installable, place, isInstalled)),
      ...findings,
      ...stops.flatMap((hook) => shortLimit(hook, install, place)),
      ...(isInstalled && installable === codexHost
        ? await examineCodexTrust([...stops, ...turns], place)
        : []),
      ...(isInstalled && !isFound ? [info(messages.hostMissing(host.title))] : []),
    ],
    repairs,
  };
}

/** Reports a file that the host cannot read, because its hooks do not run then. */
function brokenFile(
  { file, source, problem: unread }: Layer,
  syntax: HookSyntax,
  place: InitPlace
): Finding[] {
  if (unread !== undefined) return [problem(unread, messages.FIX_FILE)];
  if (file.isToml === true || source.trim() === "") return [];
  const diagnostic = syntax.check(nameIn(place, file.path), source);
  return diagnostic === undefined ? [] : [problem(formatDiagnostic(diagnostic), messages.FIX_FILE)];
}

function installedAt(hook: InstalledHook, place: InitPlace): Finding {
  const { isShared, targetOf } = hook.layer.file;
  const name = nameIn(place, placeOf(hook));
  const isForTeam = isShared && !targetOf.includes("personal");
  return good(isForTeam ? messages.hookForTeam(name) : messages.hookForUser(name));
}

/** Reports a hook that its host ends before the run does, so that a longer stop is not verified (G27c). */
function shortLimit(hook: InstalledHook, { stop }: HookInstallation, place: InitPlace): Finding[] {
  const { limit } = stop;
  const { command, fields } = hook.handler;
  const [, args = ""] = /\bstop-hook\b(.*)/s.exec(command) ?? [];
  if (limit === undefined || hook.layer.file.isToml === true) return [];
  const given = fields[limit.field] ?? limit.defaultS * limit.perSecond;
  if (typeof given !== "number") return [];
  const { perSecond, millisecondsFrom = Infinity } = limit;
  const hostS = given / (given >= millisecondsFrom ? 1_000 : perSecond);
  const { limitS } = parseStopOptions(args.trim().split(/\s+/));
  if (hostS >= limitS) return [];
  const name = nameIn(place, placeOf(hook));
  const wanted = limitS * (limitS >= millisecondsFrom ? 1_000 : perSecond);
  const next = messages.raiseLimit(`"${limit.field}": ${wanted}`, hostS);
  return [problem(messages.limitTooShort(name, hostS, limitS), next)];
}

/** Examines whether the host runs the hook of another one, instead of its own or as well. */
async function sharedHook(
  host: InstallableHost,
  place: InitPlace,
  isInstalled: boolean
): Promise<Finding[]> {
  const [other] = host.install.alsoRuns ?? [];
  const overlap = other && (await findOverlap(host, place, {}, isInstalled));
  if (overlap === undefined) return [];
  if (overlap.coveredBy === undefined) return [problem(overlap.advice)];
  const title = other?.install?.title ?? "";
  return [good(messages.hookOfOther(title, nameIn(place, overlap.coveredBy)))];
}
