/** The hooks of the gauntlet in the settings files of an agent host: read by init, uninstall, doctor and trust (G29). */
import { isDeepStrictEqual } from "node:util";
import { posix } from "node:path";
import type { HookInstallation, HostFile, HostHookEntry } from "@/cli/gauntlet/hosts/types";
import { tomlSyntax } from "@/cli/gauntlet/hosts/kimi/tomlSyntax";
import { kiroSyntax } from "@/cli/gauntlet/hosts/kiro/kiroSyntax";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { parseHookCommand, type HookCommand } from "@/cli/gauntlet/init/hooks/hookProgram";
import { jsonSyntax, type HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import { readSettingsText } from "@/cli/settingsText";
import type { JsonObject } from "@/common/json";
import { runsGauntlet, type FileHandler } from "@/node/services/hooks/index";

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

export interface InstalledHook {
  readonly entry: HostHookEntry;
  readonly layer: Layer;
  readonly handler: FileHandler;
  /** Absent if `init` did not write it in this form, so that it is not changed. */
  readonly written?: WrittenHook;
}

/** A handler that `init` wrote. */
export interface WrittenHook extends HookCommand {
  /** In the form of its time limit. */
  readonly entry: HostHookEntry;
}

export class Installation {
  private constructor(
    readonly install: HookInstallation,
    /** All files of the host, in the order in which `init` lists them. */
    readonly layers: readonly Layer[],
    readonly syntax: HookSyntax
  ) {}

  static async read(install: HookInstallation, place: InitPlace): Promise<Installation> {
    const files = await listFiles(install, place);
    const layers = await Promise.all(
      files.map(async (file): Promise<Layer> => {
        const text = await readSettingsText(place.runtime, file.path);
        return text.match(
          (source = "") => ({ file, source }),
          (problem) => ({ file, source: "", problem })
        );
      })
    );
    return new Installation(install, layers, syntaxOf(install));
  }

  get stops(): readonly InstalledHook[] {
    return this.#find(this.install.stop);
  }

  get turns(): readonly InstalledHook[] {
    return this.#find(this.install.turnStart);
  }

  get hooks(): readonly InstalledHook[] {
    return [...this.stops, ...this.turns];
  }

  /** Returns the handler of an entry with a command. */
  handlerOf({ fields }: HostHookEntry, command: string): JsonObject {
    return { type: "command", [this.syntax.commandKey]: command, ...fields };
  }

  /** Returns the command of a handler that `init` wrote, now or earlier, and that was not edited since. */
  parseWritten(fields: JsonObject, entry: HostHookEntry): WrittenHook | undefined {
    const command = fields[this.syntax.commandKey];
    if (typeof command !== "string") return undefined;
    const parsed = parseHookCommand(command);
    const [, limit] = / --limit ([1-9]\d{0,4})$/.exec(parsed?.args ?? "") ?? [];
    const own = (limit === undefined ? undefined : entry.withLimit?.(Number(limit))) ?? entry;
    if (parsed === undefined || ![own.args, ...entry.earlierArgs].includes(parsed.args)) {
      return undefined;
    }
    const isOwn = isDeepStrictEqual({ ...fields }, this.handlerOf(own, command));
    return isOwn ? { ...parsed, entry: own } : undefined;
  }

  /** Returns every hook that runs the subcommand of the entry, by any path or package runner. */
  #find(entry: HostHookEntry): InstalledHook[] {
    const [subcommand = ""] = entry.args.split(" ");
    return this.layers.flatMap((layer) => {
      if (layer.file.isToml === true) return findInToml(entry, layer, subcommand);
      return this.syntax
        .list(layer.source, entry.event)
        .filter(({ fields: { type = "command" }, command }) => {
          return type === "command" && runsGauntlet({ type, command }, subcommand);
        })
        .map((handler) => {
          const written = this.parseWritten(handler.fields, entry);
          return { entry, layer, handler, written };
        });
    });
  }
}

function syntaxOf({ format }: HookInstallation): HookSyntax {
  if (format === "kimi") return tomlSyntax;
  return format === "kiro" ? kiroSyntax : jsonSyntax(format);
}

/** Returns `file:line`. */
export function placeOf({ layer, handler }: InstalledHook): string {
  return `${layer.file.path}:${handler.line}`;
}

/** Finds commands line by line. A hook that is missed is installed twice, which the gauntlet's lock makes harmless. */
function findInToml(entry: HostHookEntry, layer: Layer, subcommand: string): InstalledHook[] {
  const pattern = /^[^#\n]*\bcommand\s*=\s*(["'].*agent-gauntlet.*)$/;
  return layer.source.split("\n").flatMap((text, i) => {
    const [, command] = pattern.exec(text.slice(0, MAX_LINE_CHARS)) ?? [];
    if (command?.includes(` ${subcommand}`) !== true) return [];
    return [{ entry, layer, handler: { line: i + 1, command, fields: {} } }];
  });
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
