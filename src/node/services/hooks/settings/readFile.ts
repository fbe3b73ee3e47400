/** Reads settings files and script hooks that were found, only if they have changed (H5, H7, H8). */
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { KIB, MAX_SCRIPT_BYTES, MAX_SETTINGS_BYTES, MIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type {
  CachedSettings,
  CheckoutBudget,
  MachineView,
} from "@/node/services/hooks/settings/workspace";
import {
  EMPTY_SETTINGS,
  parseSettings,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import type { FoundFile, FoundScript } from "@/node/services/hooks/settings/paths";
import { notFile, notReadable } from "@/node/services/hooks/messages/shared";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import type { HookEventName, ScriptFile } from "@/node/services/hooks/contract/types";
import { stampOf } from "@/node/services/hooks/settings/StatCache";

/**
 * Returns the settings of a file. Never fails: an unreadable file is an empty layer with a diagnostic.
 *
 * @param budget of the checkout that the file came with
 */
export async function readSettings(
  { files, memory }: MachineView,
  { path, stat }: FoundFile,
  budget?: CheckoutBudget
): Promise<ParsedSettings> {
  if (stat.kind === "failed") return unusable(path, notReadable(stat.failure.message));
  if (stat.kind !== "file") return unusable(path, notFile(stat.kind === "directory"));
  if (stat.size > MAX_SETTINGS_BYTES) return tooLarge(path);
  const refusal = budget?.refuse(path, stat.size);
  if (refusal !== undefined) return unusable(path, refusal);
  const cached = await memory.settings.get(path, stat, (before) => read(files, path, before));
  return cached.match(
    ({ settings }) => settings,
    (settings) => settings
  );
}

async function read(
  files: Pick<Files, "readFile">,
  path: string,
  before: CachedSettings | undefined
): Promise<Result<CachedSettings, ParsedSettings>> {
  const bytes = await files.readFile(path, { maxBytes: MAX_SETTINGS_BYTES + 1 });
  if (bytes.isErr()) return err(unusable(path, notReadable(bytes.error.message)));
  if (bytes.value.length > MAX_SETTINGS_BYTES) return err(tooLarge(path));
  const parsed = parseSettings(path, new TextDecoder().decode(bytes.value));
  return ok(
    parsed.match(
      (settings) => ({ settings, lastGood: settings }),
      (problem) => ({ settings: standIn(problem, before?.lastGood), lastGood: before?.lastGood })
    )
  );
}

/** Returns the settings of a broken file as they last parsed, so that a typo does not turn hooks off. */
function standIn(problem: Diagnostic, lastGood: ParsedSettings | undefined): ParsedSettings {
  const describe = lastGood === undefined ? ignoredUntilFixed : unchangedUntilFixed;
  const diagnostic = { ...problem, message: describe(problem.message) };
  return { ...(lastGood ?? EMPTY_SETTINGS), diagnostics: [diagnostic] };
}

function tooLarge(path: string): ParsedSettings {
  return unusable(
    path,
    `larger than ${MAX_SETTINGS_BYTES / KIB} KiB, the maximum size of a settings file`
  );
}

function unusable(file: string, message: string): ParsedSettings {
  return { ...EMPTY_SETTINGS, diagnostics: [fileDiagnostic("error", file, message)] };
}

function ignoredUntilFixed(problem: string): string {
  return `${problem}; the file is ignored until it is fixed`;
}

/** The file has parsed before in this process. */
function unchangedUntilFixed(problem: string): string {
  return `${problem}; until it is fixed, the previous content of the file is used`;
}

type ScriptSource = Pick<SettingsSource, "settings" | "script" | "obstacle" | "isScript">;

/** Reads a script hook. `machine` names the machine that hooks run on, if it is not the file's own. */
async function readScript(
  view: MachineView,
  file: FoundScript,
  machine?: string
): Promise<ScriptSource> {
  const { path, stat, event } = file;
  const source = { ...scriptSettings(path, event), isScript: true };
  if (stat.kind === "failed") return unreadable(source, path, stat.failure.message);
  const obstacle = findObstacle(file, machine);
  if (obstacle !== undefined) return { ...source, obstacle };
  const script = await readBytes(view, file);
  return typeof script === "string" ? unreadable(source, path, script) : { ...source, script };
}

/** Returns the settings that have the same effect as a script hook. */
export function scriptSettings(
  path: string,
  event: HookEventName
): { readonly settings: ParsedSettings } {
  const handler = { type: "command" as const, command: path, args: [] };
  return { settings: { ...EMPTY_SETTINGS, hooks: [{ event, handler, line: 1, column: 1 }] } };
}

/** Reads the bytes of a script. A string is the reason why that failed. */
async function readBytes(
  view: MachineView,
  { path, stat }: FoundScript
): Promise<ScriptFile | string> {
  if (stat.kind === "failed") return stat.failure.message;
  const read = await view.memory.scripts.get(path, stat, () =>
    view.files.readFile(path, { maxBytes: MAX_SCRIPT_BYTES })
  );
  return read.isErr() ? read.error.message : { bytes: read.value };
}

/** Returns a source with an error, so that every command that checks the settings reports the script (H2a). */
function unreadable(source: ScriptSource, file: string, why: string): ScriptSource {
  const diagnostics = [
    fileDiagnostic("error", file, `this hook does not run, because it cannot be read: ${why}`),
  ];
  return { isScript: true, settings: { ...source.settings, hooks: [], diagnostics } };
}

function findObstacle({ path, stat }: FoundScript, machine?: string): string | undefined {
  if (stat.kind !== "file")
    return `it is a ${stat.kind === "directory" ? "folder" : "FIFO, socket or device"}, not a file`;
  if (!("executable" in stat) || !stat.executable)
    return `it is not executable; run "chmod +x ${path}"`;
  if (stat.size > MAX_SCRIPT_BYTES)
    return `it is larger than ${MAX_SCRIPT_BYTES / MIB} MiB, the maximum size of a script hook; move the program to another path and configure that path as a command in settings.json`;
  return machine === undefined
    ? undefined
    : `it is on this machine, but hooks run on ${machine}; copy it to that machine and configure it as a command in settings.json`;
}

/** A file with its layer and its reader. */
export interface Slot {
  readonly layer: SettingsSource["layer"];
  readonly file: FoundFile;
  readonly read: () => Promise<SettingsSource>;
}

export function settingsSlot(
  layer: Slot["layer"],
  view: MachineView,
  file: FoundFile | undefined,
  budget?: CheckoutBudget
): Slot[] {
  if (file === undefined) return [];
  const read = async (): Promise<SettingsSource> => ({
    layer,
    file: file.path,
    settings: await readSettings(view, file, budget),
  });
  return [{ layer, file, read }];
}

export function scriptSlot(
  layer: Slot["layer"],
  view: MachineView,
  file: FoundScript,
  machine?: string
): Slot {
  const read = async (): Promise<SettingsSource> => ({
    layer,
    file: file.path,
    ...(await readScript(view, file, machine)),
  });
  return { layer, file, read };
}

/** Reads each file once, even if several layers reach it by different paths. It belongs to the lowest layer (H3). */
export async function readOnce(slots: readonly Slot[]): Promise<SettingsSource[]> {
  const seen = new Set<string>();
  const once = slots.filter(({ layer, file: { path, stat } }) => {
    // A folder or a machine that cannot be reached is one problem, not one per file. A dangling link is one per file.
    const machine = layer === "user" ? "host" : "workspace";
    const place = stat.kind === "failed" && stat.failure.code === "ENOENT" ? path : machine;
    const key = stat.kind === "failed" ? `${place} ${stat.failure.code}` : stampOf(stat);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return await Promise.all(once.map(({ read }) => read()));
}
