import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile, readdir, rename } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type FrailRedis, startFrailRedis } from "../scripts/bench/redis.ts";
import { freePort } from "../scripts/stack/ports.ts";
import { Supervisor } from "../scripts/stack/supervisor.ts";
import { isAlive, succeeds, until } from "../scripts/stack/waiting.ts";
import { createKey } from "../src/access/keys.ts";
import { SEARCH_INDEX } from "../src/search/settings.ts";
import { addBusiness } from "./fixtures.ts";
import {
  createDatabase,
  newAddress,
  newFolder,
  storesEnvironment,
  type TestDatabase,
  uniqueIndex,
} from "./support.ts";

// Real processes: the server as an operator runs it, with WORKERS set and a Redis that is killed.

const WORKERS = 4;
const { meili } = uniqueIndex();
let folder: string;
let supervisor: Supervisor;
let database: TestDatabase;
let frail: FrailRedis;
let server: Program;
beforeAll(async () => {
  folder = await newFolder();
  supervisor = new Supervisor(folder);
  [database, frail] = await Promise.all([createDatabase(), startFrailRedis(supervisor)]);
  // One of three servers, so that its share of each limit is a third.
  server = run({ INSTANCES: "3" });
  await until(() => server.url() !== "", 20_000);
});
afterAll(async () => {
  for (const program of programs) program.kill("SIGKILL");
  const isOver = () => programs.every(({ workers }) => !workers().some(isAlive));
  await until(isOver, 15_000);
  await supervisor.stop();
  await meili.deleteIndexIfExists(SEARCH_INDEX);
  await database.drop();
});

test("all workers accept connections on the one port once the server says that it is serving", async () => {
  expect(server.workers().length).toBe(WORKERS);
  const before = await Promise.all(server.workers().map(openFiles));
  const { hostname, port } = new URL(server.url());
  const sockets: Socket[] = [];
  for (let number = 0; number < 100; number++) {
    const socket = connect(Number(port), hostname);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    sockets.push(socket);
  }
  await until(async () => {
    const now = await Promise.all(server.workers().map(openFiles));
    return now.every((count, worker) => count > (before[worker] as number));
  }, 5_000);
  for (const socket of sockets) socket.destroy();
});

test("of hundreds of concurrent requests, all workers together admit exactly as many as one would", async () => {
  await whileRedisDecides(async () => {
    expect(await admitted(newClient(), 400)).toBe(60);
    // One token a minute is refilled: none while this runs.
    const key = await newKey({ quota: 1_000, perMinute: 1, burst: 60 });
    expect(await admitted({ Authorization: `Bearer ${key}` }, 400)).toBe(60);
    const small = await newKey({ quota: 30, perMinute: 60_000, burst: 60_000 });
    expect(await admitted({ Authorization: `Bearer ${small}` }, 400)).toBe(30);
  });
});

test("one scrape covers all workers, whichever answers", async () => {
  const before = await outages();
  for (let scrape = 0; scrape < 10; scrape++) {
    const found = await metrics();
    expect(found.get("highstreet_processes")).toBe(WORKERS);
    expect(found.get("highstreet_admission_local")).toBe(0);
    expect(found.get("highstreet_admission_outages_total")).toBe(before);
    // More than one process could need, less than a hundred.
    expect(found.get("process_resident_memory_bytes")).toBeWithin(WORKERS * 30e6, 4e9);
    // Not sums.
    expect(found.get("highstreet_build_info")).toBe(1);
    const now = Date.now() / 1000;
    expect(found.get("process_start_time_seconds")).toBeWithin(now - 3_600, now);
  }
});

