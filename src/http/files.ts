import { type Answer, finished } from "./answer.ts";
import type { Handler } from "./handler.ts";

/**
 * A file that may be cached for good under the query that names its version. Under any other query, as linked
 * by a server of another version, it must be revalidated.
 */
export function versionedFile(version: string, type: string, text: string): Handler {
  const forGood = file(type, text, "public, max-age=31536000, immutable");
  const headers = Object.freeze({ ...forGood.headers, "Cache-Control": "no-cache" });
  const forNow = { ...forGood, headers };
  return (_request, { query }) => (query === version ? forGood : forNow);
}

/** A file as it is, of a type such as `text/css`. */
export function file(type: string, text: string, cacheControl: string): Answer {
  return finished({
    status: 200,
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": cacheControl,
      "X-Content-Type-Options": "nosniff",
    },
    body: text,
  });
}
