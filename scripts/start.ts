import { mkdtemp, realpath, rmdir } from "node:fs/promises";
import { constants } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { MeilisearchError } from "meilisearch";
import { type Config, givenIn, loadConfig } from "../src/config.ts";
import { SEARCH_INDEX } from "../src/search/settings.ts";
import { openMeilisearch } from "../src/store/meilisearch.ts";
import { laterMigrations, migrate } from "../src/store/migrations.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { isPostgresAway } from "../src/store/postgres-errors.ts";
import { claimFolder } from "./stack/claim.ts";
import { dataFolder } from "./stack/environment.ts";
import { failureLine } from "./stack/failure-line.ts";
import { endLeftovers } from "./stack/leftovers.ts";
import { fillDirectory } from "./stack/sample.ts";
import { prepareSearchIndex } from "./stack/search-index.ts";
import { choosePort, localUrl, startServer } from "./stack/server.ts";
import { removeStack, writeStack } from "./stack/stack-file.ts";
import { startStores } from "./stack/stores.ts";
import { Supervisor } from "./stack/supervisor.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { print, say, step } from "./terminal/output.ts";

const USAGE = `Usage: npm start

Runs the whole service on this machine until it is told to stop: PostgreSQL, Redis and Meilisearch
unless their addresses are set, a sample directory, the API and its pages. It is configured by
environment variables, which .env.example lists.`;

await runCommand(USAGE, async () => {
  parseArgs();
  const config = readSettings();
  using _claim = await claimFolder(dataFolder(process.env));
  // As it appears in the process list, even if DATA_DIR is a symbolic link: see runsOn.
  const folder = await realpath(dataFolder(process.env));
  await endLeftovers(folder);
  await removeStack(folder);
  const port = await choosePort(config);
  await checkTempFolder(config.tempFolder);

  const supervisor = new Supervisor(folder);
  const interrupted = interruption();
  let isReady = false;
  const serving = bringUp(supervisor, config, port).then(() => {
    isReady = true;
    return interrupted;
  });
  try {
    const signal = await Promise.race([interrupted, serving, supervisor.failure]);
    process.exitCode = isReady ? 0 : 128 + constants.signals[signal];
  } catch (error) {
    // When a store exits, whatever waited for its reply fails too, and perhaps sooner. So the supervisor
    // gets a moment to throw its own error, which quotes the store's log and says more.
    await Promise.race([supervisor.failure, Bun.sleep(200)]);
    // PostgreSQL does not exit when it crashes, as on a full disk, but starts over.
    const { DATABASE_URL } = givenIn(process.env);
    const isAway = [error, (error as Error).cause].some(isPostgresAway);
    // A connection to Meilisearch breaks off with the same codes.
    if (DATABASE_URL || !isAway || error instanceof MeilisearchError) throw error;
    const log = join(folder, "logs", "postgres.log");
    throw new CommandError(`PostgreSQL broke off, see ${log}: ${await failureLine(log)}`);
  } finally {
    await supervisor.stop();
    await removeStack(folder);
  }
  say("Stopped; the data are kept.");
});
// Work that was interrupted may still keep the process alive.
process.exit();

/** All settings, with placeholders for the stores that are yet to be started. */
function readSettings(): Config {
  return loadConfig({
    DATABASE_URL: "postgres://localhost",
    REDIS_URL: "redis://localhost",
    MEILI_URL: "http://localhost",
    ...givenIn(process.env),
  });
}

/** The server would say so too, but only once the stores have been started and filled. */
async function checkTempFolder(folder: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(folder, "highstreet-")));
  } catch (error) {
    throw new CommandError(
      `The folder for temporary files is not writable (${(error as Error).message}): set TMPDIR to one that is, on a disk.`,
    );
  }
}

async function bringUp(supervisor: Supervisor, config: Config, port: number): Promise<void> {
  const stores = await startStores(supervisor, config);
  const sql = openPostgres(stores.databaseUrl);
  const later = await laterMigrations(sql);
  if (later.length > 0) {
    throw new CommandError(
      `The data are from a later version, which applied ${later.join(", ")}: start that version, or restore an older copy of the data.`,
    );
  }
  await step("Migrations", migrate(sql, { onWait: say }));
  if (config.sample) await fillDirectory(sql);
  const meili = openMeilisearch(stores.meiliUrl, stores.meiliKey);
  await prepareSearchIndex({ sql, meili, index: SEARCH_INDEX });
  await sql.end();

  const url = localUrl(config.host, port);
  const { BASE_URL, APPLICATIONS = "auto", DATA_DIR } = givenIn(process.env);
  const baseUrl = BASE_URL ? config.baseUrl : url;
  const env = {
    ...process.env,
    PORT: `${port}`,
    BASE_URL: baseUrl,
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    MEILI_URL: stores.meiliUrl,
    MEILI_KEY: stores.meiliKey,
    APPLICATIONS,
  };
  const server = await step("Server", startServer(supervisor, env));
  const { pids, ...addresses } = stores;
  await writeStack(supervisor.folder, {
    baseUrl,
    ...addresses,
    pids: { server: server.pid, ...pids },
  });
  print(`listening on ${url}`);
  // Without it, commands look in the standard folder.
  const folderSetting = DATA_DIR ? `DATA_DIR=${$.escape(DATA_DIR)} ` : "";
  const issue = `${folderSetting}npx bun scripts/issue-key.ts --name "Ada Shah" --email ada@client.example --tier developer`;
  const calls = config.openAccess
    ? [`curl '${baseUrl}/api/v1/businesses?limit=2'`, issue]
    : [issue, `curl -H 'Authorization: Bearer <key>' '${baseUrl}/api/v1/businesses?per_page=2'`];
  say(`
  ${calls.join("\n  ")}

  Data and logs are in ${relative("", supervisor.folder) || "."}. Ctrl-C stops everything.`);
}

/** Resolves with the first signal to stop. Further signals change nothing. */
function interruption(): Promise<"SIGINT" | "SIGTERM" | "SIGHUP"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => resolve(signal));
    }
    // npm forwards signals to us, but if it is killed by SIGKILL, all we see is that our parent has changed.
    const parent = process.ppid;
    if (process.env.npm_lifecycle_event) {
      setInterval(() => process.ppid !== parent && resolve("SIGHUP"), 1000).unref();
    }
  });
}
