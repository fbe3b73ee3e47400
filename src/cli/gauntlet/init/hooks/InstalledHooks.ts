/**
 * Finds the hooks of the gauntlet in the settings files of a host, for `init`, `uninstall`, `doctor`, `run` and
 * `status`: which ones `init` wrote, which are there twice, and which start a program that is missing (G29). Also
 * builds the handler and the status message that `init` writes. Writes no files.
 */
import { isDeepStrictEqual } from "node:util";
import type * as hosts from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { readLayers } from "@/cli/gauntlet/init/hooks/readHostFiles";
import * as hookProgram from "@/cli/gauntlet/init/hooks/hookProgram";
import { jsonSyntax, type HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import type { JsonObject } from "@/common/json";
import { firstNames } from "@/common/safeText";
import { runsGauntlet, type FileHandler } from "@/node/services/hooks/index";

/** The hooks of the gauntlet that one host has. */
export class InstalledHooks {
  /** All hooks, those of the stop first. */
  hooks: readonly hosts.InstalledHook[] = [];

  private constructor(
    readonly host: hosts.HookHost,
    /** All files of the host, in the order in which `init` lists them. */
    readonly layers: readonly hosts.Layer[],
    readonly syntax: HookSyntax
  ) {}

  /** `read` are the files of the host, if they were read before. */
  static async read(host: hosts.HookHost, place: InitPlace, read?: readonly hosts.Layer[]) {
    const { format, stop, turnStart, engine } = host.install;
    const layers = read ?? (await readLayers(host, place));
    const syntax = typeof format === "function" ? await format() : jsonSyntax(format);
    const installation = new InstalledHooks(host, layers, syntax);
    const found = [stop, ...(turnStart === undefined ? [] : [turnStart])].flatMap((entry) =>
      layers.flatMap((layer) =>
        installation.#list(layer, entry).map((handler) => ({ entry, layer, handler }))
      )
    );
    for (const { file: path, line } of (await engine?.findAll?.(place)) ?? []) {
      if (found.some(({ layer }) => layer.file.path === path)) continue;
      const layer: hosts.Layer = { file: { path, isShared: false, targetOf: [] }, source: "" };
      found.push({ entry: stop, layer, handler: { line, command: path, fields: {} } });
    }
    installation.hooks = await Promise.all(
      found.map(async (hook, i) => {
        const { entry, layer, handler } = hook;
        const program = installation.parse(handler.fields)?.program;
        const isTwice = found.findIndex((other) => other.entry === entry) < i;
        return {
          ...hook,
          at: `${layer.file.path}:${handler.line}`,
          isTwice: isTwice && engine?.findAll === undefined,
          program,
          missing:
            program && (await hookProgram.findMissing(program, layer.file.path, place, engine)),
          written: installation.writtenIn(layer.file, handler.fields, entry),
        };
      })
    );
    return installation;
  }

  get stops(): readonly hosts.InstalledHook[] {
    // A foreign file in the place of a plugin is listed with an empty command.
    return this.hooks.filter(
      ({ entry, handler }) => entry === this.host.install.stop && handler.command !== ""
    );
  }

  /**
   * Returns the handler of an entry that starts a program.
   *
   * @param status the text that the host shows while the hook runs, if it shows any
   */
  handlerOf(entry: hosts.HostHookEntry, program: string, status?: string): JsonObject {
    const { args, event, fields } = entry;
    const command = args === "" ? program : `${program} ${args}`;
    const { stop, showsStatus } = this.host.install;
    const isShown = showsStatus === true && event === stop.event && status !== undefined;
    const shown = isShown ? { statusMessage: status } : {};
    return { type: "command", [this.syntax.commandKey]: command, ...fields, ...shown };
  }

  /** Returns the entry, in the form of its time limit, if `init` wrote the handler and it was not edited since. */
  writtenIn(
    { refusal }: hosts.HostFile,
    fields: JsonObject,
    entry: hosts.HostHookEntry
  ): hosts.HostHookEntry | undefined {
    const parsed = refusal === undefined ? this.parse(fields) : undefined;
    if (parsed === undefined) return undefined;
    const { program, args, limitS } = parsed;
    const own = (limitS === undefined ? undefined : entry.withLimit?.(limitS)) ?? entry;
    if (![own.args, ...entry.earlierArgs].includes(args)) return undefined;
    const written = this.handlerOf({ ...own, args }, program, statusIn(fields));
    return isDeepStrictEqual({ ...fields }, written) ? own : undefined;
  }

  /** Parses the command of a handler, in a form that only `init` writes. */
  parse(fields: JsonObject): hookProgram.HookCommand | undefined {
    const command = fields[this.syntax.commandKey];
    if (typeof command !== "string") return undefined;
    return (this.host.install.engine?.parse ?? hookProgram.parseHookCommand)(command, fields);
  }

  /** Returns every hook that runs the subcommand of the entry, by any path or package runner. */
  #list(layer: hosts.Layer, entry: hosts.HostHookEntry): readonly FileHandler[] {
    const [subcommand = ""] = entry.args.split(" ");
    if (layer.file.isToml === true) return findInToml(layer.source, subcommand);
    return this.syntax.list(layer.source, entry.event).filter(({ fields, command }) => {
      if (this.host.install.engine !== undefined) {
        return command === "" || this.parse(fields) !== undefined;
      }
      const { type = "command" } = fields;
      return type === "command" && runsGauntlet({ type, command }, subcommand);
    });
  }
}

const STATUS = "gauntlet: ";
const MAX_SHOWN_GATES = 3;

/** Returns the text that a host shows while the hook runs: the names of the gates. */
export function statusOf(gates: readonly string[]): string | undefined {
  return gates.length === 0 ? undefined : `${STATUS}${firstNames(gates, MAX_SHOWN_GATES)}`;
}

/** Returns the text of a handler that `init` wrote, with the names of any gates. */
export function statusIn({ statusMessage: text }: JsonObject): string | undefined {
  return typeof text === "string" && text.startsWith(STATUS) ? text : undefined;
}

/** Finds commands line by line. A hook that is missed is installed twice, which the gauntlet's lock makes harmless. */
function findInToml(source: string, subcommand: string): FileHandler[] {
  const pattern = /^[^#\n]*\bcommand\s*=\s*(["'].*agent-gauntlet.*)$/;
  return source.split("\n").flatMap((text, i) => {
    const [, command] = pattern.exec(text.slice(0, 4_096)) ?? [];
    if (command?.includes(` ${subcommand}`) !== true) return [];
    return [{ line: i + 1, command, fields: {} }];
  });
}
