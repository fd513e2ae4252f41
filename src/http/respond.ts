import { LRUCache } from "lru-cache";
import type { Answer } from "./answer.ts";
import { type Coding, codings, Representation } from "./representation.ts";

/**
 * Turns an answer into the response to this request: a strong ETag on every 200 with a body and 304
 * for a caller that has it (RFC 9110, section 13), gzip or zstd when accepted, no body for HEAD.
 */
export function respond(request: Request, { status, headers, body }: Answer): Response {
  if (body === null) return new Response(null, { status, headers });

  const representation = typeof body === "string" ? new Representation(body) : body;
  const isWorthCoding = representation.size >= SMALLEST_COMPRESSED;
  const coding = isWorthCoding ? acceptedCoding(request) : "identity";
  const sent: Record<string, string> = {
    ...headers,
    Vary: headers.Vary === undefined ? "Accept-Encoding" : `${headers.Vary}, Accept-Encoding`,
  };
  if (status === 200) {
    const tag = representation.tag(coding);
    sent.ETag = tag;
    sent["Cache-Control"] ??= "no-cache";
    if (holds(request, tag)) {
      delete sent["Content-Type"];
      return new Response(null, { status: 304, headers: sent });
    }
  }
  if (coding !== "identity") sent["Content-Encoding"] = coding;

  const bytes = representation.bytes(coding);
  if (request.method === "HEAD") {
    sent["Content-Length"] = String(bytes.byteLength);
    return new Response(null, { status, headers: sent });
  }
  return new Response(bytes, { status, headers: sent });
}

/** Below this many bytes the frame of a compressed form eats up what it saves. */
const SMALLEST_COMPRESSED = 512;

/** Clients are of few kinds: what each of their headers asks for is worked out once. */
const knownPreferences = new LRUCache<string, Coding>({ max: 1_000 });

function acceptedCoding(request: Request): Coding {
  const header = request.headers.get("Accept-Encoding");
  if (header === null) return "identity";
  let coding = knownPreferences.get(header);
  if (coding === undefined) {
    coding = preferredCoding(header);
    knownPreferences.set(header, coding);
  }
  return coding;
}

/** The best coding that the caller accepts (RFC 9110, section 12.5.3). */
function preferredCoding(header: string): Coding {
  const accepted = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    accepted.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const identity = accepted.get("identity") ?? 0;
  const weightOf = (coding: Coding) =>
    coding === "identity" ? identity : (accepted.get(coding) ?? accepted.get("*") ?? 0);
  const [best = "identity"] = codings.toSorted((a, b) => weightOf(b) - weightOf(a));
  return weightOf(best) > 0 ? best : "identity";
}

/** Whether the caller has the representation of this tag. */
function holds(request: Request, tag: string): boolean {
  const header = request.headers.get("If-None-Match");
  if (header === null) return false;
  return header.split(",").some((item) => {
    const known = item.trim().replace(/^W\//, "");
    return known === "*" || known === tag;
  });
}
