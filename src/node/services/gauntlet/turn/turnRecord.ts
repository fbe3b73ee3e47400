/** The record of `turn-start` about the user's turn (G27a). */
import { definedOnly } from "@/common/definedOnly";
import { MIB } from "@/common/limits";
import { isJsonObject, type JsonObject } from "@/common/json";
import type { Files } from "@/node/runtime/HookRuntime";
import { readTurnFile } from "@/node/services/gauntlet/turn/turnFiles";
import { settledPointOf, type WorkPoint } from "@/node/services/gauntlet/turn/workPoint";

export interface TurnRecord {
  /** The commit of HEAD when the turn began. */
  readonly head?: string;
  /** When it began, in ISO 8601. */
  readonly at?: string;
  /** The session's first message (G20a). */
  readonly first?: WorkPoint;
  /** The turn, as the host names it. */
  readonly turn?: string;
  /** The files with the Stop hook of the agent host when the turn began, or the last time that there was one. */
  readonly hooks: readonly string[];
  /** Set if the turn began while failed stops sent the agent back: when, and the number of these stops. */
  readonly reset?: { readonly at: string; readonly failed: number };
}

/** Returns the record of a session's last turn; empty if the agent host does not run `turn-start`. */
export async function readTurnRecord(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<TurnRecord> {
  return turnRecordOf((await readTurnFile(files, gitDir, "turns", key)) ?? {});
}

export const NO_TURN: TurnRecord = { hooks: [] };

export function turnRecordOf({ head, at, first, turn, hooks, reset }: JsonObject): TurnRecord {
  const isReset = isJsonObject(reset) && typeof reset.at === "string";
  return {
    ...(typeof head === "string" ? { head } : {}),
    ...(typeof turn === "string" ? { turn } : {}),
    hooks: Array.isArray(hooks) ? hooks.filter((path) => isAbsolute(path)) : [],
    ...(isReset ? { reset: { at: String(reset.at), failed: Number(reset.failed) || 1 } } : {}),
    ...(typeof at === "string" && !Number.isNaN(Date.parse(at)) ? { at } : {}),
    ...definedOnly({ first: settledPointOf(first) }),
  };
}

function isAbsolute(path: unknown): path is string {
  return typeof path === "string" && path.startsWith("/") && path.length <= MAX_PATH_CHARS;
}

const MAX_PATH_CHARS = 4_096;
const MAX_HOOK_FILES = 20;
/** In every command of a Stop hook that `init` writes. */
const HOOK_ARGUMENT = "stop-hook";

/** Returns those of the settings files of a host that have a Stop hook of ours. */
export async function filesWithHook(
  files: Pick<Files, "readFile">,
  paths: readonly string[]
): Promise<string[]> {
  const reads = await Promise.all(
    paths.slice(0, MAX_HOOK_FILES).map(async (path) => {
      const read = await files.readFile(path, { maxBytes: MIB });
      // A file that cannot be read now may have the hook.
      if (read.isErr()) return !["ENOENT", "ENOTDIR"].includes(read.error.code);
      return Buffer.from(read.value).includes(HOOK_ARGUMENT);
    })
  );
  return paths.filter((_, i) => reads[i] === true);
}

/** Returns the first file from which the Stop hook was removed, if no other file has it. */
export async function fileWithoutHook(
  files: Pick<Files, "readFile">,
  { hooks }: Pick<TurnRecord, "hooks">
): Promise<string | undefined> {
  return (await filesWithHook(files, hooks)).length === 0 ? hooks[0] : undefined;
}
