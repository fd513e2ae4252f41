import { LRUCache } from "lru-cache";
import { type Answer, isFinished } from "./answer.ts";
import { type Coding, codings, Representation } from "./representation.ts";

/**
 * Turns an answer into the response to this request: a strong ETag on every 200 with a body and 304
 * for a caller that has it (RFC 9110, section 13), gzip or zstd when accepted, no body for HEAD.
 */
export function respond(request: Request, answer: Answer): Response {
  const { status, body } = answer;
  if (body === null) return new Response(null, { status, headers: answer.headers });

  const representation = typeof body === "string" ? new Representation(body) : body;
  const isWorthCoding = representation.size >= SMALLEST_COMPRESSED;
  const coding = isWorthCoding ? acceptedCoding(request) : "identity";
  const headers = headersOf(answer, representation, coding);
  if (status === 200 && holds(request, representation.tag(coding))) {
    const kept = new Headers(headers);
    kept.delete("Content-Type");
    kept.delete("Content-Encoding");
    return new Response(null, { status: 304, headers: kept });
  }
  const bytes = representation.bytes(coding);
  if (request.method === "HEAD") {
    const counted = new Headers(headers);
    counted.set("Content-Length", String(bytes.byteLength));
    return new Response(null, { status, headers: counted });
  }
  return new Response(bytes, { status, headers });
}

/** Below this many bytes the frame of a compressed form eats up what it saves. */
const SMALLEST_COMPRESSED = 512;

/** The headers of answers that are given again and again, for each coding. */
const knownHeaders = new WeakMap<Answer, Partial<Record<Coding, Headers>>>();

function headersOf(answer: Answer, representation: Representation, coding: Coding): Headers {
  if (!isFinished(answer)) return makeHeaders(answer, representation, coding);
  let known = knownHeaders.get(answer);
  if (!known) {
    known = {};
    knownHeaders.set(answer, known);
  }
  known[coding] ??= makeHeaders(answer, representation, coding);
  return known[coding];
}

function makeHeaders(
  { status, headers }: Answer,
  representation: Representation,
  coding: Coding,
): Headers {
  const made = new Headers(headers);
  made.append("Vary", "Accept-Encoding");
  if (coding !== "identity") made.set("Content-Encoding", coding);
  if (status === 200) {
    made.set("ETag", representation.tag(coding));
    if (!made.has("Cache-Control")) made.set("Cache-Control", "no-cache");
  }
  return made;
}

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
