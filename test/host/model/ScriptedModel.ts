/** A language model on loopback with scripted replies, in Anthropic's streaming format. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { streamReply } from "@test/host/model/messageStream";

export interface ToolCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** Registers what ends a model or a host: `onTestFinished`, or a list if several tests share it. */
export type AtEnd = (end: () => void | Promise<void>) => void;

export interface Reply {
  /** Selects the requests that get this reply. The default is every request. */
  readonly when?: (request: ModelRequest) => boolean;
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** The number of input tokens that the model reports. */
  readonly tokens?: number;
  /** Responds with this HTTP status and without a message. */
  readonly status?: number;
  /** Pauses after the first word until this is settled. */
  readonly until?: Promise<unknown>;
  /** The number of requests that get this reply. The default is one. */
  readonly times?: number;
}

/** A request of a host. */
export interface ModelRequest {
  /** The user's text in the newest message. It is empty if the message has only results of tools. */
  readonly said: string;
  /** The user's text in the first message. */
  readonly opening: string;
  /** The whole conversation and the tools, as the host sent them. */
  readonly body: string;
}

export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  #script: { readonly reply: Reply; left: number }[] = [];
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  /** Starts a model that ends with the test. Each request gets the first reply that matches and is not used up. */
  static async start(replies: readonly Reply[], atEnd: AtEnd = onTestFinished) {
    const model = new ScriptedModel();
    model.begin(replies);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    atEnd(() => {
      model.#server.closeAllConnections();
      model.#server.close();
    });
    return model;
  }

  /** Replaces the script, and forgets all requests. */
  begin(replies: readonly Reply[]): void {
    this.#script = replies.map((reply) => ({ reply, left: reply.times ?? 1 }));
    this.requests.length = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The user's text in each request, in order. */
  get said(): string[] {
    return this.requests.map(({ said }) => said);
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    if (incoming.url !== "/v1/messages") {
      response.writeHead(404).end();
      return;
    }
    const { messages, tool_choice: choice } = JSON.parse(body) as Request;
    const request = { said: wordsOf(messages.at(-1)), opening: wordsOf(messages[0]), body };
    if (isAside(request)) {
      await streamReply(response, { text: "Busy" });
      return;
    }
    this.requests.push(request);
    const next = this.#script.find(
      ({ reply, left }) => left > 0 && (reply.when?.(request) ?? true)
    );
    if (next === undefined) {
      await streamReply(response, { text: "Nothing is written down for this." });
      return;
    }
    next.left--;
    await streamReply(response, choice?.name === JSON_TOOL ? inJson(next.reply) : next.reply);
  }
}

/** Returns whether a newer host requests a title for its list of workspaces, which it may do at any time. */
function isAside({ opening }: ModelRequest): boolean {
  return /\bsidebar\b/.test(opening.slice(0, 200));
}

interface Request {
  readonly messages: readonly Message[];
  readonly tool_choice?: { readonly name?: string };
}

/** The tool by which older hosts require an answer in JSON. */
const JSON_TOOL = "json";

function inJson({ text = "{}", ...reply }: Reply): Reply {
  return {
    ...reply,
    tools: [{ name: JSON_TOOL, input: JSON.parse(text) as Record<string, unknown> }],
  };
}

interface Message {
  role: string;
  content: string | { type: string; text?: string }[];
}

function wordsOf(message: Message | undefined): string {
  if (message?.role !== "user") return "";
  const { content } = message;
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
