import { expect, test } from "bun:test";
import { metrics } from "../../src/handlers/metrics.ts";
import { createContext } from "../support.ts";

const handler = metrics(async () => "highstreet_processes 1\n");

for (const [client, status] of [
  ["127.0.0.1", 200],
  ["::/64", 200],
  ["10.1.2.3", 200],
  ["172.31.0.1", 200],
  ["192.168.1.1", 200],
  ["fd12:3456:789a:1::/64", 200],
  ["203.0.113.9", 404],
  ["172.32.0.1", 404],
  ["169.254.1.1", 404],
  ["100.64.0.1", 404],
  ["2001:db8:1:2::/64", 404],
  ["fe80::/64", 404],
  ["", 404],
] as const) {
  test(`metrics are ${status === 200 ? "for" : "not for"} ${client || "a caller without an address"}`, async () => {
    const answer = await handler(new Request("http://localhost/metrics"), createContext(client));
    expect(answer.status).toBe(status);
  });
}
