/** What is said about each header of an answer: its meaning and the JSON Schema of its value. */
export const headers = {
  ETag: header(
    "Send it back in If-None-Match, with the same Accept-Encoding, to get 304 when nothing has changed.",
    {
      type: "string",
      pattern: '^"[^"]+"$',
    },
  ),
  Vary: header("The request headers that the answer depends on.", { type: "string" }),
  Allow: header("The methods that work here.", {
    type: "string",
    const: "GET, HEAD, OPTIONS",
  }),
  "Cache-Control": header(
    "`no-cache`: may be kept, but ask with its ETag before using it again. `no-store`: never kept.",
    { type: "string", enum: ["no-cache", "no-store"] },
  ),
  "Retry-After": header(
    "Seconds to wait before another try. For `quota_exceeded` they last until the first of the next month.",
    { type: "integer", minimum: 1 },
  ),
  "WWW-Authenticate": header("The challenge of RFC 6750.", {
    type: "string",
    pattern: '^Bearer realm="Highstreet"',
  }),
  "x-ratelimit-limit": header("Open access: requests in any 60 seconds.", {
    type: "integer",
    const: 60,
  }),
  "Access-Control-Allow-Origin": header("Open access: any web page may read it.", {
    type: "string",
    const: "*",
  }),
  "Access-Control-Expose-Headers": header("Open access: headers that a web page may read.", {
    type: "string",
  }),
  "RateLimit-Policy": header(
    'Keyed access: `q` requests in `w` seconds, by the minute ("permin") and the month ("month"). Where ' +
      "the bucket holds another number than `q`, that is `highstreet-burst`.",
    {
      type: "string",
      pattern: '^"permin";q=\\d+;w=60(;highstreet-burst=\\d+)?, "month";q=\\d+;w=\\d+$',
      examples: ['"permin";q=60;w=60, "month";q=1000;w=2592000'],
    },
  ),
  RateLimit: header(
    'Keyed access: `r` requests are left; in `t` seconds "permin" has one more, and "month" is whole again.',
    {
      type: "string",
      pattern: '^"permin";r=\\d+;t=\\d+, "month";r=\\d+;t=\\d+$',
      examples: ['"permin";r=59;t=1, "month";r=959;t=777600'],
    },
  ),
} as const;

export type HeaderName = keyof typeof headers;

function header(description: string, schema: Record<string, unknown>) {
  return { description, schema };
}
