import type { Logger } from "pino";
import type { Window } from "../access/windows.ts";
import type { Answer } from "../http/answer.ts";
import { errorAnswer, tryAgainIn } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * Pages: limits visitors by a window of its own, so that reading pages uses none of the API's open requests.
 * While Redis is down everybody is let in: pages are for people.
 * @param refuse answers a refused request
 */
export function admitVisitor(
  admit: Window,
  log: Logger,
  refuse: Refusal = tooMany("pages"),
): Middleware {
  return (next) =>
    async function admitVisitor(request, context) {
      const retryAfterSeconds = await admit(context.client()).catch((error) => {
        log.debug({ err: error }, "page views are not counted");
        return 0;
      });
      return retryAfterSeconds === 0 ? next(request, context) : refuse(request, retryAfterSeconds);
    };
}

type Refusal = (request: Request, retryAfterSeconds: number) => Answer | Promise<Answer>;

/** 429 as JSON, which the site turns into a page. */
export function tooMany(what: "pages" | "searches"): Refusal {
  return (_request, retryAfterSeconds) =>
    errorAnswer(
      "rate_limited",
      { message: `Too many ${what} in a short time. ${tryAgainIn(retryAfterSeconds)}` },
      { "Retry-After": String(retryAfterSeconds) },
    );
}
