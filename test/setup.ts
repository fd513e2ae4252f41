import { afterAll, setDefaultTimeout } from "bun:test";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plugin } from "bun";
import { startMeilisearch } from "../scripts/stack/meilisearch.ts";
import { startPostgres } from "../scripts/stack/postgres.ts";
import { startRedis } from "../scripts/stack/redis.ts";
import { Supervisor } from "../scripts/stack/supervisor.ts";
import { isAlive } from "../scripts/stack/waiting.ts";
import { CommandError } from "../scripts/terminal/command.ts";
import { useStores } from "./support.ts";

// Runs once before all tests: one PostgreSQL, one Redis and one Meilisearch for the whole run.

// The timeout of tests and hooks is longer than anything that they wait for, so that a wait fails first,
// with a reason. Bun resets the timeout after each test file, so it is set again when a file is resolved.
plugin({
  name: "default timeout",
  setup(build) {
    build.onResolve({ filter: /\.test\.tsx?$/ }, () => {
      setDefaultTimeout(30_000);
      return undefined;
    });
  },
});

// Bun has read .env, whose settings are not meant for the servers of the tests.
for (const name of [
  "OPEN_ACCESS",
  "INSTANCES",
  "WORKERS",
  "TRUSTED_PROXIES",
  "APPLICATIONS",
  "BASE_URL",
  "SAMPLE",
]) {
  process.env[name] = "";
}

const PREFIX = "highstreet-test-";

await removeFoldersOfKilledRuns();
const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
// As root, PostgreSQL runs under another account, which must be able to enter this folder.
await chmod(folder, 0o711);
// Whatever a failed or killed test leaves in its own folder is removed with this one.
process.env.TMPDIR = folder;
const supervisor = new Supervisor(folder);
afterAll(end, 30_000);

try {
  const [postgres, redis, meilisearch] = await Promise.all([
    startPostgres(supervisor, { durable: false }),
    startRedis(supervisor, { durable: false, databases: 4096 }),
    startMeilisearch(supervisor),
  ]);
  useStores({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    meiliUrl: meilisearch.url,
    meiliKey: meilisearch.key,
  });
} catch (error) {
  await end();
  console.error(error instanceof CommandError ? error.message : error);
  process.exit(1);
}

async function end() {
  await supervisor.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The stores of a killed run end with it, but nothing removes their data. */
async function removeFoldersOfKilledRuns() {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid && !isAlive(Number(pid))) {
      await rm(join(tmpdir(), name), { recursive: true, force: true });
    }
  }
}