test("one scrape covers upkeep too, whichever worker does it", async () => {
  const text = await (await fetch(`${server.url()}/metrics`)).text();
  expect(text.match(/^highstreet_upkeep_failing\{.*$/gm)?.sort()).toEqual([
    'highstreet_upkeep_failing{task="keys"} 0',
    'highstreet_upkeep_failing{task="pages"} 0',
    'highstreet_upkeep_failing{task="search"} 0',
    'highstreet_upkeep_failing{task="totals"} 0',
    'highstreet_upkeep_failing{task="usage"} 0',
  ]);
});

test("a worker killed under load is replaced, and the server keeps serving", async () => {
  let isOver = false;
  let answered = 0;
  let lost = 0;
  const CALLERS = 8;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const answer = await fetch(`${server.url()}/healthz`).catch(() => null);
      if (answer?.ok) answered += 1;
      else lost += 1;
    }
  });
  await until(() => answered > 100, 10_000);
  // The one that keeps search current.
  await replaceWorker(0);
  const answeredUntilReplaced = answered;
  await until(() => answered > answeredUntilReplaced + 200, 10_000);
  isOver = true;
  await Promise.all(callers);
  // The requests in flight there: each caller has one at a time.
  expect(lost).toBeLessThanOrEqual(CALLERS);

  const { id } = await addBusiness(database.sql, { slug: "after-the-kill" });
  await until(() => succeeds(meili.index(SEARCH_INDEX).getDocument(id)), 5_000);
}, 40_000);

test("a worker that keeps dying is restarted with a growing back-off", async () => {
  const lastPauses = () => server.pauses().slice(-2);
  // On a busy machine one may take so long to start that it counts as steady, and the back-off begins anew.
  for (let deaths = 0; deaths < 2 || (deaths < 6 && lastPauses().includes(0)); deaths++) {
    await replaceWorker(0);
  }
  const [first = 0, second = 0] = lastPauses();
  expect(first).toBeGreaterThan(0);
  expect(second).toBeGreaterThan(first);
}, 90_000);

test("what a worker had counted at the last scrape still counts after its replacement", async () => {
  const counted = async () => {
    const text = await (await fetch(`${server.url()}/metrics`)).text();
    const answers = /^highstreet_http_requests_total\{route="\*",status="404"\} (\d+)$/m.exec(text);
    const durations = /^highstreet_http_request_duration_seconds_count\{route="\*"\} (\d+)$/m.exec(
      text,
    );
    expect(durations?.[1]).toBe(answers?.[1] ?? "none");
    return Number(answers?.[1]);
  };
  // Over new connections, which are spread over all workers: the old ones do not reach the newest worker.
  const fresh = { keepalive: false };
  await Promise.all(Array.from({ length: 60 }, () => fetch(`${server.url()}/nowhere`, fresh)));
  const before = await counted();
  expect(before).toBeGreaterThanOrEqual(60);
  // The second time, these are counts of the worker before the last.
  for (let deaths = 1; deaths <= 2; deaths++) {
    await replaceWorker(0);
    expect(await counted()).toBe(before);
  }
}, 60_000);

test("a hanging worker does not hold up the metrics of the others, and its counters stay", async () => {
  const cpuSeconds = (found: Map<string, number>) => found.get("process_cpu_seconds_total") ?? 0;
  const before = cpuSeconds(await metrics());
  const hanging = server.pidOf(1);
  process.kill(hanging, "SIGSTOP");
  try {
    // A scrape that happens to reach the hanging worker is retried.
    const scrape = () =>
      metrics({ keepalive: false, signal: AbortSignal.timeout(1_900) }).catch(() => null);
    let found: Map<string, number> | null = null;
    await until(async () => {
      found = await scrape();
      return found?.get("highstreet_processes") === WORKERS - 1;
    }, 20_000);
    expect(cpuSeconds(found ?? new Map())).toBeGreaterThanOrEqual(before);
  } finally {
    process.kill(hanging, "SIGCONT");
  }
  await until(async () => (await metrics()).get("highstreet_processes") === WORKERS, 5_000);
});

// The first waits for most of its time, so the next two, which have servers of their own, run meanwhile.
test.concurrent("a worker that keeps hanging is killed and replaced", async () => {
  const hanging = server.pidOf(1);
  process.kill(hanging, "SIGSTOP");
  await until(() => server.pidOf(1) !== hanging, 60_000);
  expect(isAlive(hanging)).toBe(false);
  expect(server.stderr()).toContain("a worker hangs: killing it");
}, 90_000);

