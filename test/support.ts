import { test } from "bun:test";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino, { type Logger } from "pino";
import { succeeds, until } from "../scripts/stack/waiting.ts";
import { createAdmission } from "../src/access/admission.ts";
import { hashKey } from "../src/access/key-format.ts";
import { createKey, findKeysByHash, type KeyRequest, revokeKey } from "../src/access/keys.ts";
import type { DurableUsage } from "../src/access/usage.ts";
import { type Config, loadConfig } from "../src/config.ts";
import { NO_HEADERS } from "../src/http/answer.ts";
import type { Context } from "../src/http/handler.ts";
import { start } from "../src/main.ts";
import { type Meilisearch, openMeilisearch } from "../src/store/meilisearch.ts";
import { migrate } from "../src/store/migrations.ts";
import { openPostgres, type Sql, type Transaction } from "../src/store/postgres.ts";
import { openRedis, type RedisClient } from "../src/store/redis.ts";
import { type CheckAnswer, checkServer } from "./openapi-check.ts";

/** The real stores of this test run; see setup.ts. */
export interface Stores {
  databaseUrl: string;
  redisUrl: string;
  meiliUrl: string;
  meiliKey: string;
}

let running: Stores | undefined;

export function useStores(stores: Stores): void {
  running = stores;
}

export function stores(): Stores {
  if (!running) throw new Error("The stores do not run: test/setup.ts must be preloaded");
  return running;
}

/** `await using` drops one that belongs to a single test, also when that fails. */
export interface TestDatabase extends AsyncDisposable {
  url: string;
  sql: Sql;
  drop(): Promise<void>;
}

/** Creates a migrated database, empty but for what the migrations insert. */
export async function createDatabase(): Promise<TestDatabase> {
  template ??= createTemplate();
  await template;
  const name = uniqueName();
  // Copied as files, since the default writes each page to the log, too, and leaves it to be evicted by `drop`.
  await asOwner(
    (sql) => sql`create database ${sql(name)} template ${sql(TEMPLATE)} strategy file_copy`,
  );
  const url = databaseUrl(name);
  const sql = openPostgres(url);
  const drop = async () => {
    await sql.end({ timeout: 5 });
    await asOwner((owner) => owner`drop database if exists ${owner(name)} with (force)`);
  };
  return { url, sql, drop, [Symbol.asyncDispose]: drop };
}

/** How many connections to this database are blocked on locks. */
export async function countBlocked(sql: Sql): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return count;
}

