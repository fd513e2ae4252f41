import type { Context, Middleware } from "../http/handler.ts";
import { withDeadline } from "../store/deadline.ts";

/**
 * Handles few requests of one caller at a time; the others wait for their turn, or until they are refused
 * with 503. So callers with many costly requests delay only themselves. Per-minute limits would not do: a
 * request that times out is refunded to its key.
 */
export function takeTurns(callerOf: (request: Request, context: Context) => string): Middleware {
  const callers = new Map<string, { underWay: number; waiting: (() => void)[] }>();

  async function begin(caller: string): Promise<void> {
    const turns = callers.getOrInsertComputed(caller, () => ({ underWay: 0, waiting: [] }));
    if (turns.underWay < AT_ONCE) {
      turns.underWay += 1;
      return;
    }
    const turn = new Promise<void>((resolve) => turns.waiting.push(resolve));
    await withDeadline(turn, LONGEST_WAIT_MS, () => end(caller));
  }

  /** Hands the turn on to whoever has waited longest. */
  function end(caller: string): void {
    const turns = callers.get(caller);
    const next = turns?.waiting.shift();
    if (next) next();
    else if (turns && --turns.underWay === 0) callers.delete(caller);
  }

  return (next) =>
    async function takeTurns(request, context) {
      const caller = callerOf(request, context);
      await begin(caller);
      try {
        return await next(request, context);
      } finally {
        end(caller);
      }
    };
}

/** Requests of one caller: enough to keep a store busy, too few for others to wait long behind them. */
const AT_ONCE = 4;
/** Less than an answer may take, so that there is time for the work. */
const LONGEST_WAIT_MS = 2_000;
