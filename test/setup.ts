import { afterAll, setDefaultTimeout } from "bun:test";
import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
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
      setDefaultTimeout(60_000);
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
const MEMORY = "/dev/shm";
/** Several times what the stores of all parts of the suite take. */
const ROOM_BYTES = 4 * 1024 ** 3;

await removeFoldersOfKilledRuns();
const folder = await makeFolder(tmpdir());
// The tests create and drop hundreds of databases of some 300 files each: on a disk, that takes up to half of the
// time of PostgreSQL.
const dataFolder = (await hasRoom(MEMORY)) ? await makeFolder(MEMORY) : folder;
// Whatever a failed or killed test leaves in its own folder is removed with this one.
process.env.TMPDIR = folder;
const supervisor = new Supervisor(dataFolder);
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
  for (const each of [folder, dataFolder]) await rm(each, { recursive: true, force: true });
}

async function makeFolder(parent: string): Promise<string> {
  const made = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  // As root, PostgreSQL runs under another account, which must be able to enter this folder.
  await chmod(made, 0o711);
  return made;
}

/** Containers often have only 64 MB there, and macOS has no such folder. */
async function hasRoom(parent: string): Promise<boolean> {
  const free = await statfs(parent).catch(() => null);
  return free !== null && free.bavail * free.bsize >= ROOM_BYTES;
}

/** The stores of a killed run end with it, but nothing removes their data. Another account's are left to it. */
async function removeFoldersOfKilledRuns() {
  for (const parent of [tmpdir(), MEMORY]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
      if (pid && !isAlive(Number(pid))) {
        await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
      }
    }
  }
}