/** Lets each transaction that adds businesses wait in its commit while the table `commits` is locked. */
export async function makeCommitsWait(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table commits ();
    create function wait_for_commits() returns trigger language plpgsql as
      $$ begin lock table commits; return null; end $$;
    create constraint trigger wait_for_commits after insert on businesses
      deferrable initially deferred for each row execute function wait_for_commits()`);
}

/** Waits until at least `count` connections to this database are blocked on locks. */
export async function untilBlocked(sql: Sql, count = 1): Promise<void> {
  await until(async () => (await countBlocked(sql)) >= count, 20_000);
}

/**
 * Begins work that a transaction makes wait, and commits that transaction once it does.
 * @param hold what the transaction does before the work begins
 * @param options.connections how many have to be blocked
 * @param options.meanwhile is done while they are
 * @returns what the work resolves to
 */
export async function delayedBy<Result>(
  sql: Sql,
  hold: (transaction: Transaction) => Promise<unknown>,
  work: () => Promise<Result>,
  {
    connections = 1,
    meanwhile = async () => {},
  }: { connections?: number; meanwhile?: (transaction: Transaction) => Promise<unknown> } = {},
): Promise<Result> {
  const { begun } = await sql.begin(async (transaction) => {
    await hold(transaction);
    const begun = work();
    // If it fails too soon, nobody awaits it yet.
    begun.catch(() => {});
    await untilBlocked(sql, connections);
    await meanwhile(transaction);
    // A promise alone would be awaited before the commit.
    return { begun };
  });
  return await begun;
}

/** A client of an empty Redis database that nothing else in this run uses. */
export async function freshRedis(): Promise<{ url: string; client: RedisClient }> {
  const url = `${stores().redisUrl}/${redisDatabases++}`;
  const client = openRedis([url]);
  await client.connect();
  return { url, client };
}

/**
 * For tests that count exactly: Redis decides, however late it answers on a busy machine. With a server's
 * deadline, the process would soon decide locally.
 */
export const patient = { deadlineMs: 20_000 };

/** Writes nothing. */
export const silent = pino({ level: "silent" });

/** Adds the `key` of each line to a list. */
export const logInto = (list: unknown[], key: string): Logger =>
  pino({}, { write: (line) => void list.push(JSON.parse(line)[key]) });

/** No durable usage: a meter that Redis does not know starts at 0. */
export const noUsage: DurableUsage = {
  count() {},
  async refund() {},
  totals: async (meters) => meters.map(() => 0),
  async flush() {},
  unwritten: () => 0,
  async hold() {},
  onWritten() {},
};

/** For tests of what Redis decides, without a database. */
export const redisAlone = { ...patient, usage: noUsage };

/** `test` for what is counted by calendar month: a failure during which the month ended is retried. */
export function testInOneMonth(name: string, run: () => void | Promise<void>): void {
  const month = () => new Date().toISOString().slice(0, 7);
  test(name, async () => {
    const begun = month();
    try {
      await run();
    } catch (error) {
      if (month() === begun) throw error;
      await run();
    }
  });
}

/**
 * An empty folder, which PostgreSQL's own account may enter too. It need not be removed: setup.ts removes
 * everything that the run leaves behind.
 */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "folder-"));
  await chmod(folder, 0o711);
  return folder;
}

/** A unique index name, and the client to use it with. */
export function uniqueIndex(): { meili: Meilisearch; index: string } {
  return { meili: openMeilisearch(stores().meiliUrl, stores().meiliKey), index: uniqueName() };
}

/** An address from which no other test calls. */
export const newAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`;

/** The context of a request whose handler is called without a server. */
export function createContext(client = ""): Context {
  return { headers: NO_HEADERS, client: () => client, query: "", segment: "" };
}

/** The environment for a script to use this database, and the other stores of the tests. */
export function storesEnvironment(databaseUrl: string): Record<string, string | undefined> {
  const { redisUrl, meiliUrl, meiliKey } = stores();
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    MEILI_URL: meiliUrl,
    MEILI_KEY: meiliKey,
  };
}

/** The command line of one of the scripts. */
export const scriptCommand = (name: string, args: readonly string[]): string[] => [
  process.execPath,
  join(import.meta.dir, "..", "scripts", `${name}.ts`),
  ...args,
];

/** Runs a script to its end. */
export async function runScript(
  databaseUrl: string,
  name: string,
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): ReturnType<typeof outputOf> {
  return await runProgram(scriptCommand(name, args), {
    ...(cwd && { cwd }),
    env: { ...storesEnvironment(databaseUrl), ...env },
  });
}

