/**
 * Converts the rows of `chat.jsonl` to rows of Claude Code's transcript, one after the other (H37): messages of the
 * user and of hooks, and summaries; `convertMuxAnswer.ts` converts answers. Gives the rows IDs that stay the same if the
 * file is converted again.
 */
import { createHash } from "node:crypto";
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";
import * as answers from "@/node/services/hooks/transcript/claude/convertMuxAnswer";
import { partsOf, textOf } from "@/node/services/hooks/transcript/chatRows";
import { continuationHeading } from "@/node/services/hooks/messages/shared";

/** The version of Claude Code whose format the rows follow. Its types are in the SDK that `convertMuxTools.ts` names. */
const FORMAT_VERSION = "2.1.330";

/** Facts that the rows of `chat.jsonl` do not contain. */
export interface TranscriptContext {
  readonly sessionId: string;
  /** Set if the transcript is that of a sub-agent. */
  readonly agentId?: string;
  /** Absolute. */
  readonly cwd: string;
  /** Empty outside a repository, absent if unknown. */
  readonly gitBranch?: string;
}

export class MuxRowConverter {
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
    const metadata = objectOf(row.metadata);
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

  #convert(row: JsonObject, metadata: JsonObject, { cwd }: TranscriptContext): answers.DatedBody[] {
    if (row.role === "user") {
      const { muxMetadata } = metadata;
      const isRequest = isJsonObject(muxMetadata) && muxMetadata.type === "compaction-request";
      if (isRequest) this.#isAutomatic = muxMetadata.source !== undefined;
      return convertUserRow(row, metadata);
    }
    if (row.role !== "assistant") return [];
    // A summary replaces everything before it.
    const { compacted = false, compactionBoundary } = metadata;
    if (compactionBoundary === true || compacted !== false) return this.#summary(row, metadata);
    const { bodies, todos } = answers.convertAnswer(row, metadata, {
      cwd,
      todos: this.#todos,
      requestKey: (request) => this.#digest(`request ${request}`).slice(0, 24),
      rowUuid: (position) => this.#uuid(position),
    });
    this.#todos = todos;
    return bodies;
  }

  /** Converts a summary. Claude Code writes a boundary, and the summary in the user's place. */
  #summary(row: JsonObject, metadata: JsonObject): answers.DatedBody[] {
    const isAutomatic = this.#isAutomatic || AUTOMATIC.has(metadata.compacted);
    this.#isAutomatic = false;
    const preTokens = answers.tokensOf(metadata.usage);
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      isMeta: false,
      level: "info",
      logicalParentUuid: this.#parent,
      compactMetadata: { trigger: isAutomatic ? "auto" : "manual", preTokens },
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
    { body, time, isRoot = false }: answers.DatedBody,
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

function isoTime(ms: unknown): string | undefined {
  if (typeof ms !== "number") return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const EVENTS = ["Stop", "SubagentStop"] as const;

function convertUserRow(row: JsonObject, metadata: JsonObject): answers.DatedBody[] {
  const parts = partsOf(row);
  const text = textOf(parts);
  const mux = objectOf(metadata.muxMetadata);
  const isOfHooks = mux.stopHookActive === true;
  const isInUsersPlace =
    isOfHooks || metadata.synthetic === true || mux.type === "compaction-request";
  if (!isInUsersPlace) return [{ body: prompt(withMedia(text, parts)) }];
  // Text alone decides nothing, because a user could type it (H27).
  return [{ body: contextOfHooks(text) ?? { ...prompt(feedback(text, isOfHooks)), isMeta: true } }];
}

function prompt(content: unknown) {
  return { type: "user", message: { role: "user", content } };
}

/** Returns the reasons of hooks with the heading that Claude Code gives them. */
function feedback(text: string, isOfHooks: boolean): string {
  if (!isOfHooks) return text;
  const headings = EVENTS.map((event) => `${continuationHeading(event, false)}\n`);
  const heading = headings.find((candidate) => text.startsWith(candidate)) ?? "";
  return `Stop hook feedback:\n${text.slice(heading.length)}`;
}

/** Returns the row for additional context, or undefined if the text is not additional context. */
function contextOfHooks(text: string) {
  for (const event of EVENTS) {
    const heading = `${continuationHeading(event, true)}\n`;
    if (!text.startsWith(heading)) continue;
    const content = [text.slice(heading.length)];
    return {
      type: "attachment",
      attachment: { type: "hook_additional_context", content, hookName: event, hookEvent: event },
    };
  }
  return undefined;
}

/** Returns the text alone, as Claude Code writes what a user typed, or blocks if images or documents are attached. */
function withMedia(text: string, parts: readonly JsonObject[]): string | JsonObject[] {
  const media = parts.flatMap(toMedia);
  return media.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...media];
}

function toMedia({ type, url }: JsonObject): JsonObject[] {
  if (type !== "file" || typeof url !== "string") return [];
  const [prefix, mediaType] = /^data:([^;,]{1,100});base64,/.exec(url) ?? [];
  if (prefix === undefined || mediaType === undefined) return [];
  return [answers.mediaBlock(mediaType, url.slice(prefix.length))];
}