test.concurrent("a worker that cannot be started is started as soon as it can be", async () => {
  const bun = join(folder, "bun");
  await copyFile(process.execPath, bun);
  const other = run({ WORKERS: "2" }, bun);
  await until(() => other.url() !== "", 20_000);
  await rename(bun, `${bun}.away`);
  process.kill(other.pidOf(1), "SIGKILL");
  await until(() => other.pauses().length >= 3, 10_000);
  expect(other.stderr()).toContain("a worker cannot be started");
  expect((await fetch(`${other.url()}/healthz`)).status).toBe(200);

  await rename(`${bun}.away`, bun);
  await until(() => other.workers().length === 3, 10_000);
  other.kill("SIGTERM");
  expect(await other.exited).toBe(0);
}, 40_000);

test.concurrent("killed with SIGKILL, it leaves no worker behind", async () => {
  const other = run({ WORKERS: "2" });
  await until(() => other.url() !== "", 20_000);
  expect(other.workers().filter(isAlive).length).toBe(2);
  other.kill("SIGKILL");
  await until(() => !other.workers().some(isAlive), 10_000);
}, 40_000);

test("while Redis is away each worker admits its share of the server's limit", async () => {
  const before = await outages();
  await frail.kill();
  try {
    // Enough for every worker to reach its share.
    let count = 0;
    for (let round = 0; round < 4; round++) {
      count += await admitted({ "X-Forwarded-For": "198.51.100.1" }, 300);
    }
    expect(count).toBe(20);
    expect((await metrics()).get("highstreet_admission_local")).toBe(1);
    expect(await outages()).toBe(before + WORKERS);

    await replaceWorker(2);
    // New connections are spread over the workers, so the new one is asked as well.
    const fresh = { keepalive: false, headers: { "X-Forwarded-For": "198.51.100.2" } };
    const ask = () => fetch(`${server.url()}/api/v1/businesses`, fresh);
    await until(async () => {
      await Promise.all(Array.from({ length: 20 }, ask));
      return (await outages()) === before + WORKERS + 1;
    }, 10_000);
  } finally {
    // Without it no server of the tests below would start.
    await frail.restart();
  }
  await untilRedisDecides();
  await whileRedisDecides(async () => expect(await admitted(newClient(), 400)).toBe(60));
}, 60_000);

test("SIGTERM shuts all workers down gracefully: what was charged is written", async () => {
  const key = await newKey({ quota: 1_000, perMinute: 60_000, burst: 60_000 });
  expect(await admitted({ Authorization: `Bearer ${key}` }, 100)).toBe(100);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(server.workers().filter(isAlive)).toEqual([]);
  const [row] = await database.sql`
    select used::integer from usage order by meter_id desc limit 1`;
  expect(row?.used).toBe(100);
});

test("shuts down gracefully also when each worker gets the signal too, as from systemd", async () => {
  const other = run({ WORKERS: "2" });
  await until(() => other.url() !== "", 20_000);
  for (const pid of other.workers()) process.kill(pid, "SIGTERM");
  other.kill("SIGTERM");
  expect(await other.exited).toBe(0);
}, 40_000);

test("its exit code says that a worker did not shut down gracefully", async () => {
  const other = run({ WORKERS: "2" });
  await until(() => other.url() !== "", 20_000);
  // It hangs, so it is still there when all are told to stop.
  const hanging = other.pidOf(1);
  process.kill(hanging, "SIGSTOP");
  other.kill("SIGTERM");
  await until(() => !isAlive(other.pidOf(0)), 10_000);
  if (isAlive(hanging)) process.kill(hanging, "SIGKILL");
  const code = await other.exited;
  expect(other.stderr()).toContain("not every worker has stopped cleanly");
  expect(code).toBe(1);
}, 40_000);

test.each(["1", "2"])(
  "says in one line that the port is in use, also by a program that would share it, with WORKERS=%s",
  async (WORKERS) => {
    const port = await freePort();
    const shared = { port, hostname: "127.0.0.1", reusePort: true, fetch: () => new Response() };
    const other = Bun.serve(shared);
    const second = run({ PORT: String(port), WORKERS });
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toBe(
      "Cannot start: the port is in use. Stop the program that uses it, or choose another with PORT.\n",
    );
    await other.stop(true);
  },
);

test.each(["1", "2"])(
  "says in one line that HOST is not an address of this machine, with WORKERS=%s",
  async (WORKERS) => {
    for (const HOST of ["203.0.113.9", "no-such-host.invalid"]) {
      const misplaced = run({ HOST, WORKERS });
      expect(await misplaced.exited).toBe(1);
      expect(misplaced.stderr()).toMatch(/^Cannot start: .+\n$/);
      expect(misplaced.stderr()).toContain(`. HOST (${HOST}) must be an address of this machine`);
    }
  },
);

