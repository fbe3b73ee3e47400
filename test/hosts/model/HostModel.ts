/** A language model on loopback with scripted replies, in the format of the host that asks it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { HostReply, ModelRequest, WireFormat } from "@test/hosts/model/wireFormat";

type Replier = (request: ModelRequest) => HostReply;

/** The replies in their order, or a function that decides on each of them. */
export type Replies = readonly HostReply[] | Replier;

export class HostModel {
  /** The requests for an answer of the agent, in order. */
  readonly requests: ModelRequest[] = [];
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });
  readonly #next: Replier;

  private constructor(
    private readonly format: WireFormat,
    replies: Replies
  ) {
    this.#next = typeof replies === "function" ? replies : inOrder(replies);
  }

  /** Starts a model that ends with the test. */
  static async start(format: WireFormat, replies: Replies): Promise<HostModel> {
    const model = new HostModel(format, replies);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    onTestFinished(() => {
      model.#server.closeAllConnections();
      model.#server.close();
    });
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The user's text at the end of each request that has some, in order: the results of tools have none. */
  get said(): string[] {
    return this.requests.map(({ said }) => said).filter((said) => said !== "");
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const request = this.format.read(incoming.url ?? "", body);
    if (request === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (request.isAside) {
      this.format.reply(response, { text: "Busy" }, request);
      return;
    }
    this.requests.push(request);
    const reply = this.#next(request);
    await reply.before?.();
    if (reply.status === undefined) this.format.reply(response, reply, request);
    else this.#fail(response, reply.status);
  }

  /** Sends an error with what each format needs: a host does not try again if a quota is used up for the day. */
  #fail(response: ServerResponse, status: number): void {
    const message = `The script says ${status}.`;
    const error =
      status === 429
        ? { code: 429, type: "insufficient_quota", status: "RESOURCE_EXHAUSTED" }
        : { code: status, type: "scripted", status: "SCRIPTED" };
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }],
      },
    ];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ error: { ...error, message, ...(status === 429 ? { details } : {}) } })
    );
  }
}

/** Each request gets the next reply that is not used up. */
function inOrder(replies: readonly HostReply[]): Replier {
  const script = replies.map((reply) => ({ reply, left: reply.times ?? 1 }));
  return () => {
    const next = script.find(({ left }) => left > 0);
    if (next === undefined) return { text: "Nothing is written down for this." };
    next.left--;
    return next.reply;
  };
}
