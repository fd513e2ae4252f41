import type { Middleware } from "../http/handler.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";

/**
 * Gives up an answer that takes too long: a store that accepted a connection and then says nothing
 * would hold the caller up for ever. It stands next to the handler, so that what was charged for
 * the request is given back; what comes before has deadlines of its own.
 * @param options.mostLate how many that were given up may still be in the making: while there are as many, no
 *   other is begun. Otherwise a store that comes back would first be asked for all that nobody waits for.
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
