import type { Answer } from "./answer.ts";

/**
 * Turns an answer into the response to this request: a strong ETag on every 200 with a body and 304
 * for a caller that has it (RFC 9110, section 13), gzip or zstd when accepted, no body for HEAD.
 */
export function respond(request: Request, { status, headers, body, encodings }: Answer): Response {
  if (body === null) return new Response(null, { status, headers });

  const isSuccess = status === 200;
  const coding = body.length >= SMALLEST_COMPRESSED ? acceptedCoding(request) : "identity";
  const sent = new Headers(headers);
  sent.append("Vary", "Accept-Encoding");
  if (coding !== "identity") sent.set("Content-Encoding", coding);
  if (isSuccess) {
    const hash = Bun.hash.xxHash64(body).toString(36);
    // A strong tag names the very bytes, so each coding has its own.
    const tag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
    sent.set("ETag", tag);
    if (!sent.has("Cache-Control")) sent.set("Cache-Control", "no-cache");
    if (holds(request, tag)) {
      sent.delete("Content-Type");
      sent.delete("Content-Encoding");
      return new Response(null, { status: 304, headers: sent });
    }
  }

  const bytes = encodings?.get(coding) ?? encode(body, coding);
  encodings?.set(coding, bytes);
  if (request.method === "HEAD") {
    sent.set("Content-Length", String(bytes.byteLength));
    return new Response(null, { status, headers: sent });
  }
  return new Response(bytes, { status, headers: sent });
}

/** The better one first. */
const codings = ["zstd", "gzip"] as const;
type Coding = (typeof codings)[number] | "identity";

/** Below this many characters the frame of a compressed form eats up what it saves. */
const SMALLEST_COMPRESSED = 512;

function encode(body: string, coding: Coding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  if (coding === "gzip") return Bun.gzipSync(bytes, { level: 6 });
  if (coding === "zstd") return new Uint8Array(Bun.zstdCompressSync(bytes));
  return bytes;
}

/** The best coding that the caller accepts (RFC 9110, section 12.5.3). */
function acceptedCoding(request: Request): Coding {
  const accepted = new Map<string, number>();
  for (const part of (request.headers.get("Accept-Encoding") ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    accepted.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (coding: string) => accepted.get(coding) ?? accepted.get("*") ?? 0;
  const identity = accepted.get("identity") ?? 0;
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best && weightOf(best) > 0 && weightOf(best) >= identity ? best : "identity";
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
