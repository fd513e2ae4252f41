import type { Middleware } from "../http/handler.ts";
import { withDeadline } from "../store/deadline.ts";

/**
 * Gives up an answer that takes too long: a store that accepted a connection and then says nothing
 * would hold the caller up for ever. It stands next to the handler, so that what was charged for
 * the request is given back; what comes before has deadlines of its own.
 * @throws DeadlineError, which catchErrors turns into 503
 */
export function answerInTime(): Middleware {
  return (next) =>
    function answerInTime(request, context) {
      const answer = next(request, context);
      return answer instanceof Promise ? withDeadline(answer, LONGEST_HANDLING_MS) : answer;
    };
}

/** Milliseconds. */
export const LONGEST_HANDLING_MS = 4_000;
