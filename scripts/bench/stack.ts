import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../src/store/migrations.ts";
import { openPostgres, type Sql } from "../../src/store/postgres.ts";
import { startMeilisearch } from "../stack/meilisearch.ts";
import { freePort } from "../stack/ports.ts";
import { startPostgres } from "../stack/postgres.ts";
import { startServer } from "../stack/server.ts";
import { Supervisor } from "../stack/supervisor.ts";

/** Creates a supervisor with its own folder. Afterwards stops all it has started, and removes the folder. */
export async function withSupervisor(
  use: (supervisor: Supervisor) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "highstreet-bench-"));
  // When we are root, PostgreSQL runs as another account, which must be able to enter this folder.
  await chmod(folder, 0o711);
  const supervisor = new Supervisor(folder);
  try {
    await use(supervisor);
  } finally {
    await supervisor.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Servers that share a new database, and Redis at these addresses. */
export async function startServers(
  supervisor: Supervisor,
  redisUrls: readonly string[],
  count: number,
): Promise<{ urls: string[]; sql: Sql }> {
  const [postgres, meilisearch] = await Promise.all([
    startPostgres(supervisor, { durable: false }),
    startMeilisearch(supervisor),
  ]);
  const sql = openPostgres(postgres.url, { max: 2 });
  await migrate(sql);
  const urls: string[] = [];
  for (let server = 0; server < count; server++) {
    // One after the other: they share a log file, in which startServer waits for its server's line.
    const port = await freePort();
    const env = {
      ...process.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrls.join(","),
      MEILI_URL: meilisearch.url,
      MEILI_KEY: meilisearch.key,
      INSTANCES: String(count),
      TRUSTED_PROXIES: "127.0.0.0/8",
    };
    await startServer(supervisor, env);
    urls.push(`http://127.0.0.1:${port}`);
  }
  return { urls, sql };
}
