import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { Environment } from "../../src/config.ts";
import { CommandError } from "../terminal/command.ts";
import { failureLine } from "./failure-line.ts";
import { NotInTimeError, until } from "./waiting.ts";

export interface Program {
  /** Its name in messages: "PostgreSQL". */
  title: string;
  /**
   * Its files in the data folder are `run/NAME.pid`, `logs/NAME.log`, and `logs/NAME.log.1`, the log of
   * the previous start.
   */
  name: string;
  command: readonly string[];
  env?: Environment;
  /** The signal for an orderly shutdown. */
  stopSignal?: "SIGTERM" | "SIGINT" | "SIGQUIT";
  /** Set if it is meant to exit by itself, which is then not a failure. */
  endsByItself?: boolean;
}

export interface Daemon {
  title: string;
  pid: number;
  /** Resolves to how it ended: "code 1", "SIGKILL". */
  exited: Promise<string>;
  log: string;
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 20_000;

/**
 * A shell script that starts each program by becoming it (exec): so the pid is the program's own, the pid
 * file exists before the program runs, and a guard watches over it from the start. The guard reads from a
 * pipe of ours; when we are gone, for whatever reason, the pipe closes and the guard ends the program, even
 * a suspended one, which gets no signal until it is continued. A line on the pipe dismisses the guard. It is
 * forked twice, so that it is not an unexpected child of the program. $1: the pid file, $2: the signal, then
 * the command.
 */
const LAUNCHER = `
  signal=$2
  echo "$$ $signal" >"$1"
  shift 2
  ( { read -r _ <&3 || { kill -s "$signal" $$; kill -s CONT $$; }; } </dev/null >/dev/null 2>&1 & )
  exec "$@" 3<&-`;

/**
 * The programs that a command runs alongside itself. They run in their own sessions, so Ctrl-C in a
 * terminal reaches only the command, which then stops them in order, the last started first.
 */
export class Supervisor {
  /** Rejects with a CommandError when a program exits although nobody stopped it. */
  readonly failure: Promise<never>;
  readonly #fail: (reason: CommandError) => void;
  readonly #running: Daemon[] = [];
  #stopping: Promise<void> | undefined;

  /** @param folder the data folder; logs and pid files go there */
  constructor(readonly folder: string) {
    mkdirSync(join(folder, "run"), { recursive: true });
    const logs = join(folder, "logs");
    mkdirSync(logs, { recursive: true });
    // PostgreSQL quotes rows that it refuses, such as those of applicants and key holders.
    chmodSync(logs, 0o700);
    const { promise, reject } = Promise.withResolvers<never>();
    this.failure = promise;
    this.#fail = reject;
    // Not an unhandled rejection, even if nobody awaits it.
    promise.catch(() => {});
  }

  /** Starts a program. It is running when this returns, but perhaps not ready: see `ready`. */
  start({ title, name, command, env, stopSignal = "SIGTERM", endsByItself }: Program): Daemon {
    if (this.#stopping) throw new StoppedError();
    const pidFile = join(this.folder, "run", `${name}.pid`);
    const log = join(this.folder, "logs", `${name}.log`);
    keepLast(log);
    const output = openSync(log, "w");
    let child: ChildProcess;
    try {
      child = spawn(
        "/bin/sh",
        ["-c", LAUNCHER, name, pidFile, stopSignal.replace("SIG", ""), ...command],
        { env: env ?? process.env, detached: true, stdio: ["ignore", output, output, "pipe"] },
      );
    } catch (error) {
      throw unstartable(title, error);
    } finally {
      closeSync(output);
    }
    const { pid } = child;
    if (pid === undefined) {
      // The system's error, such as too many processes, arrives only later.
      child.once("error", (error) => this.#fail(unstartable(title, error)));
      throw new CommandError(`${title} cannot be started.`);
    }

    const guard = child.stdio[3] as Writable;
    // The guard may be gone already, if somebody killed it.
    guard.on("error", () => {});
    const exited = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) => {
        const how = signal ?? `code ${code}`;
        guard.end("\n");
        this.#running.splice(this.#running.indexOf(daemon), 1);
        if (!endsByItself && !this.#stopping) failure(daemon, how).then(this.#fail);
        rm(pidFile, { force: true }).then(() => resolve(how));
      });
    });
    const daemon: Daemon = {
      title,
      pid,
      exited,
      log,
      stop: () => endProcess(child, stopSignal, exited),
    };
    this.#running.push(daemon);
    return daemon;
  }

  /**
   * Waits until a program answers.
   * @throws CommandError when it exits first (quoting its log), takes too long, or refuses us
   */
  async ready(
    daemon: Daemon,
    answers: () => Promise<boolean>,
    { timeoutMs = 60_000 } = {},
  ): Promise<void> {
    let ended: string | undefined;
    daemon.exited.then((how) => {
      ended = how;
    });
    await until(async () => ended !== undefined || (await answers()), timeoutMs).catch((error) => {
      const how =
        error instanceof NotInTimeError
          ? `has not answered after ${timeoutMs / 1000} s`
          : `cannot be used: ${error.message}`;
      throw new CommandError(`${daemon.title} ${how}; its log is ${daemon.log}.`);
    });
    if (ended === undefined) return;
    if (this.#stopping) throw new StoppedError();
    throw await failure(daemon, ended);
  }

  /** Stops all programs, the last started first, and starts none from then on. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      for (const daemon of this.#running.toReversed()) await daemon.stop();
    })();
    return this.#stopping;
  }

  get stopping(): boolean {
    return this.#stopping !== undefined;
  }
}

/** Work is abandoned because everything is being stopped. */
export class StoppedError extends Error {}

function unstartable(title: string, error: unknown): CommandError {
  return new CommandError(`${title} cannot be started: ${(error as Error).message}.`);
}

async function failure({ title, log }: Daemon, how: string): Promise<CommandError> {
  // A program does not see that it is killed: whatever its log says is about something else.
  const why =
    how === "SIGKILL"
      ? ": did the machine run out of memory?"
      : `, see ${log}: ${await failureLine(log)}`;
  return new CommandError(`${title} exited (${how})${why}`);
}

/** Keeps the log of the previous run, unless it is empty: it may say why that run ended. */
function keepLast(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) renameSync(log, `${log}.1`);
}

async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
  exited: Promise<unknown>,
): Promise<void> {
  // Not by pid, which may be gone or reused as soon as the program has exited.
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
