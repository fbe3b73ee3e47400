/** How often hooks have sent the agent back in the turn that a transcript ends with (H27). */
import { isJsonObject, type JsonObject } from "@/common/json";

/**
 * Counts user rows marked `muxMetadata.stopHookActive` since the last user row without the mark. Only the mark
 * counts, never the text, which a user could type.
 */
export function continuationsInTurn(rows: readonly unknown[]): number {
  let count = 0;
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (!isJsonObject(row) || row.role !== "user") continue;
    if (!isContinuation(row)) break;
    count++;
  }
  return count;
}

function isContinuation(row: JsonObject): boolean {
  const metadata = row.metadata;
  const own = isJsonObject(metadata) ? metadata.muxMetadata : undefined;
  return isJsonObject(own) && own.stopHookActive === true;
}
