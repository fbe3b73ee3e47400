/** The settings files of an agent host, and the hooks of the gauntlet in them (G29). */
import { isDeepStrictEqual } from "node:util";
import { posix } from "node:path";
import type { HookInstallation, HostFile, HostHookEntry } from "@/cli/gauntlet/agentHosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { parseHookCommand, type HookCommand } from "@/cli/gauntlet/init/hooks/hookProgram";
import { readSettingsText } from "@/cli/settingsText";
import type { JsonObject } from "@/common/json";
import {
  GROUPED_HOOKS,
  listHandlers,
  runsGauntlet,
  type FileHandler,
  type HookFormat,
} from "@/node/services/hooks/index";

/** The number of files that are read in a folder of hooks. */
const MAX_FILES_IN_FOLDER = 100;
/** The part of a line of TOML in which a hook is found. */
const MAX_LINE_CHARS = 4_096;

export interface Layer {
  readonly file: HostFile;
  /** Empty if the file does not exist or cannot be read. */
  readonly source: string;
  /** Why an existing file cannot be read. */
  readonly problem?: string;
}

export interface LayerHook {
  readonly layer: Layer;
  readonly handler: FileHandler;
  /** Absent if `init` did not write it in this form. */
  readonly written?: WrittenHook;
}

/** A handler that `init` wrote. */
export interface WrittenHook extends HookCommand {
  /** In the form of its time limit. */
  readonly entry: HostHookEntry;
}

export function formatOf({ format = GROUPED_HOOKS }: HookInstallation): HookFormat {
  return format;
}

export async function readLayers(install: HookInstallation, place: InitPlace): Promise<Layer[]> {
  const files = await listFiles(install, place);
  return await Promise.all(
    files.map(async (file): Promise<Layer> => {
      const text = await readSettingsText(place.runtime, file.path);
      return text.match(
        (source = "") => ({ file, source }),
        (problem) => ({ file, source: "", problem })
      );
    })
  );
}

/** Returns every hook that runs the subcommand of the entry, by any path or package runner. */
export function findHooks(
  layers: readonly Layer[],
  entry: HostHookEntry,
  format: HookFormat
): LayerHook[] {
  const [subcommand] = entry.args.split(" ");
  return layers.flatMap((layer) => {
    if (layer.file.isToml === true) return findInToml(layer, subcommand ?? "");
    return listHandlers(layer.source, entry.event, format)
      .filter(
        ({ fields, command }) =>
          fields.type === "command" && runsGauntlet({ type: "command", command }, subcommand)
      )
      .map((handler) => {
        const written = parseWritten(handler.fields, entry, format);
        return { layer, handler, ...(written && { written }) };
      });
  });
}

/** Finds commands line by line. A hook that is missed is installed twice, which the gauntlet's lock makes harmless. */
function findInToml(layer: Layer, subcommand: string): LayerHook[] {
  const pattern = /^[^#\n]*\bcommand\s*=\s*(["'].*agent-gauntlet.*)$/;
  return layer.source.split("\n").flatMap((text, i) => {
    const [, command] = pattern.exec(text.slice(0, MAX_LINE_CHARS)) ?? [];
    if (command?.includes(` ${subcommand}`) !== true) return [];
    return [{ layer, handler: { line: i + 1, command, fields: {} } }];
  });
}

/** Returns the command of a handler that `init` wrote, now or earlier, and that was not edited since. */
export function parseWritten(
  fields: JsonObject,
  entry: HostHookEntry,
  { commandKey }: HookFormat
): WrittenHook | undefined {
  const command = fields[commandKey];
  if (typeof command !== "string") return undefined;
  const parsed = parseHookCommand(command);
  const [, limit] = / --limit ([1-9]\d{0,4})$/.exec(parsed?.args ?? "") ?? [];
  const own = (limit === undefined ? undefined : entry.withLimit?.(Number(limit))) ?? entry;
  if (parsed === undefined || ![own.args, ...entry.earlierArgs].includes(parsed.args)) {
    return undefined;
  }
  const isOwn = isDeepStrictEqual({ ...fields }, own.handler(command));
  return isOwn ? { ...parsed, entry: own } : undefined;
}

/** Returns `file:line`. */
export function placeOf({ layer, handler }: LayerHook): string {
  return `${layer.file.path}:${handler.line}`;
}

async function listFiles(install: HookInstallation, place: InitPlace): Promise<HostFile[]> {
  const named = install.files(place);
  const inFolders = await Promise.all(
    (install.folders?.(place) ?? []).map((folder) => listFolder(folder, place))
  );
  const files = new Map<string, HostFile>();
  for (const file of [...named, ...inFolders.flat()]) {
    const { targetOf = [], isShared = file.isShared } = files.get(file.path) ?? {};
    // In a project that is the user's home, two files may be the same one.
    files.set(file.path, {
      ...file,
      isShared: isShared && file.isShared,
      targetOf: [...targetOf, ...file.targetOf],
    });
  }
  return [...files.values()];
}

async function listFolder(folder: string, { runtime, projectDir }: InitPlace): Promise<HostFile[]> {
  const names = (await runtime.list(folder)).unwrapOr([]);
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .slice(0, MAX_FILES_IN_FOLDER)
    .map((name) => ({
      path: posix.join(folder, name),
      isShared: folder.startsWith(`${projectDir}/`),
      targetOf: [],
    }));
}
