/** Counts how often hooks have sent the agent back in the last turn of a transcript (H27). */
import { isJsonObject, type JsonObject } from "@/common/json";
import { DEFAULT_MAX_CONTINUATIONS } from "@/common/limits";

/** A row of a transcript that continues a turn. */
export interface ContinuationRow {
  readonly role: "user";
  readonly parts: readonly [{ readonly type: "text"; readonly text: string }];
  readonly metadata: {
    readonly synthetic: true;
    readonly muxMetadata: { readonly stopHookActive: true };
  };
}

/** Returns the row for a message with which hooks send the agent back, marked so that a restart counts it (H27). */
export function continuationRow(message: string): ContinuationRow {
  return {
    role: "user",
    parts: [{ type: "text", text: message }],
    metadata: { synthetic: true, muxMetadata: { stopHookActive: true } },
  };
}

/**
 * Counts user rows marked `muxMetadata.stopHookActive` since the last row that a user wrote, or with which the host began
 * a turn after a stop. Only the mark counts, never the text, which a user could type. After a stop at the default limit,
 * which the hooks may not have allowed, a turn of the host begins no new count.
 */
export function continuationsInTurn(rows: readonly unknown[]): number {
  let count = 0;
  rows.forEach((row, i) => {
    if (!isJsonObject(row) || row.role !== "user") return;
    const metadata = metadataOf(row);
    if (isMarked(metadata)) count++;
    else if (metadata.synthetic === true) {
      const begins = isAnswer(rows[i - 1]) && !isUserRow(rows[i + 1]);
      if (begins && count < DEFAULT_MAX_CONTINUATIONS) count = 0;
    } else if (!asksForSummary(metadata)) count = 0;
  });
  return count;
}

/** Returns whether a row is a complete answer of the agent, and not a summary of the history. */
function isAnswer(row: unknown): boolean {
  if (!isJsonObject(row) || row.role !== "assistant") return false;
  const { partial, compacted, compactionBoundary } = metadataOf(row);
  return partial !== true && !compacted && compactionBoundary !== true;
}

function isUserRow(row: unknown): boolean {
  return isJsonObject(row) && row.role === "user";
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

/** Returns whether a row requests a summary of the history, which is not a message to the agent. */
function asksForSummary({ muxMetadata }: JsonObject): boolean {
  return isJsonObject(muxMetadata) && muxMetadata.type === "compaction-request";
}

function isMarked({ muxMetadata }: JsonObject): boolean {
  return isJsonObject(muxMetadata) && muxMetadata.stopHookActive === true;
}
