import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { scriptConfig } from "../../scripts/stack/environment.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { localUrl } from "../../scripts/stack/server.ts";
import type { Stack } from "../../scripts/stack/stack-file.ts";
import { isAlive, until } from "../../scripts/stack/waiting.ts";
import { SEARCH_INDEX, versionOf } from "../../src/search/settings.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { connectRedis, openRedis, type RedisClient } from "../../src/store/redis.ts";
import { createDatabase, newFolder, stores } from "../support.ts";

const ROOT = join(import.meta.dir, "..", "..");
const LIMIT_MS = 120_000;

const folder = await newFolder();
const starters: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const starter of starters) starter.kill("SIGTERM");
  await Promise.all(starters.map((starter) => starter.exited));
  await rm(folder, { recursive: true, force: true });
});

describe("npm start", () => {
  test(
    "serves, keeps its data across restarts, and ends everything that it started",
    async () => {
      const dataDir = join(folder, "a life");
      const first = run({ DATA_DIR: dataDir });
      const port = await first.listening();
      const stack = await readStackFile(dataDir);
      const { baseUrl, databaseUrl, redisUrl, meiliUrl, meiliKey, pids } = stack;
      expect(stack).toEqual({ baseUrl, databaseUrl, redisUrl, meiliUrl, meiliKey, pids });
      expect((await stat(join(dataDir, "stack.json"))).mode & 0o777).toBe(0o600);
      for (const name of ["redis.password", "redis/redis.conf"]) {
        expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
      }
      for (const name of ["redis", "logs"]) {
        expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o700);
      }
      await expect(pingRedis(redisUrl)).resolves.toBe("PONG");
      await expect(pingRedis(`redis://${new URL(redisUrl).host}`)).rejects.toThrow("NOAUTH");
      // An operator's own, which comes with the server.
      const cli = Bun.which("redis-cli") ?? "valkey-cli";
      expect(await $`${cli} -u ${redisUrl} ping`.quiet().text()).toBe("PONG\n");
      const command = await readFile(`/proc/${pids.redis}/cmdline`, "utf8");
      expect(command).not.toContain(new URL(redisUrl).password);
      expect(baseUrl).toBe(`http://localhost:${port}`);
      expect(Object.keys(pids).sort()).toEqual(["meilisearch", "postgres", "redis", "server"]);
      expect(Object.values(pids).every((pid) => pid !== null && isAlive(pid))).toBe(true);
      expect(new Set(Object.values(pids)).size).toBe(4);
      expect((await fetch(`${baseUrl}/api/v1/businesses`)).status).toBe(200);

      // The scripts find it, and only it.
      expect(await scriptConfig({ DATA_DIR: dataDir })).toMatchObject({
        baseUrl,
        databaseUrl,
        redisUrls: [redisUrl],
        meiliUrl,
        meiliKey,
      });
      await expect(scriptConfig({ DATA_DIR: join(folder, "none") })).rejects.toThrow(/npm start/);

      const second = run({ DATA_DIR: dataDir });
      expect(await second.exited).toBe(1);
      expect(await second.errors()).toBe(
        `Highstreet is already running with its data in ${dataDir} (process ${first.pid}, ${baseUrl}). Stop it first, or set DATA_DIR to another folder.\n`,
      );

      const before = openPostgres(databaseUrl, { max: 1 });
      await before`insert into cities (slug, name) values ('kept-town', 'Kept Town')`;
      await before.end();
      await withRedis(redisUrl, (redis) => redis.set("kept-count", "41"));
      const search = openMeilisearch(meiliUrl, meiliKey).index(SEARCH_INDEX);
      await search.updateDisplayedAttributes(["id", "version-other"]).waitTask();
      first.kill("SIGTERM");
      expect(await first.exited).toBe(0);
      expectGone(stack);
      expect(existsSync(join(dataDir, "stack.json"))).toBe(false);
      // Ready to be pasted into a shell.
      expect(await first.errors()).toContain(`DATA_DIR="${dataDir}" npx bun scripts/issue-key.ts`);
      expect(await first.errors()).toContain(`curl '${baseUrl}/api/v1/businesses?limit=2'`);
      expect(await first.errors()).toEndWith("\nStopped; the data are kept.\n");

      const third = run({ DATA_DIR: dataDir, WORKERS: "2" });
      await third.listening();
      const again = await readStackFile(dataDir);
      const metrics = await (await fetch(`${again.baseUrl}/metrics`)).text();
      expect(metrics).toMatch(/^highstreet_processes 2$/m);
      // It does not wait for a new search index: the server builds it while the old one answers.
      const shown = () =>
        openMeilisearch(again.meiliUrl, again.meiliKey)
          .index(SEARCH_INDEX)
          .getDisplayedAttributes();
      await until(async () => versionOf(await shown()) === "ours", 10_000);
      const after = openPostgres(again.databaseUrl, { max: 1 });
      expect(Array.from(await after`select slug from cities`)).toEqual([{ slug: "kept-town" }]);
      await after.end();
      expect(await withRedis(again.redisUrl, (redis) => redis.get("kept-count"))).toBe("41");

      // Killed with SIGKILL: what it started ends all the same.
      third.kill("SIGKILL");
      await third.exited;
      await until(() => pidsOf(again).every((pid) => !isAlive(pid)), 20_000);
      expect(await third.errors()).toContain("the server will build a new one");
      const answers = () => fetch(`${again.baseUrl}/healthz`).catch(() => null);
      await until(async () => (await answers()) === null, 10_000);
      expect(existsSync(join(dataDir, "stack.json"))).toBe(true);
      await expect(scriptConfig({ DATA_DIR: dataDir })).rejects.toThrow(/npm start/);
      const settings = { OPEN_ACCESS: "off", BASE_URL: "https://directory.example" };
      const fourth = run({ DATA_DIR: dataDir, ...settings, SAMPLE: "on" });
      const site = `http://localhost:${await fourth.listening()}`;

      // As for a newcomer: there are businesses to find, and keys for the asking.
      const found = await (await fetch(`${site}/search?q=plumber`)).text();
      expect(found).toMatch(/\d+ businesses/);
      const log = await readFile(join(dataDir, "logs", "meilisearch.log"), "utf8");
      expect(log).not.toContain("/multi-search");
      const applied = await fetch(`${site}/developers/applications`, {
        method: "POST",
        body: new URLSearchParams({ name: "Ann", email: "ann@shop.example", purpose: "A trial." }),
        redirect: "manual",
      });
      const { pathname } = new URL(applied.headers.get("Location") ?? "", site);
      expect(await (await fetch(site + pathname)).text()).toContain("Reveal my key");

      // A store that dies takes everything with it.
      const last = await readStackFile(dataDir);
      expect(last.baseUrl).toBe(settings.BASE_URL);
      process.kill(last.pids.redis ?? 0, "SIGKILL");
      expect(await fourth.exited).toBe(1);
      expect(await fourth.errors()).toContain("Redis exited (SIGKILL)");
      // The call that it suggests works.
      expect(await fourth.errors()).toContain(
        `curl -H 'Authorization: Bearer <key>' '${last.baseUrl}/api/v1/businesses?per_page=2'`,
      );
      expectGone(last);
    },
    LIMIT_MS,
  );

  test(
    "interrupted at any moment of its start, it leaves nothing running",
    async () => {
      for (const moment of ["initdb.pid", "postgres.pid", "server.pid"]) {
        const dataDir = join(folder, `interrupted-${moment}`);
        const starter = run({ DATA_DIR: dataDir });
        await until(() => existsSync(join(dataDir, "run", moment)), 30_000);
        const pids = await pidsIn(dataDir);
        starter.kill("SIGINT");
        // Ctrl-C arrives twice, since npm passes it on as well.
        starter.kill("SIGINT");
        expect(await starter.exited).toBe(130);
        expect(await starter.errors()).not.toMatch(/ at .*\.ts|error/i);
        expect(pids.length).toBeGreaterThan(0);
        expect(pids.filter(isAlive)).toEqual([]);
        expect(await readdir(join(dataDir, "run"))).toEqual([]);
      }
    },
    2 * LIMIT_MS,
  );

  test("says in one line that the port is in use on localhost, before it starts anything", async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const has = (hostname: string) => own.some(({ address }) => address === hostname);
    for (const hostname of ["127.0.0.1", "::1"].filter(has)) {
      const port = await freePort();
      const other = Bun.serve({ port, hostname, fetch: () => new Response() });
      const dataDir = join(folder, "port");
      const starter = run({ DATA_DIR: dataDir, PORT: `${port}` });
      expect(await starter.exited).toBe(1);
      expect(await starter.errors()).toBe(
        `Port ${port} is in use by another program: choose another, for example \`PORT=${port + 1} npm start\`.\n`,
      );
      expect(existsSync(join(dataDir, "postgres"))).toBe(false);
      await other.stop(true);
    }
  });

  test.each([
    ["192.0.2.1", "3000"],
    ["192.0.2.1", "0"],
    ["no-such-host.invalid", "0"],
  ])("names the setting when it cannot listen on %s, port %s", async (HOST, PORT) => {
    const dataDir = join(folder, `address-${HOST}-${PORT}`);
    const starter = run({ DATA_DIR: dataDir, HOST, PORT });
    expect(await starter.exited).toBe(1);
    expect(await starter.errors()).toMatch(/^Cannot start: .*\n$/);
    expect(await starter.errors()).toContain(`HOST (${HOST}) must be an address of this machine`);
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  test("with some given stores and an address other than localhost's, it starts the others and says where it answers", async () => {
    await using database = await createDatabase();
    const { meiliUrl, meiliKey } = stores();
    const dataDir = join(folder, "other-address");
    const starter = run({
      DATA_DIR: dataDir,
      HOST: "127.0.0.2",
      // Has no way back to this machine.
      http_proxy: "http://127.0.0.1:1",
      DATABASE_URL: database.url,
      MEILI_URL: meiliUrl,
      MEILI_KEY: meiliKey,
    });
    const baseUrl = `http://127.0.0.2:${await starter.listening("127.0.0.2")}`;
    expect((await fetch(`${baseUrl}/api/v1/businesses`)).status).toBe(200);
    const pids = { postgres: null, redis: expect.any(Number), meilisearch: null };
    expect(await readStackFile(dataDir)).toMatchObject({ baseUrl, meiliUrl, meiliKey, pids });
    starter.kill("SIGTERM");
    expect(await starter.exited).toBe(0);
    await openMeilisearch(meiliUrl, meiliKey).deleteIndexIfExists(SEARCH_INDEX);
    expect(await starter.errors()).toContain(`curl '${baseUrl}/api/v1/businesses?limit=2'`);
  });

  test.each([
    ["127.0.0.1", "localhost"],
    ["::1", "localhost"],
    ["0.0.0.0", "localhost"],
    ["::", "localhost"],
    ["localhost", "localhost"],
    ["10.0.0.7", "10.0.0.7"],
    ["fd00::7", "[fd00::7]"],
  ])("when HOST is %s, its URL has %s", (host, name) => {
    expect(localUrl(host, 3000)).toBe(`http://${name}:3000`);
  });

  test("says in one line that the data folder cannot be written", async () => {
    const file = join(folder, "a-file");
    await writeFile(file, "");
    const starter = run({ DATA_DIR: join(file, "data") });
    expect(await starter.exited).toBe(1);
    expect(await starter.errors()).toMatch(/^The data folder .* is not writable .*\n$/);
  });

  test("says in one line that TMPDIR does not exist, before it starts anything", async () => {
    const dataDir = join(folder, "temporary");
    const starter = run({ DATA_DIR: dataDir, PORT: "0", TMPDIR: join(folder, "nowhere") });
    expect(await starter.exited).toBe(1);
    expect(await starter.errors()).toMatch(
      /^The folder for temporary files is not writable \(ENOENT.*\): set TMPDIR to .*\n$/,
    );
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  test("lists what is wrong with the settings", async () => {
    const starter = run({ DATA_DIR: join(folder, "settings"), PORT: "x", SAMPLE: "maybe" });
    expect(await starter.exited).toBe(1);
    const errors = await starter.errors();
    expect(errors).toContain("PORT must be");
    expect(errors).toContain("SAMPLE must be");
    expect(errors).not.toContain(" at ");
  });

  test("says that a given Meilisearch refuses the key, before it loads anything", async () => {
    const { meiliUrl } = stores();
    const starter = run({ DATA_DIR: join(folder, "key"), MEILI_URL: meiliUrl, MEILI_KEY: "no" });
    expect(await starter.exited).toBe(1);
    const errors = await starter.errors();
    expect(errors).toContain("MEILI_URL is set, but cannot be used");
    expect(errors).not.toContain("Migrations");
  });

  test("says of a given Meilisearch that it breaks off, not of its own PostgreSQL", async () => {
    const body = '{"results":[]}';
    using meilisearch = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket, request) {
          const isCheck = request.toString().startsWith("GET /indexes?");
          if (isCheck)
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
          else socket.terminate();
        },
      },
    });
    const MEILI_URL = `http://127.0.0.1:${meilisearch.port}`;
    const starter = run({ DATA_DIR: join(folder, "meilisearch-breaks"), MEILI_URL });
    expect(await starter.exited).toBe(1);
    expect(await starter.errors()).toMatch(
      new RegExp(
        `^Cannot reach Meilisearch: Request to ${MEILI_URL}/\\S+ has failed\\. Is it running\\?\n$`,
        "m",
      ),
    );
  });

  test("takes no arguments", async () => {
    const starter = run({ DATA_DIR: join(folder, "arguments") }, ["--port", "3000"]);
    expect(await starter.exited).toBe(1);
    expect(existsSync(join(folder, "arguments"))).toBe(false);
  });

  test("refuses data of a later version", async () => {
    await using database = await createDatabase();
    const { sql, url } = database;
    await sql`insert into migrations (name) values ('999_later.sql')`;
    const { redisUrl, meiliUrl, meiliKey } = stores();
    const starter = run({
      DATA_DIR: join(folder, "later"),
      DATABASE_URL: url,
      // Empty addresses in the list are ignored, as by the server.
      REDIS_URL: `${redisUrl}, `,
      MEILI_URL: meiliUrl,
      MEILI_KEY: meiliKey,
    });
    expect(await starter.exited).toBe(1);
    expect(await starter.errors()).toMatch(
      /^The data are from a later .* 999_later\.sql: start .*\n$/,
    );
  });

  test.each([
    ["DATABASE_URL", "postgres"],
    ["REDIS_URL", "redis"],
  ])(
    "says that the store of %s does not answer, and does not start its own instead",
    async (setting, store) => {
      const dataDir = join(folder, `given-${store}`);
      const address = `${store}://x@127.0.0.1:${await freePort()}/0`;
      const starter = run({ DATA_DIR: dataDir, [setting]: address });
      expect(await starter.exited).toBe(1);
      expect(await starter.errors()).toContain(`${setting} is set, but cannot be used`);
      expect(existsSync(join(dataDir, store))).toBe(false);
      expect(await readdir(join(dataDir, "run"))).toEqual([]);
    },
  );
});

