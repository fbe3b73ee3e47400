/**
 * Reads the settings that an administrator manages for Claude Code (H39). Sources of the paths:
 * https://code.claude.com/docs/en/settings and https://code.claude.com/docs/en/server-managed-settings.
 */
import { posix } from "node:path";
import { cachedReads } from "@/node/services/hooks/settings/cache/cachedReads";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import { claudeConfigDir } from "@/node/services/hooks/settings/claude/claudeFolders";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { EMPTY_SETTINGS } from "@/node/services/hooks/settings/parseFile";
import { findFiles } from "@/node/services/hooks/settings/paths";
import { readSettings } from "@/node/services/hooks/settings/readFile";
import type { ClaudePlace } from "@/node/services/hooks/settings/workspace";

/** Folders that only an administrator can create: of Linux and WSL, and of macOS. */
const FOLDERS = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/** Returns the restrictions of each file, but not its hooks. A file that cannot be used turns off what it may forbid. */
export async function readManaged(place: ClaudePlace): Promise<SettingsSource[]> {
  const { host, project } = place;
  const delivered = posix.join(claudeConfigDir(place), "remote-settings.json");
  const found = await Promise.all([
    readMachine(host, posix.isAbsolute(delivered) ? [delivered] : []),
    ...(project === host ? [] : [readMachine(project, [])]),
  ]);
  return found.flat();
}

async function readMachine(view: MachineView, delivered: string[]): Promise<SettingsSource[]> {
  const reads = cachedReads(view);
  const paths = FOLDERS.map((folder) => posix.join(folder, "managed-settings.json"));
  const dirs = FOLDERS.map((folder) => posix.join(folder, "managed-settings.d"));
  // One call, so that all are requested at once.
  const stats = (await view.stats.stat([...dirs, ...paths, ...delivered])).slice(0, dirs.length);
  const unread: SettingsSource[] = [];
  const lists = dirs.map(async (dir, i) => {
    if (stats[i]?.kind === "missing") return [];
    const names = await reads.list(dir);
    if (names.isErr()) {
      unread.push(sourceOf(dir, { off: policyNotRead(dir) }));
      return [];
    }
    const used = names.value.filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return used.sort().map((name) => posix.join(dir, name));
  });
  const files = await findFiles(view, [
    ...paths,
    ...(await Promise.all(lists)).flat(),
    ...delivered,
  ]);
  const read = files.map(async (file) => {
    if (file === undefined) return [];
    const settings = await readSettings(view, file);
    const { values, claude, diagnostics } = settings;
    // A file that cannot be used as a whole has a problem without the path of a key.
    const problem = diagnostics.find(
      ({ severity, keyPath }) => severity === "error" && ["", "disableAllHooks"].includes(keyPath)
    );
    const { disableAllHooks } = values;
    const restrictions = { ...EMPTY_SETTINGS, values: { disableAllHooks }, claude };
    if (problem === undefined) return [sourceOf(file.path, { settings: restrictions })];
    return [
      sourceOf(file.path, {
        settings: { ...restrictions, diagnostics: [problem] },
        off: policyNotRead(file.path),
      }),
    ];
  });
  return [...(await Promise.all(read)).flat(), ...unread];
}

function sourceOf(file: string, rest: Partial<SettingsSource>): SettingsSource {
  return {
    layer: "user",
    file,
    settings: EMPTY_SETTINGS,
    isClaude: true,
    isManaged: true,
    ...rest,
  };
}

/** @param file managed settings that cannot be used */
function policyNotRead(file: string): string {
  return `turned off, because the managed settings of Claude Code in ${file}, which may forbid it, cannot be read; ask your administrator to fix the file`;
}