test("says once why no worker can start, and leaves none", async () => {
  const port = await freePort();
  const other = run({ REDIS_URL: `redis://127.0.0.1:${port}`, WORKERS: "2" });
  expect(await other.exited).toBe(1);
  const lines = other.stderr().split("\n");
  const forPeople = lines.filter((line) => line !== "" && !line.startsWith("{"));
  expect(forPeople).toEqual([expect.stringMatching(/^Cannot use Redis \(REDIS_URL\): ./)]);
});

interface Program {
  kill(signal: NodeJS.Signals): void;
  /** Resolves to the exit code once all of stderr has been read, including that of the workers. */
  exited: Promise<number>;
  stderr(): string;
  /** Empty until it is serving. */
  url(): string;
  /** The pids of all workers that have ever served. */
  workers(): number[];
  /** The pid of the latest worker with this number. */
  pidOf(number: number): number;
  /** Milliseconds before each replacement. */
  pauses(): number[];
}

interface LogLine {
  url: string;
  worker: number;
  pid: number;
  pauseMs: number;
}

const programs: Program[] = [];

function run(settings: Record<string, string> = {}, bun = process.execPath): Program {
  const child = Bun.spawn([bun, "src/main.ts"], {
    env: {
      ...storesEnvironment(database.url),
      PORT: "0",
      HOST: "127.0.0.1",
      REDIS_URL: frail.url,
      TRUSTED_PROXIES: "127.0.0.0/8",
      WORKERS: String(WORKERS),
      ...settings,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) stderr += text;
  })();
  const logged = (message: string) =>
    stderr
      .split("\n")
      .filter((line) => line.endsWith(`"msg":"${message}"}`))
      .map((line) => JSON.parse(line) as LogLine);
  const program = {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    exited: child.exited.then((code) => reading.then(() => code)),
    stderr: () => stderr,
    url: () => logged("serving")[0]?.url ?? "",
    workers: () => logged("a worker serves").map(({ pid }) => pid),
    pidOf: (number: number) =>
      logged("a worker serves").findLast(({ worker }) => worker === number)?.pid ?? 0,
    pauses: () => logged("a worker ended: replacing it").map(({ pauseMs }) => pauseMs),
  };
  programs.push(program);
  return program;
}

/** Kills the worker with this number, and waits until another serves in its place: a while on a busy machine. */
async function replaceWorker(number: number): Promise<void> {
  const served = server.workers().length;
  process.kill(server.pidOf(number), "SIGKILL");
  await until(() => server.workers().length === served + 1, 20_000);
}

async function openFiles(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

async function newKey(limits: { quota: number; perMinute: number; burst: number }) {
  const owner = { name: "Ann", email: "ann@shop.example", tier: "enterprise" };
  return (await createKey(database.sql, { ...owner, ...limits })).key;
}

/** How many of so many concurrent requests are admitted. */
async function admitted(headers: Record<string, string>, requests: number): Promise<number> {
  const send = async () => {
    const response = await fetch(`${server.url()}/api/v1/businesses`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: requests }, send));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

const newClient = () => ({ "X-Forwarded-For": newAddress() });

const outages = async () => (await metrics()).get("highstreet_admission_outages_total") ?? 0;

const untilRedisDecides = () =>
  until(async () => (await metrics()).get("highstreet_admission_local") === 0, 10_000);

/** Repeats a failure during which Redis was late, as on a busy machine: then workers decide by themselves. */
async function whileRedisDecides(work: () => Promise<void>): Promise<void> {
  const before = await outages();
  try {
    await work();
  } catch (error) {
    if ((await outages()) === before) throw error;
    await untilRedisDecides();
    await whileRedisDecides(work);
  }
}

/** The samples of a scrape by name, without labels. */
async function metrics(options: BunFetchRequestInit = {}): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.url()}/metrics`, options)).text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    samples.map((sample) => {
      const [, name = "", value] = /^(\w+)(?:\{.*\})? (.+)$/.exec(sample) ?? [];
      return [name, Number(value)];
    }),
  );
}
