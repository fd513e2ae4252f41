import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../src/config.ts";
import { compactListings } from "../../src/directory/compaction.ts";
import { grouped } from "../../src/numbers.ts";
import { migrate } from "../../src/store/migrations.ts";
import { openPostgres, type Sql } from "../../src/store/postgres.ts";
import { startMeilisearch } from "../stack/meilisearch.ts";
import { startPostgres } from "../stack/postgres.ts";
import { startRedis } from "../stack/redis.ts";
import type { Supervisor } from "../stack/supervisor.ts";
import { CommandError } from "../terminal/command.ts";
import { say } from "../terminal/output.ts";

/** A directory of made-up businesses, and its stores. */
export interface Directory {
  sql: Sql;
  /** The environment for programs, with the addresses of the stores. */
  env: Environment;
  built: Built;
}

/** How long the build took; stored beside the directory, which is built only once. */
interface Built {
  count: number;
  /** The generator's COPY load, with all indexes and totals kept. */
  loadSeconds: number;
  /** The full build of the search index. */
  indexSeconds: number;
}

/**
 * Starts the stores of a directory of `count` businesses, building it first if there is none yet.
 * Redis persists nothing: limits start anew with each benchmark.
 */
export async function openDirectory(supervisor: Supervisor, count: number): Promise<Directory> {
  const { folder } = supervisor;
  const record = join(folder, "built.json");
  const isBuilt = await Bun.file(record).exists();
  // The remains of an interrupted build are useless.
  if (!isBuilt) await removeStores(folder);

  const [postgres, redis, meilisearch] = await Promise.all([
    startPostgres(supervisor),
    startRedis(supervisor, { durable: false }),
    startMeilisearch(supervisor),
  ]);
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    MEILI_URL: meilisearch.url,
    MEILI_KEY: meilisearch.key,
  };
  const sql = openPostgres(postgres.url, { max: 2 });
  await migrate(sql);
  if (!isBuilt) {
    const built = await build(sql, env, count);
    await Bun.write(record, `${JSON.stringify(built)}\n`);
  } else {
    // The index may be of another version, or lag behind what an earlier benchmark changed.
    await runScript(env, "sync-search.ts");
  }
  return { sql, env, built: (await Bun.file(record).json()) as Built };
}

async function removeStores(folder: string): Promise<void> {
  for (const store of ["postgres", "meilisearch"]) {
    await rm(join(folder, store), { recursive: true, force: true });
  }
}

async function build(sql: Sql, env: Environment, count: number): Promise<Built> {
  say(`Building a directory of ${grouped(count)} businesses; it is kept.`);
  const loadSeconds = await timed(() => runScript(env, "generate.ts", "--count", `${count}`));
  say(`  loaded in ${loadSeconds.toFixed(0)} s, ${rate(count, loadSeconds)} a second`);
  const settleSeconds = await timed(() => settle(sql));
  say(`  totals folded and tables vacuumed in ${settleSeconds.toFixed(0)} s`);
  const indexSeconds = await timed(() => runScript(env, "sync-search.ts", "--rebuild"));
  say(`  indexed in ${indexSeconds.toFixed(0)} s, ${rate(count, indexSeconds)} a second`);
  return { count, loadSeconds, indexSeconds };
}

/** Does now what a running server does sooner or later, so that it does not disturb a scenario. */
export async function settle(sql: Sql): Promise<void> {
  await compactListings(sql);
  await sql`vacuum analyze`;
}

/**
 * Runs one of our scripts; its progress shows on our terminal.
 * @returns what it printed on stdout
 */
export async function runScript(
  env: Environment,
  script: string,
  ...parameters: string[]
): Promise<string> {
  const command = [process.execPath, join(import.meta.dir, "..", script), ...parameters];
  const child = Bun.spawn(command, { env, stdio: ["ignore", "pipe", "inherit"] });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new CommandError(`scripts/${script} failed: ${output}`);
  return output;
}

/** How many seconds some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const rate = (count: number, seconds: number) => grouped(Math.round(count / seconds));
