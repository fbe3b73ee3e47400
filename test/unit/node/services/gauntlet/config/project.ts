/** A project on disk with a `.gauntlet` folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import {
  loadGauntletConfig,
  type LoadConfigOptions,
} from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { tempDir } from "@test/helpers/tempDir";

export const MINIMAL = "entry_points: [{path: .}]\n";

/** Names are relative to the root of the project: `.gauntlet/checks/lint.yml`. */
export async function projectWith(
  contents: Readonly<Record<string, string | Uint8Array>>
): Promise<string> {
  const dir = await tempDir();
  for (const [name, content] of Object.entries(contents)) {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return dir;
}

/** Just `.gauntlet/config.yml`. */
export function configured(text: string | Uint8Array): Promise<string> {
  return projectWith({ ".gauntlet/config.yml": text });
}

/** The configuration; a problem of any kind is thrown. */
export async function loadWhole(dir: string): Promise<GauntletConfig> {
  const load = await loadGauntletConfig(new LocalFiles(), dir);
  if (load.kind === "valid" && load.problems.length === 0) return load.config;
  throw new Error(load.kind === "none" ? "none" : load.problems.map(formatDiagnostic).join("\n"));
}

/** Every problem as it is shown, with paths from the root of the project. */
export async function problemsOf(dir: string, options?: LoadConfigOptions): Promise<string[]> {
  const load = await loadGauntletConfig(new LocalFiles(), dir, options);
  if (load.kind === "none") throw new Error("there is no configuration");
  return load.problems.map((problem) => formatDiagnostic(problem).replaceAll(`${dir}/`, ""));
}
