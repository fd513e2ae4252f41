import { afterAll, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startBare, startOneQuery } from "../../scripts/bench/programs.ts";
import { writeRequests } from "../../scripts/bench/requests.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { addBusiness } from "../fixtures.ts";
import { newFolder, startTestServer } from "../support.ts";

const BENCH = join(import.meta.dir, "..", "..", "scripts", "bench", "bench.ts");

const folder = await newFolder();
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(!Bun.which("wrk"))(
  "builds a directory, alternates server and baseline, and prints one line of JSON",
  async () => {
    const { stdout, stderr, exitCode } = await bench([
      ...["--count", "1000", "--requests", "100", "--seconds", "1"],
      ...["--scenarios", "open,memory", "--json"],
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/round 5 of 5: ratio \d/),
    });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    const figure = expect.any(Number);
    const { scenarios, ...how } = JSON.parse(stdout);
    expect(how).toEqual({ count: 1_000, rounds: 5, seconds: 1 });
    expect(scenarios).toEqual([
      {
        name: "open",
        title: "open list, mixed, warm",
        perSecond: figure,
        p50Ms: figure,
        p99Ms: figure,
        memoryBytes: figure,
        baseline: { title: "bare", perSecond: figure, p50Ms: figure, p99Ms: figure },
        ratio: figure,
        ratios: [figure, figure, figure, figure, figure],
        goal: "ratio at least 0.60",
        isReached: expect.any(Boolean),
        mix: { requests: figure, different: 100, topShare: figure },
      },
      {
        name: "memory",
        title: expect.any(String),
        memoryBytes: figure,
        goal: "at most 300 MB",
        isReached: expect.any(Boolean),
        notes: [expect.any(String)],
      },
    ]);
    const [{ ratio, ratios }] = scenarios;
    expect(ratio).toBe(ratios.toSorted()[2]);
  },
  90_000,
);

test.skipIf(!Bun.which("wrk"))(
  "prints what it has measured so far when a scenario fails",
  async () => {
    let isEnded = false;
    const endRedis = async (said: string) => {
      if (isEnded || !said.includes("server ready")) return;
      isEnded = true;
      const pid = await readFile(join(folder, "bench-1000", "run", "redis.pid"), "utf8");
      process.kill(Number.parseInt(pid, 10), "SIGKILL");
    };
    const { stdout, stderr, exitCode } = await bench(
      ["--count", "1000", "--requests", "100", "--scenarios", "memory,ready"],
      { onSaid: endRedis },
    );
    expect(stderr).toContain("Redis exited (SIGKILL)");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("memory of the server after all above");
    expect(stdout).not.toContain("server ready");
  },
  90_000,
);

test("refuses invalid options before it starts anything", async () => {
  expect(await bench(["--rounds", "4"])).toMatchObject({
    exitCode: 1,
    stderr: "--rounds must be a whole number from 5 to 999999999; not 4.\n",
  });
  const unknown = await bench(["--scenarios", "open,opne"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toStartWith("There is no scenario opne.\n");
});

test("says how to get wrk when it is missing", async () => {
  const { exitCode, stderr } = await bench([], { env: { PATH: "" } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("apt-get install wrk");
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("the baselines answer with the same bytes as the server", async () => {
  await using server = await startTestServer();
  const supervisor = new Supervisor(folder);
  try {
    await Promise.all(Array.from({ length: 25 }, () => addBusiness(server.sql)));
    const paths = ["", "?page=2", "?city=leeds&category=plumbers", "?city=nowhere"].map(
      (query) => `/api/v1/businesses${query}`,
    );
    const { requestsFile } = await writeRequests(
      join(folder, "requests.txt"),
      paths.map((path) => ({ path, headers: {} })),
    );
    const key = await server.issueKey({ tier: "growth" });
    const authorization = { Authorization: `Bearer ${key}` };
    const callersFile = join(folder, "callers.txt");
    await Bun.write(callersFile, `Authorization: ${authorization.Authorization}\n`);

    const bare = await startBare(supervisor, server.url, { requestsFile, callersFile });
    const oneQuery = await startOneQuery(supervisor, {
      env: { ...process.env, DATABASE_URL: server.config.databaseUrl },
    });
    for (const path of paths) {
      const ask = (url: string) =>
        fetch(url + path, {
          headers: { ...authorization, Host: "bench", "Accept-Encoding": "identity" },
        });
      const [tested, recorded] = await Promise.all([server.url, bare.url].map(ask));
      const body = await (tested as Response).text();
      expect(await (recorded as Response).text()).toBe(body);
      expect(fieldsOf(recorded)).toEqual(fieldsOf(tested));
      const { data } = (await (await ask(oneQuery.url)).json()) as { data: unknown };
      expect(data).toEqual(JSON.parse(body).data);
    }
  } finally {
    await supervisor.stop();
  }
});

const fieldsOf = (response: Response | undefined) => [...(response?.headers.keys() ?? [])].sort();

async function bench(
  options: string[],
  {
    env = {},
    onSaid = () => {},
  }: { env?: Record<string, string>; onSaid?: (said: string) => Promise<void> | void } = {},
) {
  const none = { DATABASE_URL: "", REDIS_URL: "", MEILI_URL: "", MEILI_KEY: "", BASE_URL: "" };
  const command = Bun.spawn([process.execPath, BENCH, ...options], {
    env: { ...process.env, ...none, DATA_DIR: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const hear = async () => {
    let said = "";
    for await (const text of command.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      await onSaid(said);
    }
    return said;
  };
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(command.stdout).text(),
    hear(),
    command.exited,
  ]);
  return { stdout, stderr, exitCode };
}
