/** Settings files and scripts with their layers, each of which is read once (H3). */
import { stampOf } from "@/node/services/hooks/contract/fileStamp";
import type { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import type { FoundFile, FoundScript } from "@/node/services/hooks/settings/paths";
import { readSettings } from "@/node/services/hooks/settings/readFile";
import { readScript } from "@/node/services/hooks/settings/scriptHooks";

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
