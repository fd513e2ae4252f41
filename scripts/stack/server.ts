import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../src/config.ts";
import { cannotListen } from "../../src/process.ts";
import { CommandError } from "../terminal/command.ts";
import { freePort, isFree } from "./ports.ts";
import type { Daemon, Supervisor } from "./supervisor.ts";
import { isHealthy } from "./waiting.ts";

/** How Bun manages memory in the server. `bun run serve` and compose.yaml set this too. */
export const SERVER_ENVIRONMENT = {
  // On a machine with 16 GB or more JavaScriptCore lets its heap grow to three times what is in use
  // before it collects garbage. Twice, as on smaller machines, is just as fast.
  BUN_JSC_heapGrowthMaxIncrease: "1",
  // By default the allocator hands memory back to the system ten milliseconds after its last use, also the
  // free pages between blocks that are in use, and answers of the next moment have to get it again, page by
  // page. That takes a tenth to a fifth of the server's time. Back goes only what is free for a second.
  MIMALLOC_PURGE_DELAY: "1000",
  MIMALLOC_PURGE_HOLES: "0",
};

const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");

/**
 * The port to serve on: the one asked for, or for 0 a free one.
 * @throws CommandError when it is in use or we may not listen on it
 */
export async function choosePort({ port, host }: Config): Promise<number> {
  if (port === 0) return freePort();
  const free = await isFree(port, host).catch((error: Error) => {
    throw new CommandError(cannotListen({ host, port }, error.message));
  });
  if (free && (await isFreeAsLocalhost(port, host))) return port;
  throw new CommandError(
    `Port ${port} is in use by another program: choose another, for example \`PORT=${port === 65_535 ? 3001 : port + 1} npm start\`.`,
  );
}

/**
 * localhost stands for two addresses, and a client may choose either. If another program had the port at
 * one of them, some requests would go there.
 */
async function isFreeAsLocalhost(port: number, host: string): Promise<boolean> {
  if (!isLocal(host)) return true;
  // It throws when this machine has no such address: then no program can have the port there either.
  const free = LOOPBACK.map((address) => isFree(port, address).catch(() => true));
  return (await Promise.all(free)).every(Boolean);
}

const LOOPBACK = ["127.0.0.1", "::1"];

const isLocal = (host: string) => [...LOOPBACK, "0.0.0.0", "::", "localhost"].includes(host);

/**
 * Starts the server as a process of its own, and waits until it says that it is serving (which it
 * does once all its workers are) and actually answers.
 */
export async function startServer(
  supervisor: Supervisor,
  env: Record<string, string | undefined>,
  { host }: Config,
): Promise<Daemon> {
  const daemon = supervisor.start({
    title: "The server",
    name: "server",
    // The folder shows in the process list which server this is; see runsOn.
    command: [process.execPath, MAIN, supervisor.folder],
    env: { ...SERVER_ENVIRONMENT, ...env },
  });
  const reachable = isLocal(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  await supervisor.ready(daemon, async () => {
    const log = await readFile(daemon.log, "utf8");
    const isServing = log.includes('"msg":"serving"');
    return isServing && isHealthy(`http://${reachable}:${env.PORT}/healthz`);
  });
  return daemon;
}
