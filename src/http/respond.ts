import { memoized } from "../memoized.ts";
import {
  type Answer,
  addingHeaders,
  type HeaderFields,
  memoizedByHeaders,
  NO_HEADERS,
} from "./answer.ts";
import { type Coding, codings, Representation } from "./representation.ts";

/**
 * Turns an answer into the response to this request: a strong ETag on every 200 with a body and 304
 * for a caller that has it (RFC 9110, section 13), gzip or zstd when accepted, no body for HEAD.
 * @param further headers of every answer to this request
 */
export function respond(request: Request, answer: Answer, further = NO_HEADERS): Response {
  const { status, own, body } = answer;
  const fields = adding(further)(answer.headers);
  const isHead = request.method === "HEAD";
  // Bun adds it itself, except to most responses to HEAD.
  const date = isHead && { Date: new Date().toUTCString() };
  if (body === null) {
    return new Response(null, { status, headers: { ...fields, ...own, ...date } });
  }

  const representation = typeof body === "string" ? Representation.of(body) : body;
  const coding = representation.isWorthCoding ? acceptedCoding(request) : "identity";
  const tag = status === 200 ? representation.tag(coding) : null;
  // A caller cannot hold an earlier copy of an answer to a POST.
  const isHeld = tag !== null && (isHead || request.method === "GET") && holds(request, tag);
  const bytes = isHeld ? null : representation.bytes(coding);

  const shared = tag === null ? plainHeaders : validatedHeaders;
  const response = new Response(isHead ? null : bytes && bodyOf(bytes), {
    status: isHeld ? 304 : status,
    headers: shared(fields),
  });
  const { headers } = response;
  for (const name in own) headers.set(name, own[name] as string);
  if (tag !== null) headers.set("ETag", tag);
  if (isHeld) headers.delete("Content-Type");
  else if (coding !== "identity") headers.set("Content-Encoding", coding);
  if (isHead && bytes) headers.set("Content-Length", String(bytes.byteLength));
  if (date) headers.set("Date", date.Date);
  return response;
}

/**
 * The body for a response. Bun keeps a copy of the bytes of each response until the last of them is read,
 * however slowly, but shares a Blob among all responses made from it. Large bodies that stay in memory, such
 * as the script of the reference, are therefore sent as one Blob: otherwise callers who never read could
 * exhaust memory. What the cache reads from its file is new each time, and still copied.
 */
function bodyOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | Blob {
  if (bytes.byteLength < SMALLEST_SHARED) return bytes;
  return blobs.getOrInsertComputed(bytes, () => new Blob([bytes]));
}

const blobs = new WeakMap<Uint8Array, Blob>();

/** Bytes; anything smaller mostly fits into the system's socket buffers at once. */
const SMALLEST_SHARED = 64 * 1024;

/** By the further headers, the function that adds them, which itself caches its results by those of the answer. */
const adding = memoizedByHeaders(addingHeaders);

// A response copies Headers much faster than it builds them from an object.
const plainHeaders = memoizedByHeaders(varyingHeaders);
const validatedHeaders = memoizedByHeaders((fields) =>
  varyingHeaders({ "Cache-Control": "no-cache", ...fields }),
);

function varyingHeaders(fields: HeaderFields): Headers {
  const Vary = fields.Vary === undefined ? "Accept-Encoding" : `${fields.Vary}, Accept-Encoding`;
  return new Headers({ ...fields, Vary });
}

function acceptedCoding(request: Request): Coding {
  const header = request.headers.get("Accept-Encoding");
  return header === null ? "identity" : preferredCoding(header);
}

/** Clients send few different values, so each is parsed once. */
const preferredCoding = memoized(1_000, parsePreference);

/** The best coding that the caller accepts (RFC 9110, section 12.5.3). */
function parsePreference(header: string): Coding {
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

/** Whether the caller has the representation with this tag. */
function holds(request: Request, tag: string): boolean {
  const header = request.headers.get("If-None-Match");
  if (header === null) return false;
  // Nearly always the header is just that tag.
  if (header === tag || header === "*") return true;
  // Not split at commas: a tag may contain one.
  return header.match(/"[^"]*"/g)?.includes(tag) ?? false;
}
