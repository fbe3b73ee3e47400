/** The gauntlet in the settings files of an agent host: finds it, installs it, or updates it (G29). */
import { isDeepStrictEqual } from "node:util";
import { ok } from "neverthrow";
import type { HostHookEntry, HookInstallation } from "@/cli/gauntlet/agentHosts/types";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { findHookProgram, HOOK_COMMAND, PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { readSettingsText, type SettingsEdit } from "@/cli/gauntlet/init/hooks/settingsText";
import { addHook, listHandlers, replaceCommands, runsGauntlet } from "@/node/services/hooks/index";
import type { FileHandler } from "@/node/services/hooks/index";
import { NO_VERIFY } from "@/cli/gauntlet/messages/init";

interface Layer {
  readonly path: string;
  /** Empty if the file does not exist or cannot be read. */
  readonly source: string;
  /** The words that start the gauntlet in a command of this file. */
  readonly program: string;
}

interface Found {
  readonly layer: Layer;
  readonly handler: FileHandler;
  /** Whether an earlier `init` wrote it and it differs from what is written now. */
  readonly isOutdated: boolean;
}

export async function planAgentHostHook(
  install: HookInstallation,
  place: InitPlace
): Promise<InstallPlan> {
  const layers = await readLayers(install, place);
  const stops = find(layers, install.stop);
  const turns = find(layers, install.turnStart);
  const [first] = stops;
  const outdated = stops.find(({ isOutdated }) => isOutdated);
  const target = outdated?.layer ?? layers.at(-1);
  // If the stop hook is up to date, the user may have removed the turn-start hook on purpose.
  const added = [
    ...(first === undefined ? [install.stop] : []),
    ...(turns.length === 0 && (first === undefined || outdated !== undefined)
      ? [install.turnStart]
      : []),
  ];
  const edits = [
    ...updates(stops, install.stop),
    ...updates(turns, install.turnStart),
    ...(target === undefined ? [] : added.map((entry) => addition(target, entry))),
  ];
  return {
    ...(first === undefined ? {} : { installedAt: `${first.layer.path}:${first.handler.line}` }),
    ...(first === undefined || first.isOutdated || first.handler.command.includes("--verify")
      ? {}
      : { advice: NO_VERIFY }),
    edits: ok(edits),
  };
}

async function readLayers(install: HookInstallation, place: InitPlace): Promise<Layer[]> {
  const { home, projectDir, runtime } = place;
  const program = await findHookProgram(place);
  return await Promise.all(
    install.files(home, projectDir).map(async ({ path, isShared }): Promise<Layer> => {
      const text = await readSettingsText(runtime, path);
      const source = text.unwrapOr(undefined) ?? "";
      return { path, source, program: isShared ? PROGRAM_NAME : program };
    })
  );
}

function find(layers: readonly Layer[], entry: HostHookEntry): Found[] {
  const [subcommand] = entry.args.split(" ");
  return layers.flatMap((layer) =>
    listHandlers(layer.source, entry.event)
      .filter(({ fields, command }) => {
        return fields.type === "command" && runsGauntlet({ type: "command", command }, subcommand);
      })
      .map((handler) => ({ layer, handler, isOutdated: isOutdated(handler, entry, layer) }))
  );
}

function isOutdated({ command, fields }: FileHandler, entry: HostHookEntry, layer: Layer): boolean {
  const [, args = ""] = HOOK_COMMAND.exec(command) ?? [];
  const isOurs =
    [entry.args, ...entry.earlierArgs].includes(args) &&
    isDeepStrictEqual({ ...fields }, entry.handler(command));
  return isOurs && command !== commandOf(entry, layer);
}

function updates(found: readonly Found[], entry: HostHookEntry): SettingsEdit[] {
  const layers = new Set(found.filter((one) => one.isOutdated).map(({ layer }) => layer));
  return [...layers].map((layer) => ({
    path: layer.path,
    edit: (_, source) =>
      ok(
        replaceCommands(source, entry.event, (handler) =>
          isOutdated(handler, entry, layer) ? commandOf(entry, layer) : undefined
        )
      ),
  }));
}

function addition(layer: Layer, entry: HostHookEntry): SettingsEdit {
  const handler = entry.handler(commandOf(entry, layer));
  return {
    path: layer.path,
    edit: (file, source) => addHook(file, source, entry.event, handler),
  };
}

function commandOf({ args }: HostHookEntry, { program }: Layer): string {
  return `${program} ${args}`;
}
