/**
 * Reads settings files and script hooks, also those of plugins, each once and only if it changed (H5, H7, H8). A settings
 * file that does not parse keeps its last valid content, and an unusable file becomes a diagnostic.
 */
import { stampOf } from "@/node/runtime/fileContents";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic } from "@/common/diagnostics";
import { KIB, MAX_SCRIPT_BYTES, MAX_SETTINGS_BYTES, MIB } from "@/common/limits";
import type { PresentStat } from "@/node/runtime/HookRuntime";
import type * as workspaces from "@/node/services/hooks/settings/cachedReads";
import * as parsing from "@/node/services/hooks/settings/parseSettings";
import type { FoundFile, FoundScript } from "@/node/services/hooks/settings/findFiles";
import type * as contract from "@/node/services/hooks/contract/types";

/** The settings of one file, or the hook that the file itself is (H8). */
export interface SettingsSource {
  readonly layer: Exclude<contract.HookLayer, "builtin">;
  readonly file: string;
  readonly settings: parsing.ParsedSettings;
  /** Whether the file is itself the hook. */
  readonly isScript?: boolean;
  readonly script?: contract.ScriptFile;
  /** Why the hooks of the file cannot run. */
  readonly obstacle?: string;
  /** Whether it is a file of Claude Code or of a plugin, whose values do not count for Mux's hooks. */
  readonly isClaude?: boolean;
  /** Whether an administrator wrote the file, whose hooks are not imported (H39). */
  readonly isManaged?: boolean;
  readonly plugin?: contract.PluginOrigin;
  /** Whether the source stands for a plugin of the checkout that is not read yet, so that it has no hooks (H38). */
  readonly isUnread?: true;
  /** Why the hooks of the file are turned off (H39). */
  readonly off?: string;
}

interface ReadLimit {
  readonly maxBytes: number;
  /** The problem of a larger file. */
  readonly tooLarge: string;
  /** The budget of the checkout that the file came with. */
  readonly budget?: workspaces.CheckoutBudget | undefined;
}

/** Returns what `parse` makes of a file, which is read only if it has changed. An error is for the user. */
export async function readChanged<T>(
  { files }: workspaces.MachineView,
  cache: workspaces.StatCache<T>,
  { path, stat }: FoundFile,
  { maxBytes, tooLarge, budget }: ReadLimit,
  parse: (text: string, before: T | undefined) => T
): Promise<Result<T, string>> {
  if (stat.kind === "failed") return err(`cannot be read: ${stat.failure.message}`);
  if (stat.kind !== "file") {
    const found = stat.kind === "directory" ? "a folder" : "a FIFO, a socket or a device";
    return err(`expected a file, found ${found}`);
  }
  if (stat.size > maxBytes) return err(tooLarge);
  const refusal = budget?.refuse(path, stat.size);
  if (refusal !== undefined) return err(refusal);
  return await cache.get(path, stat, async (before) => {
    const read = await files.readFile(path, { maxBytes: maxBytes + 1 });
    if (read.isErr()) return err(`cannot be read: ${read.error.message}`);
    if (read.value.length > maxBytes) return err(tooLarge);
    return ok(parse(new TextDecoder().decode(read.value), before));
  });
}

/**
 * Returns the settings of a file. Never fails: an unreadable file is an empty layer with a diagnostic. A broken file
 * keeps its settings as they last parsed, so that a typo does not turn hooks off.
 */
export async function readSettings(
  view: workspaces.MachineView,
  file: FoundFile,
  budget?: workspaces.CheckoutBudget
): Promise<parsing.ParsedSettings> {
  const tooLarge = `larger than ${MAX_SETTINGS_BYTES / KIB} KiB, the maximum size of a settings file`;
  const limit = { maxBytes: MAX_SETTINGS_BYTES, tooLarge, budget };
  const read = await readChanged(
    view,
    view.memory.settings,
    file,
    limit,
    (text, before): workspaces.CachedSettings => {
      const lastGood = before?.lastGood;
      const effect =
        lastGood === undefined
          ? "the file is ignored until it is fixed"
          : "until it is fixed, the previous content of the file is used";
      return parsing.parseSettings(file.path, text).match(
        (settings) => ({ settings, lastGood: settings }),
        (problem) => {
          const diagnostics = [{ ...problem, message: `${problem.message}; ${effect}` }];
          return { settings: { ...(lastGood ?? parsing.EMPTY_SETTINGS), diagnostics }, lastGood };
        }
      );
    }
  );
  return read.match(
    ({ settings }) => settings,
    (problem) => ({
      ...parsing.EMPTY_SETTINGS,
      diagnostics: [fileDiagnostic("error", file.path, problem)],
    })
  );
}

