import { join } from "node:path";
import { type Config, type Environment, loadConfig } from "../../src/config.ts";
import { cannotListen } from "../../src/process.ts";
import { CommandError } from "../terminal/command.ts";
import { SERVER_MEMORY } from "./memory.ts";
import { freePort, isFree } from "./ports.ts";
import type { Daemon, Supervisor } from "./supervisor.ts";
import { hasLogged, isHealthy } from "./waiting.ts";

const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");

/**
 * The port to serve on: the one requested, or for 0 a free one.
 * @throws CommandError when it is in use or we may not listen on it
 */
export async function choosePort({ port: wanted, host }: Config): Promise<number> {
  const port = wanted || (await freePort());
  const free = await isFree(port, host).catch((error: Error) => {
    throw new CommandError(cannotListen({ host, port }, error.message));
  });
  if (wanted === 0 || (free && (await isFreeAsLocalhost(port, host)))) return port;
  throw new CommandError(
    `Port ${port} is in use by another program: choose another, for example \`PORT=${port === 65_535 ? 3001 : port + 1} npm start\`.`,
  );
}

/**
 * localhost stands for two addresses, and a client may choose either. If another program had the port on one
 * of them, some requests would reach it.
 */
async function isFreeAsLocalhost(port: number, host: string): Promise<boolean> {
  if (!isLocal(host)) return true;
  // isFree throws when this machine lacks the address: then no program can have the port there either.
  const free = LOOPBACK.map((address) => isFree(port, address).catch(() => true));
  return (await Promise.all(free)).every(Boolean);
}

const LOOPBACK = ["127.0.0.1", "::1"];

const isLocal = (host: string) => [...LOOPBACK, "0.0.0.0", "::", "localhost"].includes(host);

/** The server's URL from this machine: localhost does not reach each of its addresses. */
export function localUrl(host: string, port: number): string {
  const name = isLocal(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/**
 * Starts the server as a separate process, and waits until it logs that it is serving (once all its
 * workers are) and actually answers.
 */
export async function startServer(supervisor: Supervisor, env: Environment): Promise<Daemon> {
  const { host, port } = loadConfig(env);
  const daemon = supervisor.start({
    title: "The server",
    name: "server",
    // The folder shows in the process list which server this is; see runsOn.
    command: [process.execPath, MAIN, supervisor.folder],
    env: { ...SERVER_MEMORY, ...env },
  });
  await supervisor.ready(daemon, async () => {
    const isServing = await hasLogged(daemon.log, '"msg":"serving"');
    return isServing && isHealthy(`${localUrl(host, port)}/healthz`);
  });
  return daemon;
}
