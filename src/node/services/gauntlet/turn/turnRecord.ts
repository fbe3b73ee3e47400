/** The record of `turn-start` about the user's turn (G27a). */
import { definedOnly } from "@/common/definedOnly";
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
}

/** Returns the record of a session's last turn; empty if the agent host does not run `turn-start`. */
export async function readTurnRecord(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<TurnRecord> {
  const { head, at, first } = (await readTurnFile(files, gitDir, "turns", key)) ?? {};
  return {
    ...(typeof head === "string" ? { head } : {}),
    ...(typeof at === "string" && !Number.isNaN(Date.parse(at)) ? { at } : {}),
    ...definedOnly({ first: settledPointOf(first) }),
  };
}
