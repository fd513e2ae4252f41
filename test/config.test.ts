import { expect, test } from "bun:test";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../src/config.ts";
import { runProgram } from "./support.ts";

const root = join(import.meta.dir, "..");

const enough = {
  DATABASE_URL: "postgres://localhost/highstreet",
  REDIS_URL: "redis://localhost:6379",
  MEILI_URL: "http://localhost:7700",
};

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test("three addresses are enough, everything else has defaults", () => {
  expect(loadConfig(enough)).toEqual({
    port: 3000,
    host: "127.0.0.1",
    baseUrl: "http://localhost:3000",
    databaseUrl: enough.DATABASE_URL,
    redisUrls: [enough.REDIS_URL],
    meiliUrl: enough.MEILI_URL,
    meiliKey: "",
    sample: true,
    openAccess: true,
    trustedProxies: [],
    applications: "review",
    workers: 1,
    instances: 1,
    tempFolder: "/var/tmp",
  });
});

test("'1 setting' is singular, '2 settings' plural", () => {
  const head = (env: object) => () => loadConfig({ ...enough, ...env });
  expect(head({ PORT: "http" })).toThrow("Cannot start, 1 setting to fix:\n");
  expect(head({ PORT: "http", WORKERS: "0" })).toThrow("Cannot start, 2 settings to fix:\n");
});

test("an IPv6 address to listen on may stand in brackets", () => {
  for (const HOST of ["::1", "[::1]"]) expect(loadConfig({ ...enough, HOST }).host).toBe("::1");
});

test("HOST is an address or a name, without scheme or port", () => {
  for (const HOST of ["0.0.0.0", "::", "fe80::1%eth0", "localhost", "web-1.internal"]) {
    expect(loadConfig({ ...enough, HOST }).host).toBe(HOST);
  }
  for (const HOST of [
    "http://localhost",
    "localhost:3000",
    "127.0.0.1:3000",
    "10.0.0.0/8",
    "a b",
  ]) {
    expect(faultsOf({ ...enough, HOST })).toEqual([
      expect.stringMatching(/^HOST must be only an /),
    ]);
  }
});

test("a Redis database is a number", () => {
  const { REDIS_URL } = enough;
  for (const path of ["", "/", "/3"]) {
    expect(faultsOf({ ...enough, REDIS_URL: REDIS_URL + path })).toEqual([]);
  }
  expect(faultsOf({ ...enough, REDIS_URL: `${REDIS_URL}/0,${REDIS_URL}/` })).toEqual([]);
  expect(faultsOf({ ...enough, REDIS_URL: `${REDIS_URL},${REDIS_URL}/2` })).toEqual([
    "REDIS_URL must name no database when it has several addresses: a cluster has only one.",
  ]);
  expect(faultsOf({ ...enough, REDIS_URL: `${REDIS_URL}/cache` })).toEqual([
    expect.stringMatching(/^REDIS_URL must be an address such as redis:/),
  ]);
});

test("every missing or wrong setting is listed at once, by name", () => {
  const wrong = {
    PORT: "http",
    HOST: "http://localhost",
    BASE_URL: "directory",
    DATABASE_URL: "mysql://localhost",
    MEILI_URL: "localhost:7700",
    OPEN_ACCESS: "yes",
    TRUSTED_PROXIES: "10.0.0.0/99",
    APPLICATIONS: "never",
    WORKERS: "0",
    INSTANCES: "-1",
  };
  const faults = faultsOf(wrong);
  const named = faults.map((fault) => fault.split(" ")[0]).sort();
  expect(named).toEqual([...Object.keys(wrong), "REDIS_URL"].sort());
});

test("a number is whole and in its range", () => {
  for (const [name, smallest, largest] of [
    ["PORT", 0, 65_535],
    ["WORKERS", 1, 256],
    ["INSTANCES", 1, 10_000],
  ] as const) {
    for (const right of [smallest, largest]) {
      expect(faultsOf({ ...enough, [name]: `${right}` })).toEqual([]);
    }
    for (const wrong of [smallest - 1, largest + 1, "1.5", "0x10", "1e2", "10 000"]) {
      expect(faultsOf({ ...enough, [name]: `${wrong}` })).toEqual([
        `${name} must be a whole number from ${smallest} to ${largest}.`,
      ]);
    }
  }
});

test("a setting with names for its values takes them all, and no others", () => {
  for (const [name, values] of [
    ["SAMPLE", ["on", "off"]],
    ["OPEN_ACCESS", ["on", "off"]],
    ["APPLICATIONS", ["review", "auto"]],
  ] as const) {
    for (const value of values) expect(faultsOf({ ...enough, [name]: value })).toEqual([]);
    expect(faultsOf({ ...enough, [name]: "yes" })).toEqual([
      `${name} must be ${values.join(" or ")}.`,
    ]);
  }
});

test("an empty variable counts as unset", () => {
  expect(loadConfig({ ...enough, PORT: "", TRUSTED_PROXIES: " " }).port).toBe(3000);
  expect(faultsOf({ ...enough, MEILI_URL: "" })).toEqual([
    expect.stringContaining("MEILI_URL is missing"),
  ]);
  expect(faultsOf({ ...enough, REDIS_URL: "," })).toEqual([
    expect.stringContaining("REDIS_URL is missing"),
  ]);
});

test("whitespace around a value is ignored", () => {
  const given = { ...enough, HOST: " ::1", OPEN_ACCESS: "off\r", MEILI_KEY: "a-key\n" };
  expect(loadConfig(given)).toMatchObject({ host: "::1", openAccess: false, meiliKey: "a-key" });
});

