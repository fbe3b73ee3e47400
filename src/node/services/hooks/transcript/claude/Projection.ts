/** Converts the rows of `chat.jsonl` to rows of Claude Code's transcript, one after the other (H37). */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "@/common/json";
import { convertAnswer, tokensOf } from "@/node/services/hooks/transcript/claude/answer";
import { convertUserRow, type DatedBody } from "@/node/services/hooks/transcript/claude/userRow";
import { partsOf, textOf } from "@/node/services/hooks/transcript/rows";

/** The version of Claude Code whose format the rows follow. Its types are in the SDK that `claudeTools.ts` names. */
const FORMAT_VERSION = "2.1.330";

/** What the rows of `chat.jsonl` do not contain. */
export interface TranscriptContext {
  readonly sessionId: string;
  /** Set if the transcript is that of a sub-agent. */
  readonly agentId?: string;
  /** Absolute. */
  readonly cwd: string;
  /** Empty outside a repository, absent if unknown. */
  readonly gitBranch?: string;
}

export class Projection {
  #parent: string | null = null;
  #timestamp: string | undefined;
  #sequence = -1;
  /** Identifies the row of Mux that is converted. */
  #key = "";
  #index = 0;
  #todos: readonly JsonObject[] = [];
  #isAutomatic = false;

  /** Returns the lines of Claude Code's format for the next row of Mux. */
  add(row: JsonObject, context: TranscriptContext): string[] {
    const metadata = isJsonObject(row.metadata) ? row.metadata : {};
    this.#begin(row, metadata);
    const parent = this.#parent;
    try {
      return this.#convert(row, metadata, context).map(
        (dated) => `${JSON.stringify(this.#complete(dated, metadata, context))}\n`
      );
    } catch {
      // Values can be parsed that are nested too deeply to be written. The row is skipped.
      this.#parent = parent;
      return [];
    }
  }

  #convert(row: JsonObject, metadata: JsonObject, { cwd }: TranscriptContext): DatedBody[] {
    if (row.role === "user") {
      const { muxMetadata } = metadata;
      const isRequest = isJsonObject(muxMetadata) && muxMetadata.type === "compaction-request";
      if (isRequest) this.#isAutomatic = muxMetadata.source !== undefined;
      return convertUserRow(row, metadata);
    }
    if (row.role !== "assistant") return [];
    if (isSummary(metadata)) return this.#summary(row, metadata);
    const { bodies, todos } = convertAnswer(row, metadata, {
      cwd,
      todos: this.#todos,
      requestKey: (request) => this.#digest(`request ${request}`).slice(0, 24),
      rowUuid: (position) => this.#uuid(position),
    });
    this.#todos = todos;
    return bodies;
  }

  /** Converts a summary. Claude Code writes a boundary, and the summary in the user's place. */
  #summary(row: JsonObject, metadata: JsonObject): DatedBody[] {
    const isAutomatic = this.#isAutomatic || AUTOMATIC.has(metadata.compacted);
    this.#isAutomatic = false;
    const preTokens = tokensOf(metadata.usage);
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      isMeta: false,
      level: "info",
      logicalParentUuid: this.#parent,
      compactMetadata: {
        trigger: isAutomatic ? "auto" : "manual",
        preTokens,
      },
    };
    const summary = {
      type: "user",
      message: { role: "user", content: `${CONTINUED}\n\n${textOf(partsOf(row))}` },
      isVisibleInTranscriptOnly: true,
      isCompactSummary: true,
    };
    return [{ body: boundary, isRoot: true }, { body: summary }];
  }

  /**
   * Makes the IDs of a row depend on its own identity only, so that they stay the same after an edit. A row without one,
   * or out of order, depends on the row before it, so that no ID occurs twice.
   */
  #begin(row: JsonObject, { historySequence }: JsonObject): void {
    const isInOrder =
      typeof row.id === "string" &&
      typeof historySequence === "number" &&
      historySequence > this.#sequence;
    if (isInOrder) this.#sequence = historySequence;
    this.#key = JSON.stringify(
      isInOrder ? [row.id, historySequence] : [row.id, historySequence, this.#parent]
    );
    this.#index = 0;
  }

  #complete(
    { body, time, isRoot = false }: DatedBody,
    metadata: JsonObject,
    { sessionId, agentId, cwd, gitBranch }: TranscriptContext
  ): JsonObject {
    const uuid = this.#uuid(this.#index++);
    const parentUuid = isRoot ? null : this.#parent;
    this.#parent = uuid;
    this.#timestamp = isoTime(time) ?? isoTime(metadata.timestamp) ?? this.#timestamp;
    return {
      parentUuid,
      isSidechain: agentId !== undefined,
      agentId,
      ...body,
      uuid,
      timestamp: this.#timestamp,
      userType: "external",
      cwd,
      sessionId,
      version: FORMAT_VERSION,
      gitBranch,
    };
  }

  /** Returns a UUID of version 5: it is computed from the identity of the row. */
  #uuid(index: number): string {
    const hex = this.#digest(`row ${index}`);
    const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
    const groups = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`];
    return [...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
  }

  #digest(name: string): string {
    return createHash("sha256").update(`${this.#key} ${name}`).digest("hex");
  }
}

const AUTOMATIC = new Set<unknown>(["idle", "heartbeat"]);

const CONTINUED =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.";

/** Returns whether a row replaces everything before it. */
function isSummary({ compacted, compactionBoundary }: JsonObject): boolean {
  return compactionBoundary === true || (compacted !== undefined && compacted !== false);
}

function isoTime(ms: unknown): string | undefined {
  if (typeof ms !== "number") return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
