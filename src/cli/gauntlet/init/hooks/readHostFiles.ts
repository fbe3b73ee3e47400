/**
 * Reads all settings files that the hooks of a host can be in, as text. Loads no parser, because every `run` and
 * `status` reads them.
 */
import { posix } from "node:path";
import type { HookHost, HostFile, Layer } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { readSettingsText } from "@/cli/settingsFile";

/** Returns all settings files of a host, each once, in the order in which `init` lists them. */
export async function readLayers({ install }: HookHost, place: InitPlace): Promise<Layer[]> {
  const named = [...install.files(place), ...((await install.engine?.listFiles?.(place)) ?? [])];
  const inFolders = await Promise.all(
    (install.hookFolders?.(place) ?? []).map(async (folder) => {
      const names = (await place.runtime.list(folder)).unwrapOr([]);
      const json = names.filter((name) => name.endsWith(".json")).sort();
      const isShared = folder.startsWith(`${place.projectDir}/`);
      return json
        .slice(0, 100)
        .map((name) => ({ path: posix.join(folder, name), isShared, targetOf: [] }));
    })
  );
  const files = new Map<string, HostFile>();
  for (const file of [...named, ...inFolders.flat()]) {
    const { targetOf = [], isShared = true } = files.get(file.path) ?? {};
    // In a project that is the user's home, two files may be the same one.
    files.set(file.path, {
      ...file,
      isShared: isShared && file.isShared,
      targetOf: [...targetOf, ...file.targetOf],
    });
  }
  return await Promise.all(
    [...files.values()].map(async (file) =>
      (await readSettingsText(place.runtime, file.path)).match(
        (source = "") => ({ file, source }),
        (problem) => ({ file, source: "", problem })
      )
    )
  );
}
