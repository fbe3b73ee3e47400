/** A language model on loopback that says what a test has written down, in Anthropic's streaming format. */
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

export interface Reply {
  /** Which requests it answers; each of them where it is not given. */
  readonly when?: (request: ModelRequest) => boolean;
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** How much of its context the model says is in use. */
  readonly tokens?: number;
  /** Answers with this HTTP status and no message. */
  readonly status?: number;
  /** After the first word it stays silent until this is settled. */
  readonly until?: Promise<unknown>;
  /** How often it may be said; once where it is not given. */
  readonly times?: number;
}

/** What a host asked for. */
export interface ModelRequest {
  /** Text of the newest message, where the user wrote it; empty where it carries results of tools alone. */
  readonly said: string;
  /** What the user wrote first. */
  readonly opening: string;
  /** The whole conversation and the tools, as the host sent them. */
  readonly body: string;
}

interface Script {
  readonly reply: Reply;
  left: number;
}

export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  readonly #script: Script[];
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  private constructor(replies: readonly Reply[]) {
    this.#script = replies.map((reply) => ({ reply, left: reply.times ?? 1 }));
  }

  /** Each request gets the first reply that fits and is not used up. It ends with the test. */
  static async start(replies: readonly Reply[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(replies);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    onTestFinished(() => {
      model.#server.closeAllConnections();
      model.#server.close();
    });
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** What users said in each request, in order. */
  get said(): string[] {
    return this.requests.map(({ said }) => said);
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    if (incoming.url !== "/v1/messages") {
      response.writeHead(404).end();
      return;
    }
    const { messages } = JSON.parse(body) as { messages: Message[] };
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
    await streamReply(response, next.reply);
  }
}

/** Newer hosts have a word for their user's list of workspaces made, whenever they find the time. */
function isAside({ opening }: ModelRequest): boolean {
  return /\bsidebar\b/.test(opening.slice(0, 200));
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
