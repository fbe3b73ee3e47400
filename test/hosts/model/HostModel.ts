/** A language model on loopback with scripted replies, in the format of the host that asks it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { HostReply, ModelRequest, WireFormat } from "@test/hosts/model/wireFormat";

export class HostModel {
  /** The requests for an answer of the agent, in order. */
  readonly requests: ModelRequest[] = [];
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });
  readonly #script: { readonly reply: HostReply; left: number }[];

  private constructor(
    private readonly format: WireFormat,
    replies: readonly HostReply[]
  ) {
    this.#script = replies.map((reply) => ({ reply, left: reply.times ?? 1 }));
  }

  /** Starts a model that ends with the test. Each request gets the next reply that is not used up. */
  static async start(format: WireFormat, replies: readonly HostReply[]): Promise<HostModel> {
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

  /** The user's text at the end of each request, in order. */
  get said(): string[] {
    return this.requests.map(({ said }) => said);
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
    const next = this.#script.find(({ left }) => left > 0);
    if (next === undefined) {
      this.format.reply(response, { text: "Nothing is written down for this." }, request);
      return;
    }
    next.left--;
    await next.reply.before?.();
    if (next.reply.status === undefined) this.format.reply(response, next.reply, request);
    else this.#fail(response, next.reply.status);
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
