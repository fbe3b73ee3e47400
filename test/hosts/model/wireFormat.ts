/** What the formats of different models have in common. */
import type { ServerResponse } from "node:http";
import type { ToolCall } from "@test/host/model/ScriptedModel";

export interface HostReply {
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** Reports that the text ends at the limit of the model's output. */
  readonly isCut?: boolean;
  /** Responds with this HTTP status and without a message. 429 means that a quota is used up for the day. */
  readonly status?: number;
  /** Runs when the request has arrived, before the reply is sent. */
  readonly before?: () => Promise<void>;
  /** The number of requests that get this reply. The default is one. */
  readonly times?: number;
}

export interface ModelRequest {
  /** The user's text since the last message of the agent. Hosts add their own text to it. */
  readonly said: string;
  /** The names of the tools that the host offers. */
  readonly tools: readonly string[];
  /** Whether the host asks for something else than an answer of the agent, such as a title. */
  readonly isAside: boolean;
  /** The path of the address. */
  readonly path: string;
  /** The whole request, as the host sent it. */
  readonly body: string;
}

export interface WireFormat {
  /** Returns undefined if the path is not one at which the model answers. */
  readonly read: (path: string, body: string) => ModelRequest | undefined;
  readonly reply: (response: ServerResponse, reply: HostReply, request: ModelRequest) => void;
}

/** A message of the conversation; `isUser` is false for everything that the agent and its tools said. */
export interface Said {
  readonly isUser: boolean;
  readonly text: string;
}

/** Joins the texts of the user's messages at the end of a conversation. */
export function lastWords(conversation: readonly Said[]): string {
  const last = conversation.findLastIndex(({ isUser }) => !isUser);
  return conversation
    .slice(last + 1)
    .map(({ text }) => text)
    .join("\n");
}

/** Joins the texts of parts that have one. */
export function textOf(content?: string | readonly { readonly text?: string }[] | null) {
  if (typeof content !== "object" || content === null) return content ?? "";
  return content.flatMap(({ text = "" }) => (text === "" ? [] : [text])).join("\n");
}

/** Sends all events of a reply as server-sent events. */
export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `${event}\n\n`).join(""));
}

let calls = 0;

/** Returns an ID for a call of a tool. */
export function newCallId(): string {
  return `call_${++calls}`;
}
