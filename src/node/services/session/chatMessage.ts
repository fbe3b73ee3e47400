/** Rows of `chat.jsonl`, in the shape that Mux writes them. */
import { randomUUID } from "node:crypto";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ToolPart {
  readonly type: "dynamic-tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** A call that never came to its end stays `input-available` and has no output. */
  readonly state: "input-available" | "output-available";
  readonly output?: unknown;
}

/** Text lies in one part a delta: join neighbours to read it. */
export type MessagePart = TextPart | ToolPart;

/** What a message carries for the host itself; other keys are other features' business. */
export interface MuxMetadata {
  /** A hook asked for this message (H27). */
  readonly stopHookActive?: boolean;
  readonly type?: string;
  readonly [key: string]: unknown;
}

export interface MessageMetadata {
  /** Grows from row to row. */
  readonly historySequence: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly model?: string;
  readonly mode?: string;
  readonly thinkingLevel?: string;
  readonly agentId?: string;
  readonly finishReason?: string;
  /** A user row that no user wrote. */
  readonly synthetic?: boolean;
  /** The message was cut short by an interrupt or an error. */
  readonly partial?: boolean;
  readonly error?: string;
  readonly errorType?: string;
  /** The message stands for everything before it. */
  readonly compacted?: boolean;
  readonly muxMetadata?: MuxMetadata;
}

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

/** The text after the last tool call: what the agent had to say in the end, empty where it said nothing (H13). */
export function finalText(parts: readonly MessagePart[]): string {
  const lastOther = parts.findLastIndex((part) => part.type !== "text");
  return parts
    .slice(lastOther + 1)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}

/** The tool by which a sub-agent hands in a report of its own making. */
export const REPORT_TOOL = "agent_report";

/** What a sub-agent tells its parent: the last report it handed in, else its final text (H28a). */
export function reportOf(parts: readonly MessagePart[]): string {
  const handedIn = parts.findLast((part) => part.type !== "text" && part.toolName === REPORT_TOOL);
  const input: unknown = handedIn?.type === "dynamic-tool" ? handedIn.input : undefined;
  const report =
    typeof input === "object" && input !== null && "reportMarkdown" in input
      ? input.reportMarkdown
      : undefined;
  return typeof report === "string" ? report : finalText(parts);
}
