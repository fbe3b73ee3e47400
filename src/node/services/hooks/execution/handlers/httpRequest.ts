/**
 * Sends one POST request, without a proxy and redirects, and reads its answer up to a limit. Also resolves the host of
 * a URL, and for a hook of the checkout refuses addresses that are not public (H42).
 */
import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import { BlockList, isIP } from "node:net";
import { lookup } from "node:dns/promises";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import { MAX_HTTP_ANSWER_BYTES, MIB } from "@/common/limits";
import { shortLine } from "@/node/services/hooks/execution/parseOutput";

interface HttpRequest {
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

/** Sends a request. Never rejects, follows no redirect, uses no proxy, and closes the connection at the end. */
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
        // Only the addresses that were checked.
        lookup: (_name, { all }, done) => {
          const [first] = addresses;
          if (all === true) done(null, [...addresses]);
          else done(null, first?.address ?? "", first?.family);
        },
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

/** A function that returns all addresses of a name. */
export type LookupAll = (name: string) => Promise<readonly LookupAddress[]>;

export const lookupAll: LookupAll = (name) => lookup(name, { all: true });

/** The blocks of the IANA registry of special-purpose IPv4 addresses, with multicast. */
const SPECIAL_V4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);
/** All global unicast addresses. Every other block is special, including those that contain an IPv4 address. */
const GLOBAL_V6 = blockList("ipv6", [["2000::", 3]]);
/** The special blocks among them: tunnels, which contain an IPv4 address, and documentation. */
const SPECIAL_V6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

function blockList(
  family: "ipv4" | "ipv6",
  blocks: readonly (readonly [address: string, prefix: number])[]
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of blocks) list.addSubnet(address, prefix, family);
  return list;
}

/** Returns whether an address is on the public internet. A text that is not an address is not. */
export function isPublicAddress(text: string): boolean {
  const [address = ""] = text.split("%", 1); // Without the zone of a link-local address.
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_V4.check(address, "ipv4");
    case 6:
      return GLOBAL_V6.check(address, "ipv6") && !SPECIAL_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * Resolves the host of a URL once. The caller has to connect to the returned addresses, since a second lookup could
 * return others. An error is a message for the user.
 */
export async function findAddresses(
  { hostname }: URL,
  { publicOnly, lookup }: { readonly publicOnly: boolean; readonly lookup: LookupAll }
): Promise<Result<readonly LookupAddress[], string>> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  let addresses: readonly LookupAddress[];
  try {
    addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  } catch (thrown) {
    return err(nameNotResolved(host, describeError(thrown)));
  }
  if (addresses.length === 0) return err(nameNotResolved(host, "it has no address"));
  const refused = publicOnly && addresses.find(({ address }) => !isPublicAddress(address));
  if (!refused) return ok(addresses);
  const { address } = refused;
  const where = host === address ? address : `${host} has the address ${address}, which`;
  return err(
    `the request was not sent, because ${where} is not a public address, and a hook of a project can reach public addresses only; to allow it, configure the hook in your user settings`
  );
}

/** @param problem of the resolver */
function nameNotResolved(host: string, problem: string): string {
  return `the request was not sent, because the name ${host} could not be resolved (${problem}); check its "url" and the network`;
}
