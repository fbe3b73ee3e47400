/**
 * The messages of a session as rows of `chat.jsonl`, in Mux's format, and functions that create their IDs and read the
 * agent's final text or a sub-agent's report from their parts.
 */
import { randomUUID } from "node:crypto";
import { isJsonObject } from "@/common/json";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A call of a tool. */
export interface ToolPart {
  readonly type: "dynamic-tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** A call that did not finish stays `input-available` and has no output. */
  readonly state: "input-available" | "output-available";
  readonly output?: unknown;
}

/** Each delta is a text part of its own: join adjacent parts to read the text. */
export type MessagePart = TextPart | ToolPart;

/** The host's own data in a message. Other keys belong to other features. */
export interface MuxMetadata {
  /** A hook requested this message (H27). */
  readonly stopHookActive?: boolean;
  readonly type?: string;
  readonly [key: string]: unknown;
}

/** The options for answering a turn. A continuation keeps those of the stopped turn. */
export interface TurnOptions {
  readonly model?: string;
  readonly mode?: string;
  readonly thinkingLevel?: string;
  readonly agentId?: string;
}

export interface MessageMetadata extends TurnOptions {
  /** Increases from row to row. */
  readonly historySequence: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly finishReason?: string;
  /** A user row that the user did not write. */
  readonly synthetic?: boolean;
  /** The message was cut short by an interrupt or an error. */
  readonly partial?: boolean;
  readonly error?: string;
  readonly errorType?: string;
  /** The message replaces everything before it. */
  readonly compacted?: boolean;
  readonly muxMetadata?: MuxMetadata;
}

/** A row of `chat.jsonl`. */
export interface ChatMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly MessagePart[];
  readonly metadata: MessageMetadata;
  readonly workspaceId: string;
}

export function newMessageId(role: ChatMessage["role"]): string {
  return `${role}-${randomUUID()}`;
}

/** Returns the text after the last tool call, which is the agent's final text; empty if there is none (H13). */
export function finalText(parts: readonly MessagePart[]): string {
  const lastOther = parts.findLastIndex((part) => part.type !== "text");
  return parts
    .slice(lastOther + 1)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}

/** The tool with which a sub-agent submits a report that it wrote itself. */
export const REPORT_TOOL = "agent_report";

/** Returns a sub-agent's report to its parent: the last one it submitted, otherwise its final text (H28a). */
export function reportOf(parts: readonly MessagePart[]): string {
  const lastCall = parts.findLast((part) => part.type !== "text" && part.toolName === REPORT_TOOL);
  const input: unknown = lastCall?.type === "dynamic-tool" ? lastCall.input : undefined;
  const report = isJsonObject(input) ? input.reportMarkdown : undefined;
  return typeof report === "string" ? report : finalText(parts);
}
