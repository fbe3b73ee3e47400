/** Projects on disk with a `.gauntlet` folder. */
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import {
  type GauntletConfig,
  loadGauntletConfig,
  type LoadConfigOptions,
} from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { folderWith } from "@test/helpers/tempDir";

export const MINIMAL = "entry_points: [{path: .}]\n";

/** Creates a project with only `.gauntlet/config.yml`. */
export function configured(text: string | Uint8Array): Promise<string> {
  return folderWith({ ".gauntlet/config.yml": text });
}

/** Returns the configuration, or throws if it has a problem of any severity. */
export async function loadWhole(dir: string): Promise<GauntletConfig> {
  const load = await loadGauntletConfig(new LocalFiles(), dir);
  if (load.kind === "valid" && load.problems.length === 0) return load.config;
  throw new Error(load.kind === "none" ? "none" : load.problems.map(formatDiagnostic).join("\n"));
}

/** Returns every problem as it is printed, with paths relative to the root of the project. */
export async function problemsOf(dir: string, options?: LoadConfigOptions): Promise<string[]> {
  const load = await loadGauntletConfig(new LocalFiles(), dir, options);
  if (load.kind === "none") throw new Error("there is no configuration");
  return load.problems.map((problem) => formatDiagnostic(problem).replaceAll(`${dir}/`, ""));
}
