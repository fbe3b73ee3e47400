/** A proxy that connects to nothing, and records where a host wanted to go. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export class ClosedNetwork {
  /** The addresses that were asked for. */
  readonly wanted: string[] = [];
  readonly #server = createServer((request, response) => {
    this.wanted.push(request.url ?? "");
    response.writeHead(502).end();
  });

  static async start(): Promise<ClosedNetwork> {
    const network = new ClosedNetwork();
    network.#server.on("connect", ({ url = "" }, socket) => {
      network.wanted.push(url);
      socket.on("error", () => undefined).end("HTTP/1.1 502 Closed\r\n\r\n");
    });
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    onTestFinished(() => {
      network.#server.closeAllConnections();
      network.#server.close();
    });
    return network;
  }

  /** The variables by which programs find their proxy. */
  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    const none = { NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" };
    const all = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, url]);
    return { ...none, ...(Object.fromEntries(all) as Record<string, string>) };
  }
}
