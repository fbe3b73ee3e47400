/** Counts how often hooks have sent the agent back in the last turn of a transcript (H27). */
import { isJsonObject, type JsonObject } from "@/common/json";

/**
 * Counts user rows marked `muxMetadata.stopHookActive` since the last row that a user wrote. Only the mark counts,
 * never the text, which a user could type. Other rows that were written in the user's place begin no turn.
 */
export function continuationsInTurn(rows: readonly unknown[]): number {
  let count = 0;
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (!isJsonObject(row) || row.role !== "user") continue;
    const metadata = isJsonObject(row.metadata) ? row.metadata : {};
    if (isMarked(metadata)) count++;
    else if (metadata.synthetic !== true && !asksForSummary(metadata)) break;
  }
  return count;
}

/** Returns whether a row requests a summary of the history, which is not a message to the agent. */
function asksForSummary({ muxMetadata }: JsonObject): boolean {
  return isJsonObject(muxMetadata) && muxMetadata.type === "compaction-request";
}

function isMarked({ muxMetadata }: JsonObject): boolean {
  return isJsonObject(muxMetadata) && muxMetadata.stopHookActive === true;
}
