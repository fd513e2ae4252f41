import pino, { type Logger } from "pino";
import { type Config, ConfigError } from "./config.ts";
import { causeOf, isAway } from "./store/away.ts";
import { withDeadline } from "./store/deadline.ts";

/** A failure to start that the operator can do something about. */
export class StartError extends Error {}

/** Lines of JSON on stderr. */
export function createLog(): Logger {
  const { isoTime } = pino.stdTimeFunctions;
  return pino(
    { base: null, timestamp: isoTime, serializers: { err: describe } },
    // Synchronous, since the last lines before an exit, which say why, would otherwise be lost.
    pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * Omits the command that Redis refused, whose arguments hold callers' addresses and passwords, and what PostgreSQL
 * quotes from the rows that it refused, such as those of applicants.
 */
function describe(error: unknown): unknown {
  // What causeOf returns must not be described again: its type would be Object.
  if (!(error instanceof Error)) return error;
  if (isAway(error)) return causeOf(error);
  const hidden = { command: undefined, detail: undefined, where: undefined };
  return { ...pino.stdSerializers.err(error), ...hidden };
}

/** Why a start failed, in words for the operator. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  return `Cannot start: ${reasonOf(error)}`;
}

/** An error in a few words; some have only a code. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message || code || String(error);
}

/**
 * The result of `use`.
 * @param store as the operator knows it, such as `Redis (REDIS_URL)`
 * @throws StartError, which names the store, when it cannot be used
 */
export async function reach<Result>(store: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    throw new StartError(`Cannot use ${store}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * The result of `listen`. Bun's own errors may name neither address nor port.
 * @throws StartError when it cannot listen there
 */
export function listenOn<Listener>(
  { host, port }: Pick<Config, "host" | "port">,
  listen: () => Listener,
): Listener {
  try {
    return listen();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new StartError(
      code === "EADDRINUSE"
        ? "Cannot start: the port is in use. Stop the program that uses it, or choose another with PORT."
        : cannotListen({ host, port }, reasonOf(error)),
      { cause: error },
    );
  }
}

/** Says why, in a line for the operator. */
export const cannotListen = ({ host, port }: Pick<Config, "host" | "port">, why: string) =>
  `Cannot start: ${why}. HOST (${host}) must be an address of this machine, PORT (${port}) one that you may use.`;

/**
 * Closes what was opened, in reverse order; what fails or hangs does not hold up the rest.
 * @throws AggregateError of what failed, such as writing usage
 */
export async function closeInOrder(opened: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const close of opened.toReversed()) {
    await withDeadline(Promise.try(close), LONGEST_CLOSING_MS).catch((error) => faults.push(error));
  }
  if (faults.length > 0) throw new AggregateError(faults, "not everything was closed cleanly");
}

/** Milliseconds that each part has to close. */
const LONGEST_CLOSING_MS = 5_000;

/**
 * Stops this process cleanly on a signal, or when its parent process is gone. However many signals come, it
 * stops once; but the same one again, more than a second later, ends it at once. Within that second it is no
 * new order: systemd and terminals signal all processes, and `bun run` passes on its own to this one.
 */
export function stopOnSignal(stop: () => Promise<void>, log: Logger): void {
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM", "disconnect"] as const) {
    const heard = () => {
      setTimeout(() => process.off(signal, heard), LONGEST_ECHO_MS).unref();
      if (isEnding) return;
      isEnding = true;
      log.info({ signal }, "stopping");
      setTimeout(() => {
        log.error("ended before everything was closed cleanly");
        process.exit(1);
      }, LAST_STOP_MS).unref();
      stop().then(
        () => process.exit(0),
        (error) => {
          const faults = error instanceof AggregateError ? error.errors : [error];
          for (const err of faults) log.error({ err }, "could not stop cleanly");
          process.exit(1);
        },
      );
    };
    process.on(signal, heard);
  }
}

/** Milliseconds in which the same signal again is the same order. */
const LONGEST_ECHO_MS = 1_000;

/** Milliseconds after which a stopping process ends, whatever is still open. */
const LAST_STOP_MS = 9_000;
