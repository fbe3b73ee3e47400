/** Files that are hooks themselves: `.mux/stop` and `.mux/subagent_stop` (H8). */
import { hashFile } from "@/node/services/hooks/fileHash";
import type { Script } from "@/node/services/hooks/hookJoin";
import type { MachineView } from "@/node/services/hooks/settingsCache";
import { EMPTY_SETTINGS, type ParsedSettings } from "@/node/services/hooks/settingsFile";
import type { FoundScript } from "@/node/services/hooks/settingsPaths";

/** `elsewhere` names the machine that hooks run on, where it is not the file's own. */
export async function readScript(
  view: MachineView,
  file: FoundScript,
  elsewhere?: string
): Promise<{ settings: ParsedSettings; script: Script }> {
  const { path, stat, event } = file;
  const handler = { type: "command" as const, command: path, args: [] };
  const settings = { ...EMPTY_SETTINGS, hooks: [{ event, handler, line: 1, column: 1 }] };
  const obstacle = findObstacle(file, elsewhere);
  if (obstacle !== undefined) return { settings, script: { bytes: "", obstacle } };
  const bytes = stat.kind === "file" ? await hashFile(view, path, stat) : "";
  return { settings, script: { bytes } };
}

function findObstacle({ path, stat }: FoundScript, elsewhere?: string): string | undefined {
  if (stat.kind === "failed") return `it cannot be read: ${stat.failure.message}`;
  if (stat.kind !== "file")
    return `it is not a file but a ${stat.kind === "directory" ? "folder" : "FIFO, socket or device"}`;
  if (!stat.executable) return `it is not executable; run: chmod +x ${path}`;
  if (elsewhere === undefined) return undefined;
  return `it lies on this machine while hooks run on ${elsewhere}; put it there and name it in settings.json`;
}
