/** The documentation of each response header: its meaning and the JSON Schema of its value. */
export const headers = {
  ETag: header(
    "Send it back in If-None-Match, with the same Accept-Encoding, to get 304 if nothing has changed.",
    {
      type: "string",
      pattern: '^"[^"]+"$',
    },
  ),
  Vary: header("The request headers that the response depends on.", { type: "string" }),
  Allow: header("The supported methods.", {
    type: "string",
    const: "GET, HEAD, OPTIONS",
  }),
  "Cache-Control": header(
    "`no-cache`: may be cached, but must be revalidated with its ETag before reuse. `no-store`: must not be cached.",
    { type: "string", enum: ["no-cache", "no-store"] },
  ),
  "Retry-After": header(
    "Seconds to wait before a retry. For `quota_exceeded`, until the first of the next month.",
    { type: "integer", minimum: 1 },
  ),
  "WWW-Authenticate": header("The challenge that RFC 6750 defines.", {
    type: "string",
    pattern: '^Bearer realm="Highstreet"',
  }),
  "X-Request-Id": header("The id under which the failure has been logged: quote it in a report.", {
    type: "string",
    format: "uuid",
  }),
  "x-ratelimit-limit": header("Open access: requests in any 60 seconds.", {
    type: "integer",
    const: 60,
  }),
  "Access-Control-Allow-Origin": header("Open access: any web page may read the response.", {
    type: "string",
    const: "*",
  }),
  "Access-Control-Expose-Headers": header("Open access: headers that a web page may read.", {
    type: "string",
  }),
  "RateLimit-Policy": header(
    'Keyed access: `q` requests in `w` seconds, per minute ("permin") and per month ("month"). Where ' +
      "the bucket's capacity is not `q`, it is `highstreet-burst`.",
    {
      type: "string",
      pattern: '^"permin";q=\\d+;w=60(;highstreet-burst=\\d+)?, "month";q=\\d+;w=\\d+$',
      examples: ['"permin";q=60;w=60, "month";q=1000;w=2592000'],
    },
  ),
  RateLimit: header(
    'Keyed access: `r` requests are left; in `t` seconds, "permin" gains one and "month" resets.',
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
