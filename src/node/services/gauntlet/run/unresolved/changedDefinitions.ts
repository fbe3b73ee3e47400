/** Describes gates whose definition changed since the user's turn began, or else since the last stop (G20d). */
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import { sha256 } from "@/common/hash";
import { clip, visible } from "@/common/text";
import { digestOf, type ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import {
  changedGates,
  gateTexts,
  type GateTexts,
} from "@/node/services/gauntlet/domain/changedGates";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";
import { readTurnGates } from "@/node/services/gauntlet/turn/turnGates";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";

// Loads a configuration from the file contents that `turn-start` recorded (G20d).

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

const MAX_NOTICE_CHARS = 1_000;

/** Returns none for a run by hand, and none if a user trusted the configuration and so has seen the changes. */
export async function describeChangedGates(
  given: GauntletRunContext,
  { definitions = {} }: ExecutionState
): Promise<string[]> {
  const { options, config } = given;
  if (options.stop === undefined || options.isTrusted === true) return [];
  const before = (await turnDefinitions(given, options.stop)) ?? definitions;
  const changed = changedGates(before, gateTexts(config.entryPoints));
  return changed.map((text) => clip(visible(text), MAX_NOTICE_CHARS));
}

/** Returns undefined if no `turn-start` recorded a usable configuration. */
async function turnDefinitions(
  { options, config, context }: GauntletRunContext,
  { session }: StopCount
): Promise<GateTexts | undefined> {
  const { runtime, projectDir } = options;
  const recorded = await readTurnGates(runtime, context.gitDir, session, projectDir);
  if (recorded === undefined) return undefined;
  const hashes = Object.entries(recorded).map(([path, text]) => [path, sha256(text)] as const);
  if (digestOf({ hashes: new Map(hashes) }) === config.digest) return gateTexts(config.entryPoints);
  const loaded = await loadRecordedConfig(recorded, projectDir);
  return loaded.kind === "valid" ? gateTexts(loaded.config.entryPoints) : undefined;
}
