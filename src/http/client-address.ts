import ipaddr from "ipaddr.js";
import { memoized } from "../memoized.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Whom a request counts against: an IPv4 address, or the /64 network of an IPv6 address, since one subscriber
 * holds all of it (RFC 6177). IPv4-mapped IPv6 addresses are folded to IPv4.
 *
 * The peer of the connection is the client, unless it is a trusted proxy. Then X-Forwarded-For is read from
 * the right, where each proxy appends its own peer, up to the first address that is not a trusted proxy.
 * Whatever is to the left of that, or of a malformed entry, may be forged.
 * @param trustedProxies addresses and CIDR ranges
 */
export function clientAddress(
  trustedProxies: readonly string[],
): (peer: string, xForwardedFor: string | null) => string {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: Address) =>
    ipaddr.subnetMatch(address, { trusted: ranges }, "") === "trusted";
  // When there is a proxy, all requests come from a few addresses.
  const readPeer = memoized(1_000, (text) => {
    const address = parseAddress(text);
    return { address, isTrusted: address !== null && isTrusted(address) };
  });

  return function clientAddress(peer, xForwardedFor) {
    if (ranges.length === 0 && IPV4.test(peer)) return peer;

    const { address, isTrusted: isProxy } = readPeer(peer);
    if (!address) return peer;
    let client = address;
    if (xForwardedFor !== null && isProxy) {
      // By far the most common case, which needs no parsing.
      if (IPV4.test(xForwardedFor)) return xForwardedFor;
      for (const entry of xForwardedFor.split(",").reverse()) {
        const heard = parseEntry(entry.trim());
        if (!heard) break;
        client = heard;
        if (!isTrusted(client)) break;
      }
    }
    return networkOf(client);
  };
}

/** IPv4 in its canonical form: four decimal numbers without leading zeros. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Whether a text is an address or a CIDR range in an unambiguous spelling. */
export function isAddressOrRange(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  if (!text.includes(":")) {
    return IPv4.isValidFourPartDecimal(text) || IPv4.isValidCIDRFourPartDecimal(text);
  }
  if (!text.includes("/")) return IPv6.isValid(text);
  // An IPv4-mapped range would match nobody: such addresses are folded to IPv4.
  return IPv6.isValidCIDR(text) && !IPv6.parseCIDR(text)[0].isIPv4MappedAddress();
}

function parseRange(text: string): [network: Address, prefixLength: number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const network = ipaddr.process(text);
  return [network, network.kind() === "ipv4" ? 32 : 128];
}

/** An entry of X-Forwarded-For: an address, perhaps with a port; IPv6 may be in brackets. */
function parseEntry(entry: string): Address | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(entry)?.[1];
  if (bracketed !== undefined) return bracketed.includes(":") ? parseAddress(bracketed) : null;
  const withPort = /^([\d.]+):\d{1,5}$/.exec(entry)?.[1];
  return parseAddress(withPort ?? entry);
}

/** Only the usual spellings: no octal, hexadecimal or shortened IPv4. Null for anything else. */
function parseAddress(text: string): Address | null {
  const isUsual = text.includes(":")
    ? ipaddr.IPv6.isValid(text)
    : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isUsual ? ipaddr.process(text) : null;
}

function networkOf(address: Address): string {
  if (address.kind() === "ipv4") return address.toString();
  const network = new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
