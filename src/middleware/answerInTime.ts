import type { Middleware } from "../http/handler.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";

/**
 * Abandons an answer that takes too long: a store that accepted a connection and then stays silent would hold
 * the caller up for ever. It comes after admission, so that the charge for the request is refunded; whatever
 * comes before has deadlines of its own.
 * @param options.mostLate how many abandoned answers may still be in progress: at that number, no other is
 *   begun. Otherwise a store that comes back would first do work that nobody waits for.
 * @throws DeadlineError, which catchErrors turns into 503
 */
export function answerInTime({ mostLate = Number.POSITIVE_INFINITY } = {}): Middleware {
  let late = 0;

  function countLate(answer: Promise<unknown>): void {
    const settled = () => {
      late -= 1;
    };
    late += 1;
    answer.then(settled, settled);
  }

  return (next) =>
    function answerInTime(request, context) {
      if (late >= mostLate) throw new DeadlineError(`${late} answers are late`);
      const answer = next(request, context);
      if (!(answer instanceof Promise)) return answer;
      return withDeadline(answer, LONGEST_HANDLING_MS).catch((error) => {
        if (error instanceof DeadlineError) countLate(answer);
        throw error;
      });
    };
}

/** Milliseconds. */
export const LONGEST_HANDLING_MS = 4_000;
