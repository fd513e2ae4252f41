import { describe, expect, test } from "bun:test";
import { clientAddress } from "../../src/http/client-address.ts";

describe("without trusted proxies the peer is the client", () => {
  const addressOf = clientAddress([]);
  const cases: [peer: string, client: string][] = [
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:0000:0000:0000:0001", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
  ];
  for (const [peer, client] of cases) {
    test(`${peer} is ${client}`, () => {
      expect(addressOf(peer, null)).toBe(client);
      expect(addressOf(peer, "198.51.100.1")).toBe(client);
    });
  }
});

const PROXIES = [
  "10.0.0.0/8",
  "192.0.2.7",
  "::ffff:192.0.2.9",
  "2001:db8:ffff::/48",
  "2001:db8:a::7",
];

describe(`X-Forwarded-For behind the trusted proxies ${PROXIES.join(", ")}`, () => {
  const addressOf = clientAddress(PROXIES);
  const cases: [what: string, peer: string, header: string | null, client: string][] = [
    ["no header", "10.0.0.1", null, "10.0.0.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["one hop", "10.0.0.1", "203.0.113.7", "203.0.113.7"],
    [
      "what a client wrote itself is not believed",
      "10.0.0.1",
      "1.1.1.1, 203.0.113.7",
      "203.0.113.7",
    ],
    ["several proxies", "10.0.0.1", "203.0.113.7, 192.0.2.7, 10.9.9.9", "203.0.113.7"],
    ["an untrusted peer", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["an IPv4-mapped peer", "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["an IPv6 peer", "2001:db8:ffff::1", "2001:db8:1:2::3", "2001:db8:1:2::/64"],
    ["a proxy that is given as IPv4-mapped", "192.0.2.9", "203.0.113.7", "203.0.113.7"],
    ["a neighbour of a proxy", "192.0.2.6", "203.0.113.7", "192.0.2.6"],
    ["an IPv6 proxy that is no range", "2001:db8:a::7", "203.0.113.7", "203.0.113.7"],
    ["a neighbour of an IPv6 proxy", "2001:db8:a::6", "203.0.113.7", "2001:db8:a::/64"],
    ["only proxies", "10.0.0.1", "10.0.0.2,10.0.0.3", "10.0.0.2"],
    ["a port", "10.0.0.1", "203.0.113.7:5678", "203.0.113.7"],
    ["an IPv6 address with a port", "10.0.0.1", "[2001:db8:1:2::3]:80", "2001:db8:1:2::/64"],
    ["an IPv6 address in brackets", "10.0.0.1", "[2001:db8:1:2::3]", "2001:db8:1:2::/64"],
    ["an IPv4-mapped entry", "10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["an IPv4-mapped proxy", "10.0.0.1", "203.0.113.7, ::ffff:10.0.0.5", "203.0.113.7"],
    ["no spaces, and many", "10.0.0.1", "1.1.1.1,203.0.113.7 ,  10.0.0.2", "203.0.113.7"],
    ["a malformed entry ends the walk", "10.0.0.1", "203.0.113.7, unknown, 10.0.0.2", "10.0.0.2"],
    ["a malformed last entry", "10.0.0.1", "203.0.113.7, evil", "10.0.0.1"],
    ["an empty entry ends the walk", "10.0.0.1", "203.0.113.7, , 10.0.0.2", "10.0.0.2"],
    ["shortened IPv4", "10.0.0.1", "203.0.113", "10.0.0.1"],
    ["a dot at the end", "10.0.0.1", "203.0.113.7.", "10.0.0.1"],
    ["a number of more than a byte", "10.0.0.1", "203.0.113.256", "10.0.0.1"],
    ["a number of far more than a byte", "10.0.0.1", "203.0.113.260", "10.0.0.1"],
    ["a leading zero", "10.0.0.1", "203.0.113.07", "10.0.0.1"],
    ["five numbers", "10.0.0.1", "203.0.113.7.9", "10.0.0.1"],
    ["octal IPv4", "10.0.0.1", "0313.0.0161.07", "10.0.0.1"],
    ["a bare number", "10.0.0.1", "3405803783", "10.0.0.1"],
    ["IPv4 in brackets", "10.0.0.1", "[203.0.113.7]:80", "10.0.0.1"],
    ["more than a port", "10.0.0.1", "203.0.113.7:5678x", "10.0.0.1"],
    ["more than brackets", "10.0.0.1", "[2001:db8:1:2::3]x", "10.0.0.1"],
    ["a name", "10.0.0.1", "localhost", "10.0.0.1"],
  ];
  for (const [what, peer, header, client] of cases) {
    test(what, () => expect(addressOf(peer, header)).toBe(client));
  }
});

test("a peer that is not an IP address is a client as it stands", () => {
  expect(clientAddress([])("", null)).toBe("");
  expect(clientAddress(["10.0.0.0/8"])("somewhere", "203.0.113.7")).toBe("somewhere");
});