/** Returns the source that has the same effect as a script hook, without its bytes. */
export function scriptSource(file: string, event: contract.HookEventName) {
  const handler = { type: "command" as const, command: file, args: [] };
  const settings = { ...parsing.EMPTY_SETTINGS, hooks: [{ event, handler, line: 1, column: 1 }] };
  return { file, settings, isScript: true };
}

/** Reads a script hook, or returns why it cannot run. `machine` is the one that hooks run on, if it is not this one. */
async function readScript(
  view: workspaces.MachineView,
  { path, stat }: FoundScript,
  machine: string | undefined
): Promise<Partial<SettingsSource>> {
  // An error, so that every command that checks the settings reports the script (H2a).
  const unreadable = (why: string) => {
    const message = `this hook does not run, because it cannot be read: ${why}`;
    const diagnostics = [fileDiagnostic("error", path, message)];
    return { settings: { ...parsing.EMPTY_SETTINGS, diagnostics } };
  };
  if (stat.kind === "failed") return unreadable(stat.failure.message);
  const obstacle = findObstacle(path, stat, machine);
  if (obstacle !== undefined) return { obstacle };
  const read = await view.memory.scripts.get(path, stat, () =>
    view.files.readFile(path, { maxBytes: MAX_SCRIPT_BYTES })
  );
  return read.match(
    (bytes) => ({ script: { bytes } }),
    ({ message }) => unreadable(message)
  );
}

function findObstacle(path: string, stat: PresentStat, machine?: string): string | undefined {
  if (stat.kind !== "file")
    return `it is a ${stat.kind === "directory" ? "folder" : "FIFO, socket or device"}, not a file`;
  if (!stat.executable) return `it is not executable; run "chmod +x ${path}"`;
  if (stat.size > MAX_SCRIPT_BYTES)
    return `it is larger than ${MAX_SCRIPT_BYTES / MIB} MiB, the maximum size of a script hook; move the program to another path and configure that path as a command in settings.json`;
  return machine === undefined
    ? undefined
    : `it is on this machine, but hooks run on ${machine}; copy it to that machine and configure it as a command in settings.json`;
}

/** A file with its layer and its reader. */
interface Slot {
  readonly layer: SettingsSource["layer"];
  readonly file: FoundFile & { readonly event?: string };
  readonly read: () => Promise<SettingsSource>;
}

/** Returns the slot of a settings file, as a list that is empty without a file. */
export function settingsSlot(
  layer: Slot["layer"],
  view: workspaces.MachineView,
  file: FoundFile | undefined,
  budget?: workspaces.CheckoutBudget
): Slot[] {
  if (file === undefined) return [];
  const read = async () => {
    return { layer, file: file.path, settings: await readSettings(view, file, budget) };
  };
  return [{ layer, file, read }];
}

/** Returns the slot of a script hook. */
export function scriptSlot(
  layer: Slot["layer"],
  view: workspaces.MachineView,
  file: FoundScript,
  machine?: string
): Slot {
  const source = { layer, ...scriptSource(file.path, file.event) };
  const read = async () => ({ ...source, ...(await readScript(view, file, machine)) });
  return { layer, file, read };
}

/**
 * Reads each file once, even if several layers reach it by different paths. It belongs to the lowest layer (H3). A
 * script for two events is two hooks (H8).
 */
export async function readOnce(slots: readonly Slot[]): Promise<SettingsSource[]> {
  const seen = new Set<string>();
  const once = slots.filter(({ layer, file: { path, stat, event = "" } }) => {
    // A folder or a machine that cannot be reached is one problem, not one per file. A dangling link is one per file.
    const machine = layer === "user" ? "host" : "workspace";
    const place = stat.kind === "failed" && stat.failure.code === "ENOENT" ? path : machine;
    const key = stat.kind === "failed" ? `${place} ${stat.failure.code}` : stampOf(stat) + event;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return await Promise.all(once.map(({ read }) => read()));
}
