/** Reads files that are hooks themselves: `.mux/stop` and `.mux/subagent_stop` (H8). */
import { fileDiagnostic } from "@/common/diagnostics";
import { MAX_SCRIPT_BYTES, MIB } from "@/common/limits";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import { EMPTY_SETTINGS, type ParsedSettings } from "@/node/services/hooks/settings/parseFile";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import type { FoundScript } from "@/node/services/hooks/settings/paths";
import type { HookEventName, ScriptFile } from "@/node/services/hooks/contract/types";

type ScriptSource = Pick<SettingsSource, "settings" | "script" | "obstacle" | "isScript">;

/** Reads a script hook. `machine` names the machine that hooks run on, if it is not the file's own. */
export async function readScript(
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