/** Runs any program to its end, with nothing on its stdin. */
export async function runProgram(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): ReturnType<typeof outputOf> {
  return await outputOf(Bun.spawn([...command], { ...options, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Runs a script on a terminal. @returns what it has written there */
export async function runOnTerminal(
  databaseUrl: string,
  name: string,
  args: readonly string[],
): Promise<string> {
  let written = "";
  const decoder = new TextDecoder();
  const command = Bun.spawn(scriptCommand(name, args), {
    env: storesEnvironment(databaseUrl),
    terminal: {
      cols: 200,
      data(_terminal, bytes) {
        written += decoder.decode(bytes, { stream: true });
      },
    },
  });
  await command.exited;
  return written;
}

/** The output of a program and its exit code, once it has ended. */
export async function outputOf(
  child: Bun.ReadableSubprocess,
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

/** Stopped by `await using`, like a database. */
export interface TestServer extends AsyncDisposable {
  url: string;
  config: Config;
  sql: Sql;
  redis: RedisClient;
  meili: Meilisearch;
  searchIndex: string;
  /** Issues a key, by default one that no test can use up; a request need only name a tier. @returns the key */
  issueKey(request?: Partial<KeyRequest> & { tier: string }): Promise<string>;
  revoke(key: string): Promise<void>;
  /** Requests charged to a key this month. */
  used(key: string): Promise<number>;
  /** Waits until an approved business is in the search index. */
  searchable(slug: string): Promise<void>;
  /** Checks an answer that did not come through `fetch` against the server's OpenAPI document. */
  check: CheckAnswer;
  stop(): Promise<void>;
}

/**
 * Starts the whole server on a free port, with a database, a Redis database and a search index of
 * its own. It trusts X-Forwarded-For from the tests, so that each can be a client of its own, and is patient
 * with Redis.
 * Unless given a log, it logs to stderr at LOG_LEVEL, by default nothing. Every answer of its API to
 * `fetch` is checked against its OpenAPI document.
 */
export async function startTestServer(
  overrides: Partial<Config> = {},
  {
    log = pino({ level: process.env.LOG_LEVEL ?? "silent" }, pino.destination(2)),
  }: { log?: Logger } = {},
): Promise<TestServer> {
  const database = await createDatabase();
  const redis = await freshRedis();
  const { meili, index } = uniqueIndex();
  const config: Config = {
    ...loadConfig({
      PORT: "0",
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      MEILI_URL: stores().meiliUrl,
      MEILI_KEY: stores().meiliKey,
      TRUSTED_PROXIES: "127.0.0.0/8",
    }),
    ...overrides,
  };
  const closeStores = async () => {
    redis.client.disconnect();
    await Promise.all([database.drop(), meili.deleteIndexIfExists(index)]);
  };
  const options = { searchIndex: index, log, redisDeadlineMs: patient.deadlineMs };
  const server = await start(config, options).catch(async (error) => {
    await closeStores();
    throw error;
  });

  const { check, end } = await checkServer(server.url);
  const { sql } = database;
  const stop = async () => {
    end();
    await server.stop().finally(closeStores);
  };
  const recordOf = async (key: string) => {
    const [record] = await findKeysByHash(sql, [hashKey(key)]);
    if (!record) throw new Error(`There is no key ${key}`);
    return record;
  };
  return {
    url: server.url,
    config,
    sql,
    redis: redis.client,
    meili,
    searchIndex: index,
    async issueKey(request = PLENTY) {
      const owner = { name: "A tester", email: "tester@client.example" };
      return (await createKey(sql, { ...owner, ...request })).key;
    },
    async revoke(key) {
      await revokeKey(sql, (await recordOf(key)).id);
    },
    async used(key) {
      return (await createAdmission(redis.client, redisAlone).usage(await recordOf(key))).used;
    },
    async searchable(slug) {
      const [business] = await sql<{ id: string }[]>`
        select id from businesses where slug = ${slug} and status = 'approved'`;
      if (!business) throw new Error(`No approved business is called ${slug}`);
      await until(() => succeeds(meili.index(index).getDocument(business.id)), 20_000);
    },
    check,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const PLENTY = { tier: "enterprise", quota: 1_000_000, perMinute: 100_000, burst: 100_000 };

const TEMPLATE = "test_template";
let template: Promise<void> | undefined;
// Database 0 is left free for looking around by hand.
let redisDatabases = 1;
let addresses = 0;

async function createTemplate(): Promise<void> {
  await asOwner((sql) => sql`create database ${sql(TEMPLATE)}`);
  await using sql = openPostgres(databaseUrl(TEMPLATE), { max: 2 });
  await migrate(sql);
}

let owner: Sql | undefined;

async function asOwner(statement: (sql: Sql) => Promise<unknown>): Promise<void> {
  owner ??= openPostgres(stores().databaseUrl, { max: 1 });
  await statement(owner);
}

function databaseUrl(name: string): string {
  const url = new URL(stores().databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function uniqueName(): string {
  return `test_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The unlinked files in which this process caches pages (Linux). */
export function keptFiles(): { path: string; size: number }[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    try {
      const isOne = readlinkSync(path).endsWith("/pages (deleted)");
      return isOne ? [{ path, size: statSync(path).size }] : [];
    } catch {
      return [];
    }
  });
}
