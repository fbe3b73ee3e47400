/** Sends one POST request and reads its answer, up to a limit (H42). */
import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import { shortLine } from "@/node/services/hooks/execution/parseOutput";
import { errorCode, describeError } from "@/common/errors";
import { MAX_HTTP_ANSWER_BYTES, MIB } from "@/common/limits";

export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The only addresses that may be connected to. */
  readonly addresses: readonly LookupAddress[];
  /** Closes the connection when aborted. */
  readonly signal: AbortSignal;
}

export type HttpAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** The header `Location`, or the empty string. */
      readonly location: string;
      readonly body: Uint8Array;
    }
  /** There is no complete answer. */
  | { readonly kind: "failed"; readonly message: string };

/** Never rejects. Follows no redirect, uses no proxy, and closes the connection at the end. */
export async function postOnce(given: HttpRequest): Promise<HttpAnswer> {
  const { url, headers, body, addresses, signal } = given;
  const client = url.protocol === "https:" ? https : http;
  return await new Promise((resolve) => {
    let isAnswered = false;
    const failed = (thrown: unknown): void => {
      resolve({ kind: "failed", message: describeFailure(thrown, url) });
    };
    try {
      const request = client.request(url, {
        method: "POST",
        headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        // An agent of its own: the global one may use proxy variables, and keeps connections open.
        agent: new client.Agent({ keepAlive: false }),
        lookup: only(addresses),
        signal,
      });
      request.on("error", failed);
      request.on("response", (response) => {
        isAnswered = true;
        read(response).then(resolve, failed);
      });
      // Has no effect after an answer or an error. Without either, the server has only closed the connection.
      request.on("close", () => {
        if (!isAnswered) failed(undefined);
      });
      request.end(body);
    } catch (thrown) {
      failed(thrown);
    }
  });
}

/** Returns a lookup function for a connection that only returns the addresses that were checked. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family);
  };
}

async function read(response: http.IncomingMessage): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop destroys the response and its connection.
    if (bytes > MAX_HTTP_ANSWER_BYTES) {
      return {
        kind: "failed",
        message: `the answer of the server is larger than ${MAX_HTTP_ANSWER_BYTES / MIB} MiB, so it was not read; let the server send less`,
      };
    }
    chunks.push(chunk);
  }
  return { kind: "answer", status, location: headers.location ?? "", body: Buffer.concat(chunks) };
}

const CLOSED = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);
const CERTIFICATE =
  /^(?:ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/;

function describeFailure(thrown: unknown, { host, protocol }: URL): string {
  const code = errorCode(thrown) ?? "";
  if (thrown === undefined || CLOSED.has(code))
    return `the request failed, because ${host} closed the connection before the answer was complete`;
  if (code === "ECONNREFUSED")
    return `the request failed, because ${host} does not accept connections; check that the server runs and that the port in "url" is correct`;
  const problem = shortLine(describeError(thrown));
  if (protocol === "https:" && CERTIFICATE.test(code))
    return `the request was not sent, because the certificate of ${host} is not accepted (${problem}); use a certificate that this machine trusts, or start the session with NODE_EXTRA_CA_CERTS=FILE, where FILE contains the certificate of its issuer`;
  return `the request to ${host} failed: ${problem === "AggregateError" ? code : problem}`;
}
