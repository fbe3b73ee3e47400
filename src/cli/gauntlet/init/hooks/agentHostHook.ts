/** The gauntlet in the settings files of an agent host: finds it, installs it, or updates it (G29). */
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import type { HostHookEntry } from "@/cli/gauntlet/hosts/types";
import { HookCommands } from "@/cli/gauntlet/init/hooks/HookCommands";
import {
  Installation,
  placeOf,
  type InstalledHook,
  type Layer,
} from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace, InstallPlan, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import { isPortable } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import { findOverlap } from "@/cli/gauntlet/init/hooks/overlap";
import type { SettingsEdit } from "@/cli/settingsText";
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";
import * as messages from "@/cli/gauntlet/messages/hooks";

export async function planAgentHostHook(
  host: InstallableHost,
  place: InitPlace,
  options: PlanOptions = {}
): Promise<InstallPlan> {
  const { name, install } = host;
  const installation = await Installation.read(install, place);
  const { layers, stops, turns } = installation;
  const [first] = stops;
  const overlap = await findOverlap(host, place, options, first !== undefined);
  if (overlap?.coveredBy !== undefined) {
    return { installedAt: overlap.coveredBy, advice: overlap.advice, edits: ok([]) };
  }
  const commands = await HookCommands.find(place, options);
  const outdated = stops.find((hook) => commands.isOutdated(installation, hook));
  const scope = options.shared === true ? "shared" : "personal";
  const target =
    outdated?.layer ?? layers.find(({ file: { targetOf } }) => targetOf.includes(scope));
  const [own] = layers;
  if (target === undefined && own !== undefined) {
    return { edits: err(messages.notShareable(install.title, own.file.path)) };
  }
  const isOnlyForThisMachine = stops.every(
    ({ layer, written }) => layer.file.isShared && written && !isPortable(written.program)
  );
  if (commands.problem !== undefined && isOnlyForThisMachine) {
    return { edits: err(commands.problem) };
  }
  // If the stop hook is up to date, the user may have removed the turn-start hook on purpose.
  const added = [
    ...(first === undefined ? [install.stop] : []),
    ...(turns.length === 0 && (first === undefined || outdated !== undefined)
      ? [install.turnStart]
      : []),
  ];
  const isTeamWithout = options.shared === true && stops.every(({ layer }) => !layer.file.isShared);
  const advice = [
    first !== undefined && isTeamWithout ? messages.installedPersonally(name) : undefined,
    first === undefined || first === outdated || first.handler.command.includes("--verify")
      ? undefined
      : messages.NO_VERIFY,
    options.limit === undefined || first === undefined || first.written !== undefined
      ? undefined
      : messages.limitNotSet(placeOf(first), limitFields(install.stop, options.limit)),
    overlap?.advice,
  ].filter((text) => text !== undefined);
  return {
    ...definedOnly({
      installedAt: first && placeOf(first),
      advice: advice.length === 0 ? undefined : advice.join("\n"),
      nextStep: install.nextStep ?? (options.shared === true ? install.sharedNextStep : undefined),
    }),
    edits: ok([
      ...updates(installation, stops, commands),
      ...updates(installation, turns, commands),
      ...(target === undefined
        ? []
        : added.map((entry) => {
            const current = { program: outdated?.written?.program };
            const handler = commands.handlerOf(installation, entry, target, current);
            return addition(installation, target, entry, handler);
          })),
      ...(target === undefined || added.length === 0 ? [] : companion(installation, target)),
    ]),
  };
}

/** Returns what a user has to change for another time limit. */
function limitFields({ limit, withLimit }: HostHookEntry, seconds: number): string {
  const fields = withLimit?.(seconds).fields ?? {};
  const field = limit && `"${limit.field}": ${JSON.stringify(fields[limit.field])} and `;
  return `${field ?? ""}--limit ${seconds}`;
}

function updates(
  installation: Installation,
  found: readonly InstalledHook[],
  commands: HookCommands
): SettingsEdit[] {
  const outdated = found.filter((hook) => commands.isOutdated(installation, hook));
  const files = new Map(outdated.map((hook) => [hook.layer, hook.entry]));
  return [...files].map(([layer, entry]) => {
    const replace = (fields: JsonObject): JsonObject | undefined => {
      const written = installation.parseWritten(fields, entry);
      return written && commands.handlerOf(installation, entry, layer, written);
    };
    return {
      path: layer.file.path,
      isShared: layer.file.isShared,
      edit: (_, source) => ok(installation.syntax.replace(source, entry.event, replace)),
    };
  });
}

function addition(
  installation: Installation,
  layer: Layer,
  entry: HostHookEntry,
  handler: JsonObject
): SettingsEdit {
  return {
    path: layer.file.path,
    isShared: layer.file.isShared,
    edit: (file, source) => installation.syntax.add(file, source, entry.event, handler),
  };
}

/** Returns the edit that creates the second file of a host. A file that exists stays as it is. */
function companion({ install }: Installation, { file }: Layer): SettingsEdit[] {
  if (install.companion === undefined) return [];
  const { path, text } = install.companion;
  const target = posix.join(posix.dirname(file.path), path);
  const edit: SettingsEdit["edit"] = (_, source) => ok(source === "" ? text : source);
  return [{ path: target, isShared: file.isShared, edit }];
}
