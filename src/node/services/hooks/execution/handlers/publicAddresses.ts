/** Finds the addresses of a server, and checks that a hook of a project may connect to them (H42). */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";

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
  const refused = publicOnly
    ? addresses.find(({ address }) => !isPublicAddress(address))
    : undefined;
  return refused === undefined ? ok(addresses) : err(addressNotPublic(host, refused.address));
}

/** @param problem of the resolver */
function nameNotResolved(host: string, problem: string): string {
  return `the request was not sent, because the name ${host} could not be resolved (${problem}); check its "url" and the network`;
}

/** A handler of the project whose server is not on the public internet. */
function addressNotPublic(host: string, address: string): string {
  const where = host === address ? address : `${host} has the address ${address}, which`;
  return `the request was not sent, because ${where} is not a public address, and a hook of a project can reach public addresses only; to allow it, configure the hook in your user settings`;
}
