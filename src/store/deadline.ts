/**
 * Waits for a promise until a deadline, which may have passed already.
 * @param onLate called with a value that arrives after the deadline
 * @throws DeadlineError when the deadline passes first
 */
export function withDeadline<Value>(
  promise: Promise<Value>,
  milliseconds: number,
  onLate: (value: Value) => void = () => {},
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const left = Math.max(milliseconds, 0);
    const giveUp = () => {
      isOver = true;
      reject(new DeadlineError(`no answer within ${Math.round(left)} ms`));
    };
    // Timers run before data that has arrived is read. A process that was itself held up must read first,
    // or it would blame its own slowness on the other side.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), left);
    promise.then(
      (value) => {
        if (isOver) return onLate(value);
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** A value did not arrive in time. It may still arrive. */
export class DeadlineError extends Error {}