/** Runs `npm start`'s script without a sample directory, and without settings from the environment. */
function run(settings: Record<string, string>, args: string[] = []) {
  const none = { DATABASE_URL: "", REDIS_URL: "", MEILI_URL: "", MEILI_KEY: "", BASE_URL: "" };
  const starter = Bun.spawn([process.execPath, "scripts/start.ts", ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...none,
      HOST: "",
      npm_lifecycle_event: "",
      PORT: "0",
      SAMPLE: "off",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  starters.push(starter);
  const errors = new Response(starter.stderr).text();
  const reader = starter.stdout.getReader();
  return {
    pid: starter.pid,
    exited: starter.exited,
    kill: (signal: NodeJS.Signals) => starter.kill(signal),
    errors: () => errors,
    /** Waits for the "listening" line, the only one on stdout. @returns the port */
    async listening(host = "localhost"): Promise<number> {
      const { value = new Uint8Array() } = await reader.read();
      const line = new TextDecoder().decode(value);
      const [, name, port] = /^listening on http:\/\/(.+):(\d+)\n$/.exec(line) ?? [];
      if (name !== host)
        throw new Error(`It printed ${JSON.stringify(line)}, and: ${await errors}`);
      return Number(port);
    },
  };
}

async function readStackFile(dataDir: string): Promise<Stack> {
  return JSON.parse(await readFile(join(dataDir, "stack.json"), "utf8"));
}

const pingRedis = (url: string) => withRedis(url, (redis) => redis.ping());

async function withRedis<Result>(
  url: string,
  use: (redis: RedisClient) => Promise<Result>,
): Promise<Result> {
  const redis = openRedis([url]);
  try {
    await connectRedis(redis);
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

function pidsOf({ pids }: Stack): number[] {
  return Object.values(pids).filter((pid) => pid !== null);
}

function expectGone(stack: Stack): void {
  expect(pidsOf(stack).filter(isAlive)).toEqual([]);
}

/** The pids of the programs that are running now. */
async function pidsIn(dataDir: string): Promise<number[]> {
  const names = await readdir(join(dataDir, "run"));
  const texts = await Promise.all(
    names.map((name) => readFile(join(dataDir, "run", name), "utf8").catch(() => "")),
  );
  return texts.map((text) => Number.parseInt(text, 10)).filter((pid) => pid > 0);
}
