/** Reads from the last run's state which configuration is known to be valid (G16). */
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import { STATE_FILE } from "@/node/services/gauntlet/state/runFiles";

const MAX_BYTES = 8 * MIB;

/** Returns the digest of the configuration with which a whole run last passed. */
export async function readPassedDigest(
  files: ConfigReads,
  logDir: string
): Promise<string | undefined> {
  const read = await files.readFile(posix.join(logDir, STATE_FILE), { maxBytes: MAX_BYTES });
  if (read.isErr()) return undefined;
  const state = parseJson(Buffer.from(read.value).toString("utf8")).unwrapOr(undefined);
  if (!isJsonObject(state) || !isJsonObject(state.passed)) return undefined;
  const { definition } = state.passed;
  return typeof definition === "string" ? definition : undefined;
}