test("an address that a client would misread is a fault that names the setting", () => {
  const address = (rest: string) => `postgres://ann:${rest}`;
  for (const DATABASE_URL of [
    address("a#b@localhost:5432/highstreet"),
    address("a/b@localhost:5432/highstreet"),
    address("100%@localhost:5432/highstreet"),
    address("x@one.example,two.example/highstreet"),
    address("x@one.example:5432,two.example:5433/highstreet"),
    address("x@[::1]:5432/highstreet"),
  ]) {
    expect(faultsOf({ ...enough, DATABASE_URL })).toEqual([
      expect.stringMatching(/^DATABASE_URL must be the address of one server.* write %23 for #/),
    ]);
  }
  for (const REDIS_URL of ["redis://:a#b@localhost", "redis://:100%@localhost", "redis://"]) {
    expect(faultsOf({ ...enough, REDIS_URL })).toEqual([
      expect.stringMatching(/^REDIS_URL must be an address.* write %23 for #/),
    ]);
  }
  const password = encodeURIComponent("a#b/c@d,e[f%");
  const readable = { ...enough, DATABASE_URL: address(`${password}@localhost/highstreet`) };
  expect(faultsOf({ ...readable, REDIS_URL: `redis://:${password}@localhost` })).toEqual([]);
});

test("the address of a store may use any of its schemes", () => {
  const DATABASE_URL = "postgresql://localhost/highstreet";
  expect(faultsOf({ ...enough, DATABASE_URL, REDIS_URL: "rediss://localhost" })).toEqual([]);
});

test("without a base address, links lead to this machine and the port", () => {
  expect(loadConfig({ ...enough, PORT: "8080" }).baseUrl).toBe("http://localhost:8080");
});

test("a base address loses its trailing slash", () => {
  for (const [given, baseUrl] of [
    ["https://directory.example", "https://directory.example"],
    ["https://directory.example/", "https://directory.example"],
    ["https://example.org/directory//", "https://example.org/directory"],
  ]) {
    expect(loadConfig({ ...enough, BASE_URL: given }).baseUrl).toBe(baseUrl as string);
  }
});

test("a base address may not have a query, fragment or credentials", () => {
  for (const given of [
    "https://directory.example/?from=here",
    "https://directory.example#top",
    "https://ann:secret@directory.example",
  ]) {
    expect(faultsOf({ ...enough, BASE_URL: given })).toEqual([
      expect.stringContaining("BASE_URL must end with the host"),
    ]);
  }
});

test("a web address is kept as browsers read it, for links and for the client of Meilisearch", () => {
  for (const [given, kept] of [
    ["https:directory.example", "https://directory.example"],
    ["https:///directory.example", "https://directory.example"],
    ["HTTPS://Directory.example:443/", "https://directory.example"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://example.org/my directory/", "https://example.org/my%20directory"],
  ]) {
    const config = loadConfig({ ...enough, BASE_URL: given, MEILI_URL: given });
    expect([config.baseUrl, config.meiliUrl]).toEqual([kept as string, kept as string]);
  }
});

test("several Redis addresses are a cluster, proxies are addresses or ranges", () => {
  const config = loadConfig({
    ...enough,
    REDIS_URL: "redis://a:1, redis://b:2",
    TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::1",
  });
  expect(config.redisUrls).toEqual(["redis://a:1", "redis://b:2"]);
  expect(config.trustedProxies).toEqual(["10.0.0.0/8", "2001:db8::1"]);
});

test("an ambiguous proxy address is a fault", () => {
  for (const spelling of [
    "10/8",
    "10",
    "010.0.0.1",
    "0x7f.0.0.1",
    "::ffff:10.0.0.0/104",
    "::/129",
  ]) {
    expect(faultsOf({ ...enough, TRUSTED_PROXIES: spelling })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES must be /),
    ]);
  }
  expect(
    faultsOf({ ...enough, TRUSTED_PROXIES: "192.0.2.7, ::1, 2001:db8::/32, ::ffff:192.0.2.1" }),
  ).toEqual([]);
});

test("the settings are frozen", () => {
  expect(Object.isFrozen(loadConfig(enough))).toBe(true);
});

test("`bun run serve` lists every missing or wrong setting at once, and exits 1", async () => {
  const settings = { DATABASE_URL: "", REDIS_URL: "", MEILI_URL: "", PORT: "http", WORKERS: "0" };
  const { stdout, stderr, exitCode } = await runProgram(
    [process.execPath, "run", "--silent", "serve"],
    { cwd: root, env: { ...process.env, ...settings } },
  );
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  const [head, ...faults] = stderr.trimEnd().split("\n");
  expect(head).toBe("Cannot start, 5 settings to fix:");
  expect(faults.map((fault) => fault.trim().split(" ")[0]).sort()).toEqual(
    Object.keys(settings).sort(),
  );
});

test(".env.example has each setting once, below its comment, with its default", async () => {
  const lines = (await Bun.file(join(root, ".env.example")).text()).trimEnd().split("\n");
  const [head, gap, ...rest] = lines;
  expect([head, gap]).toEqual([expect.stringMatching(/^# Copy to \.env /), ""]);
  const names = rest.flatMap((line, place) => {
    if (place % 2 === 1) return /^(?:# )?([A-Z_]+)=/.exec(line)?.[1] ?? line;
    expect(line).toMatch(/^# [A-Z].*\.$/);
    return [];
  });
  // One more than those of the server, which is for the commands only.
  const source = await Bun.file(join(root, "src", "config.ts")).text();
  const read = [...source.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => `${name}`);
  expect(names.sort()).toEqual(["DATA_DIR", ...read].sort());

  const given = rest.filter((line) => !line.startsWith("#")).map((line) => line.split("="));
  expect(loadConfig({ ...enough, ...Object.fromEntries(given) })).toEqual(loadConfig(enough));
});
