/** Loads a configuration from the file contents that `turn-start` recorded (G20d). */
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";

/**
 * Loads the configuration.
 *
 * @param texts the content of each file, by its path relative to the project
 */
export async function loadRecordedConfig(
  texts: Readonly<Record<string, string>>,
  projectDir: string
): Promise<ConfigLoad> {
  const files = new Map(
    Object.entries(texts).map(([path, text]) => [posix.join(projectDir, path), Buffer.from(text)])
  );
  const reads: ConfigReads = {
    stat: (paths) =>
      Promise.resolve(
        paths.map((path) => {
          const size = files.get(path)?.length;
          if (size === undefined) return { kind: "missing" };
          const times = { mtimeMs: 0, ctimeMs: 0 };
          return { kind: "file", size, ...times, identity: path, executable: false };
        })
      ),
    list: (folder) => {
      const inside = [...files.keys()].filter((path) => posix.dirname(path) === folder);
      return Promise.resolve(ok(inside.map((path) => posix.basename(path))));
    },
    readFile: (path) => {
      const bytes = files.get(path);
      const missing = {
        path,
        code: "ENOENT",
        message: `${path} did not exist when the turn began`,
      };
      return Promise.resolve(bytes === undefined ? err(missing) : ok(bytes));
    },
  };
  return await loadGauntletConfig(reads, projectDir);
}
