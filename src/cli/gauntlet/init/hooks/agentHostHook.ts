/** The gauntlet in the settings files of an agent host: finds it, installs it, or updates it (G29). */
import { err, ok } from "neverthrow";
import type { HostHookEntry } from "@/cli/gauntlet/agentHosts/types";
import { HookCommands } from "@/cli/gauntlet/init/hooks/HookCommands";
import {
  findHooks,
  formatOf,
  parseWritten,
  placeOf,
  readLayers,
  type Layer,
  type LayerHook,
} from "@/cli/gauntlet/init/hooks/hookLayers";
import type { InitPlace, InstallPlan, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import { isPortable } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import { findOverlap } from "@/cli/gauntlet/init/hooks/overlap";
import type { SettingsEdit } from "@/cli/settingsText";
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";
import { addHook, replaceFields, type HookFormat } from "@/node/services/hooks/index";
import * as messages from "@/cli/gauntlet/messages/hooks";

export async function planAgentHostHook(
  host: InstallableHost,
  place: InitPlace,
  options: PlanOptions = {}
): Promise<InstallPlan> {
  const { name, install } = host;
  const format = formatOf(install);
  const layers = await readLayers(install, place);
  const stops = findHooks(layers, install.stop, format);
  const [first] = stops;
  const overlap = await findOverlap(host, place, options, first !== undefined);
  if (overlap?.coveredBy !== undefined) {
    return { installedAt: overlap.coveredBy, advice: overlap.advice, edits: ok([]) };
  }
  const commands = await HookCommands.find(place, options);
  const turns = findHooks(layers, install.turnStart, format);
  const outdated = stops.find((hook) => commands.isOutdated(install.stop, hook));
  const scope = options.shared === true ? "shared" : "personal";
  const target =
    outdated?.layer ?? layers.find(({ file: { targetOf } }) => targetOf.includes(scope));
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
      ...updates(stops, install.stop, commands, format),
      ...updates(turns, install.turnStart, commands, format),
      ...(target === undefined
        ? []
        : added.map((entry) =>
            addition(target, entry, commands, format, outdated?.written?.program)
          )),
    ]),
  };
}

/** Returns what a user has to change for another time limit. */
function limitFields({ limit, withLimit }: HostHookEntry, seconds: number): string {
  const fields = withLimit?.(seconds).handler("") ?? {};
  const field = limit && `"${limit.field}": ${JSON.stringify(fields[limit.field])} and `;
  return `${field ?? ""}--limit ${seconds}`;
}

function updates(
  found: readonly LayerHook[],
  entry: HostHookEntry,
  commands: HookCommands,
  format: HookFormat
): SettingsEdit[] {
  const outdated = found.filter((hook) => commands.isOutdated(entry, hook));
  return [...new Set(outdated.map(({ layer }) => layer))].map((layer) => {
    const replace = (fields: JsonObject): JsonObject | undefined => {
      const written = parseWritten(fields, entry, format);
      return written && commands.handlerOf(entry, layer, written);
    };
    return {
      path: layer.file.path,
      isShared: layer.file.isShared,
      edit: (_, source) => ok(replaceFields(source, entry.event, replace, format)),
    };
  });
}

function addition(
  layer: Layer,
  entry: HostHookEntry,
  commands: HookCommands,
  format: HookFormat,
  current?: string
): SettingsEdit {
  const handler = commands.handlerOf(entry, layer, { program: current });
  return {
    path: layer.file.path,
    isShared: layer.file.isShared,
    edit: (file, source) => addHook(file, source, entry.event, handler, format),
  };
}
