import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { CommandError } from "../terminal/command.ts";
import { findOrInstall } from "./debian.ts";
import { freePort } from "./ports.ts";
import { keptSecret } from "./secret.ts";
import type { Supervisor } from "./supervisor.ts";
import { hasLogged, succeeds } from "./waiting.ts";

/**
 * Starts Redis (or Valkey) on loopback, with its data in `redis/` of the supervisor's folder.
 * @param options.durable false keeps everything in memory only, and needs no password
 */
export async function startRedis(
  supervisor: Supervisor,
  { durable = true, databases = 16 } = {},
): Promise<{ url: string; pid: number }> {
  const program = await redisProgram();
  const data = join(supervisor.folder, "redis");
  await mkdir(data, { recursive: true });
  // It holds visitors' addresses, in files that anybody on the machine could read otherwise.
  await chmod(data, 0o700);
  const password = durable ? await keptSecret(join(supervisor.folder, "redis.password")) : "";
  // In a file, since everybody on the machine can read command lines.
  const secrets = join(data, "redis.conf");
  await writeFile(secrets, `requirepass "${password}"\n`, { mode: 0o600 });
  const port = await freePort();
  const settings = {
    bind: "127.0.0.1",
    port,
    dir: data,
    databases,
    save: "",
    appendonly: durable ? "yes" : "no",
    // A title set by Redis would hide the folder, by which endLeftovers recognises it.
    "set-proc-title": "no",
  };
  const daemon = supervisor.start({
    title: "Redis",
    name: "redis",
    command: [
      program,
      secrets,
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]),
    ],
  });
  // Not before it says so: until then, the port may be that of another account's program, which has seen it in our
  // command line, and would be sent the password.
  await supervisor.ready(
    daemon,
    async () =>
      (await hasLogged(daemon.log, "Ready to accept connections")) && isReady(port, password),
  );
  // With its name, without which Redis 7.0 refuses redis-cli.
  const account = password === "" ? "" : `default:${password}@`;
  return { url: `redis://${account}127.0.0.1:${port}`, pid: daemon.pid };
}

/**
 * Redis or Valkey from the PATH, or installed with apt-get if we are root: npm has no package of either.
 * @throws CommandError when it is missing or too old
 */
export async function redisProgram(): Promise<string> {
  const names = ["redis-server", "valkey-server"] as const;
  const program = await findOrInstall(names, `Redis is missing. ${SOURCES}`);
  const version = await versionOf(program);
  if (Number.parseInt(version, 10) < OLDEST) {
    throw new CommandError(
      `${program} is version ${version}, and Highstreet needs ${OLDEST} or later. ${SOURCES}`,
    );
  }
  return program;
}

/** The first version that has `EXPIRE … NX`. */
const OLDEST = 7;

/** Such as `7.0.15`, of Redis or Valkey. */
async function versionOf(program: string): Promise<string> {
  const said = await new Response(Bun.spawn([program, "--version"]).stdout).text();
  return /\bv=([\d.]+)/.exec(said)?.[1] ?? "";
}

const SOURCES =
  "Debian, Ubuntu: `apt-get install redis-server`; macOS: `brew install redis`; Docker: `docker run -p 6379:6379 redis:7`, then set REDIS_URL=redis://localhost:6379.";

async function isReady(port: number, password: string): Promise<boolean> {
  const redis = new Redis(port, "127.0.0.1", {
    password,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  // connect() reports the failure; without a listener, ioredis would print it as well.
  redis.on("error", () => {});
  return succeeds(redis.connect().then(() => redis.disconnect()));
}
