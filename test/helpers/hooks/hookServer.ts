/** A server on loopback that gets the requests of http handlers. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface SentRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Respond = (response: http.ServerResponse, request: http.IncomingMessage) => void;

export class HookServer {
  readonly requests: SentRequest[] = [];
  readonly #server: http.Server;

  private constructor(create: (listener: http.RequestListener) => http.Server, respond: Respond) {
    this.#server = create((request, response) => {
      void text(request).then((body) => {
        const { method, url: path, headers } = request;
        this.requests.push({ method, path, headers, body });
        respond(response, request);
      });
    });
  }

  /** Starts a server that ends with the test. */
  static async start(respond: Respond, address = "127.0.0.1"): Promise<HookServer> {
    return await new HookServer((listener) => http.createServer(listener), respond).#listen(
      address
    );
  }

  /** Starts a server with a certificate that its own key has signed. The key is for these tests only. */
  static async startTls(respond: Respond): Promise<HookServer> {
    const pem = readFileSync(new URL("selfSigned.pem", import.meta.url));
    const create = (listener: http.RequestListener) =>
      https.createServer({ key: pem, cert: pem }, listener);
    return await new HookServer(create, respond).#listen("127.0.0.1");
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(host = "127.0.0.1", protocol = "http"): string {
    return `${protocol}://${host}:${this.port}/hook`;
  }

  /** Resolves when a client has closed its connection. */
  async connectionClosed(): Promise<void> {
    const [socket] = (await once(this.#server, "connection")) as [NodeJS.EventEmitter];
    await once(socket, "close");
  }

  async #listen(address: string): Promise<this> {
    this.#server.listen(0, address);
    await once(this.#server, "listening");
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return this;
  }
}

/** Returns a response with this body. An object is sent as JSON. */
export function answers(body: unknown, status = 200): Respond {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
