import { OPEN_LIMIT } from "../access/decisions.ts";
import { addingHeaders } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * The headers of every open answer, errors included: the limit, and CORS for any origin.
 * `authorization` is not an allowed header, since no API key belongs in a browser.
 */
export function openHeaders(): Middleware {
  const addToAnswer = addingHeaders(ANSWER);
  const addToPreflight = addingHeaders(PREFLIGHT);
  return (next) =>
    function openHeaders(request, context) {
      const add = request.method === "OPTIONS" ? addToPreflight : addToAnswer;
      context.headers = add(context.headers);
      return next(request, context);
    };
}

const ANSWER = {
  "x-ratelimit-limit": String(OPEN_LIMIT),
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Retry-After, x-ratelimit-limit, X-Request-Id",
};

const PREFLIGHT = {
  ...ANSWER,
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match",
  "Access-Control-Max-Age": "86400",
};
