/** Describes gates whose definition changed since the user's turn began, or else since the last stop (G20d). */
import { sha256 } from "@/common/hash";
import { clip, visible } from "@/common/text";
import { digestOf } from "@/node/services/gauntlet/config/configFiles";
import { loadRecordedConfig } from "@/node/services/gauntlet/config/loadConfig";
import {
  changedGates,
  gateTexts,
  type GateTexts,
} from "@/node/services/gauntlet/domain/changedGates";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

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
  const store = new TurnStore(runtime, context.gitDir);
  const recorded = (await store.gatesOf(projectDir, session))?.files;
  if (recorded === undefined) return undefined;
  const hashes = Object.entries(recorded).map(([path, text]) => [path, sha256(text)] as const);
  if (digestOf({ hashes: new Map(hashes) }) === config.digest) return gateTexts(config.entryPoints);
  const loaded = await loadRecordedConfig(recorded, projectDir);
  return loaded.kind === "valid" ? gateTexts(loaded.config.entryPoints) : undefined;
}
