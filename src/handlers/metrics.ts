import ipaddr from "ipaddr.js";
import { Registry } from "prom-client";
import { notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";

/**
 * GET /metrics, for Prometheus on the same machine or network; anybody else gets 404. So does a request with
 * the headers of a proxy, which could come from anywhere.
 * @param scrape all metrics, in the text format of Prometheus
 */
export function metrics(scrape: () => Promise<string>): Handler {
  return async function metrics(request, { client }) {
    const isPassedOn = PROXY_HEADERS.some((name) => request.headers.has(name));
    if (isPassedOn || !isNear(client())) return notFound();
    const headers = {
      "Content-Type": Registry.PROMETHEUS_CONTENT_TYPE,
      "Cache-Control": "no-store",
    };
    return { status: 200, headers, body: await scrape() };
  };
}

const PROXY_HEADERS = ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"];

/** Whether a caller is on loopback or a private network (RFC 1918, RFC 4193). */
function isNear(client: string): boolean {
  // An IPv6 client is its /64 network; that of ::1 holds nobody else.
  const [address = ""] = client.split("/");
  if (!ipaddr.isValid(address)) return false;
  const range = ipaddr.parse(address).range();
  return ["loopback", "private", "uniqueLocal"].includes(range) || client === "::/64";
}
