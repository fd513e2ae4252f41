import { withDeadline } from "../access/deadline.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * Gives up an answer that takes too long. It stands next to the handler, so that what was charged
 * for the request is given back.
 * @throws DeadlineError, which catchErrors turns into 503
 */
export function answerInTime(milliseconds: number): Middleware {
  return (next) =>
    function answerInTime(request, context) {
      const answer = next(request, context);
      return answer instanceof Promise ? withDeadline(answer, milliseconds) : answer;
    };
}
