import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVER_MEMORY } from "../stack/memory.ts";
import { freePort } from "../stack/ports.ts";
import type { Daemon, Program, Supervisor } from "../stack/supervisor.ts";
import { succeeds } from "../stack/waiting.ts";
import { CommandError } from "../terminal/command.ts";
import type { Directory } from "./directory.ts";
import type { Traffic } from "./wrk.ts";

/** A program that serves on its own port. If it dies, wrk meets broken connections. */
export interface Served {
  url: string;
  daemon: Daemon;
}

/** The server under test, on the stores of a directory. */
export async function startTested(
  supervisor: Supervisor,
  { env }: Pick<Directory, "env">,
  { name = "server", cache = true, workers = 1 } = {},
): Promise<Served> {
  const port = await freePort();
  return await startServing(supervisor, port, {
    title: "The server",
    name,
    command: cache ? [process.execPath, MAIN] : program("uncached.ts"),
    env: {
      ...SERVER_MEMORY,
      ...env,
      PORT: `${port}`,
      HOST: "127.0.0.1",
      WORKERS: `${workers}`,
      // So that each request can come from a different address.
      TRUSTED_PROXIES: "127.0.0.0/8",
    },
  });
}

/** The bare baseline, which first fetches from the server everything that it will serve. */
export async function startBare(
  supervisor: Supervisor,
  serverUrl: string,
  { requestsFile, callersFile }: Traffic,
): Promise<Served> {
  const port = await freePort();
  const bare = {
    title: "The bare server",
    name: "bare",
    command: [
      ...program("bare.ts"),
      ...[serverUrl, requestsFile, `${port}`],
      ...(callersFile === null ? [] : [callersFile]),
    ],
  };
  return await startServing(supervisor, port, bare, { timeoutMs: 600_000 });
}

/** The baseline of one indexed query per request. */
export async function startOneQuery(
  supervisor: Supervisor,
  { env }: Pick<Directory, "env">,
): Promise<Served> {
  const port = await freePort();
  const command = [...program("one-query.ts"), `${port}`];
  const oneQuery = { title: "The server of one query", name: "one-query", command, env };
  return await startServing(supervisor, port, oneQuery);
}

/** Starts a program and waits until it answers on its port, with whatever status. */
async function startServing(
  supervisor: Supervisor,
  port: number,
  served: Program,
  options: { timeoutMs?: number } = {},
): Promise<Served> {
  const daemon = supervisor.start({ ...served, endsByItself: true });
  const url = `http://127.0.0.1:${port}`;
  await supervisor.ready(daemon, () => succeeds(fetch(`${url}/healthz`)), options);
  return { url, daemon };
}

/**
 * Runs a program from `programs/` in the background. It prints a line once it has started, and its figures
 * as JSON when its stdin ends. Dispose of it to end it without them: when the benchmark fails, that is before the
 * stores stop, whose loss it would complain of at length.
 */
export async function startInBackground<Figures>(
  { env }: Pick<Directory, "env">,
  file: string,
  args: readonly string[],
): Promise<Disposable & { stop(): Promise<Figures> }> {
  const running = Bun.spawn([...program(file), ...args], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = running.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  return {
    async stop() {
      running.stdin.end();
      let text = "";
      for (let read = await lines.read(); !read.done; read = await lines.read()) text += read.value;
      if ((await running.exited) !== 0) throw new CommandError(`${file} failed.`);
      return JSON.parse(text) as Figures;
    },
    [Symbol.dispose]: () => running.kill(),
  };
}

/** The resident memory of a process in bytes (Linux). */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");
const program = (file: string) => [process.execPath, join(import.meta.dir, "programs", file)];
