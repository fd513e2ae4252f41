import { afterAll, test as anyMonth, describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { readDeclined, readOrder } from "../../scripts/keys/order.ts";
import { CommandError } from "../../scripts/terminal/command.ts";
import { createAdmission } from "../../src/access/admission.ts";
import { isWellFormedKey } from "../../src/access/key-format.ts";
import { createKeyring } from "../../src/access/keyring.ts";
import { findKey } from "../../src/access/keys.ts";
import {
  createDatabase,
  freshRedis,
  redisAlone,
  runProgram,
  runScript,
  storesEnvironment,
  testInOneMonth as test,
} from "../support.ts";

const [database, redis] = await Promise.all([createDatabase(), freshRedis()]);
afterAll(async () => {
  redis.client.disconnect();
  await database.drop();
});

/** Runs a script with the stores of this test. */
const run = (script: string, args: string[], environment: Record<string, string> = {}) =>
  runScript(database.url, script, args, { env: { REDIS_URL: redis.url, ...environment } });

/** The address of the database, with a part of it changed. */
const elsewhere = (part: Partial<URL>) => Object.assign(new URL(database.url), part).href;

const issueKey = (...args: string[]) => run("issue-key", args);
const keys = (...args: string[]) => run("keys", args);
/** Control characters, except line feeds. */
const steering = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;
const ann = ["--name", "Ann", "--email", "ann@shop.example"];

interface Issued {
  id: string;
  key: string;
  tier: string;
  expiresAt: string | null;
}
async function issue(...args: string[]): Promise<Issued> {
  const { stdout, stderr, exitCode } = await issueKey(...ann, ...args, "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout) as Issued;
}

async function resolve(key: string) {
  const keyring = await createKeyring(database.sql);
  const resolved = await keyring.resolve(key);
  await keyring.stop();
  return resolved;
}

describe("issue-key", () => {
  test("--json prints one line: id, key, tier, expiresAt; and the key works", async () => {
    const { stdout, exitCode } = await issueKey(...ann, "--tier", "developer", "--json");
    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split("\n").length).toBe(1);
    const issued = JSON.parse(stdout) as Issued;
    expect(Object.keys(issued)).toEqual(["id", "key", "tier", "expiresAt"]);
    expect(issued).toMatchObject({ tier: "developer", expiresAt: null });
    expect(await resolve(issued.key)).toMatchObject({ ok: true, key: { id: issued.id } });
  });

  test("without --json it shows the key once and says so", async () => {
    const { stdout, exitCode } = await issueKey(...ann, "--tier", "starter");
    expect(exitCode).toBe(0);
    const shown = stdout.match(/hs_live_[0-9A-Za-z]+/g) ?? [];
    expect(shown.length).toBe(1);
    expect(isWellFormedKey(shown[0] ?? "")).toBe(true);
    expect(stdout).toContain("shown only this once");
  });

  test("--expires-in and --expires-at set the expiry of a key", async () => {
    const [soon, day, moment] = await Promise.all([
      issue("--tier", "developer", "--expires-in", "30d"),
      issue("--tier", "developer", "--expires-at", "2090-01-31"),
      issue("--tier", "developer", "--expires-at", "2090-01-31T12:00:00+02:00"),
    ]);
    const inThirtyDays = Date.now() + 30 * 86_400_000;
    expect(Math.abs(Date.parse(soon.expiresAt ?? "") - inThirtyDays)).toBeLessThan(60_000);
    expect(day.expiresAt).toBe("2090-01-31T00:00:00.000Z");
    expect(moment.expiresAt).toBe("2090-01-31T10:00:00.000Z");
    expect((await findKey(database.sql, moment.id))?.expiresAt?.toISOString()).toBe(
      "2090-01-31T10:00:00.000Z",
    );
  });

  test("an enterprise key has its own quota, rate and burst", async () => {
    const limits = ["--quota", "5000000", "--per-minute", "6000", "--burst", "900"];
    const { id } = await issue("--tier", "enterprise", ...limits);
    expect(await findKey(database.sql, id)).toMatchObject({
      quota: 5_000_000,
      perMinute: 6_000,
      burst: 900,
    });
  });

  test("an enterprise key with less than its tier promises is issued, with a note to the operator", async () => {
    const limits = "--tier enterprise --quota 1000 --per-minute 9 --burst 9".split(" ");
    const { exitCode, stderr } = await run("issue-key", [...ann, ...limits]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("promises 1,000,000 a month or more; --quota is 1,000.");
    expect((await issue("--tier", "developer", "--quota", "5")).id).toBeString();
  });

  const faults: [what: string, args: string[], message: string][] = [
    ["what is missing", ["--name", "Ann"], "Missing: --email, --tier."],
    ["two expiries", [...ann, "--expires-in", "1d", "--expires-at", "2090-01-01"], "not both"],
    ["an unknown tier", [...ann, "--tier", "gold"], "developer, starter, growth, enterprise"],
    ["an unknown application", ["--application", "nonsense"], "There is no application nonsense"],
  ];
  const unreadable: [what: string, given: Parameters<typeof readOrder>[0], message: string][] = [
    ["an invalid email", { email: "x" }, "--email must be"],
    [
      "a long email",
      { email: `ann@${"b.".repeat(124)}com` },
      "--email is too long; it may have at most 254",
    ],
    ["an empty name", { name: " " }, "--name is empty"],
    ["a long name", { name: "x".repeat(201) }, "--name is too long; it may have at most 200"],
    ["enterprise without limits", { tier: "enterprise", quota: "5" }, "--burst"],
    ["a quota of 0", { quota: "0" }, "--quota must be"],
    ["a rate that is not a number", { "per-minute": "1e3" }, "--per-minute"],
    ["an expiry in the past", { "expires-at": "2020-01-01" }, "past"],
    ["a time without an offset", { "expires-at": "2090-01-01T10:00" }, "UTC"],
    [
      "an expiry in a year of five digits",
      { "expires-at": "+012090-01-01T00:00Z" },
      "--expires-at must be a time",
    ],
    ["a day that does not exist", { "expires-at": "2090-13-01" }, "--expires-at"],
    ["a leap day in another year", { "expires-at": "2090-02-29" }, "--expires-at"],
    [
      "an hour of a day that does not exist",
      { "expires-at": "2090-04-31T12:00:00+02:00" },
      "--expires-at",
    ],
    ["a duration without a unit", { "expires-in": "30" }, "--expires-in must be"],
    ["a duration that might mean a month", { "expires-in": "1M" }, "--expires-in must be"],
    ["a duration of more than a hundred years", { "expires-in": "101y" }, "at most 100 years"],
  ];
  test("it refuses in one clear line, with exit code 1 and no key made", async () => {
    const before = await database.sql`select count(*) from api_keys`;
    const results = await Promise.all(faults.map(([, args]) => issueKey(...args)));
    for (const [index, [what, , message]] of faults.entries()) {
      const { stdout, stderr, exitCode } = results[index] as (typeof results)[number];
      expect([what, stdout, exitCode]).toEqual([what, "", 1]);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect([...(await database.sql`select count(*) from api_keys`)]).toEqual([...before]);
    // What is wrong in the arguments alone is refused before the database is opened.
    for (const [what, given, message] of unreadable) {
      const read = () =>
        readOrder({ name: "Ann", email: "ann@shop.example", tier: "growth", ...given });
      expect(read, what).toThrow(CommandError);
      expect(read, what).toThrow(message);
    }
  });

  test("waiting applications are listed without arguments and approved with --application", async () => {
    await using own = await createDatabase();
    const { sql, url } = own;
    const issueKey = (...args: string[]) => runScript(url, "issue-key", args);
    expect((await issueKey()).stdout).toContain("No application is waiting");
    expect(await issueKey("--json")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const purpose = "A map\u001b[31m \u202eof\nshops\u009b";
    const [{ id }] = await sql<[{ id: string }]>`
      insert into applications (name, email, purpose)
      values ('Zoë', 'zoe@map.example', ${purpose}) returning id`;
    const listed = (await issueKey()).stdout;
    for (const part of [id, "Zoë", "zoe@map.example", "A map"]) expect(listed).toContain(part);
    expect(listed).not.toMatch(steering);
    const { stdout } = await issueKey("--json");
    expect(stdout).not.toMatch(steering);
    expect(JSON.parse(stdout)).toMatchObject({ id, name: "Zoë", purpose });

    const approved = await issueKey("--application", id, "--tier", "starter", "--json");
    expect(JSON.parse(approved.stdout)).toEqual({
      id: null,
      key: null,
      tier: "starter",
      expiresAt: null,
    });
    expect(await sql`select status, tier from applications`).toMatchObject([
      { status: "approved", tier: "starter" },
    ]);
    const again = await issueKey("--application", id);
    expect([again.exitCode, again.stderr]).toEqual([1, `Application ${id} is already approved.\n`]);
    expect(readOrder({ application: id }).tier).toBe("developer");
    for (const other of [{ name: "Ann" }, { email: "ann@shop.example" }]) {
      const read = () => readOrder({ application: id, ...other });
      expect(read).toThrow("leave out --name and --email");
    }
  });
});

test("a long purpose is cut visibly in the list, which says where to read all of it", async () => {
  await using own = await createDatabase();
  await own.sql`
    insert into applications (name, email, purpose)
    values ('Ida', 'ida@map.example', ${"x".repeat(61)}), ('Ivo', 'ivo@map.example', ${"y".repeat(60)})`;
  const { stdout } = await runScript(own.url, "issue-key", []);
  expect(stdout).toContain(`ida@map.example  ${"x".repeat(59)}…\n`);
  expect(stdout).toContain(`ivo@map.example  ${"y".repeat(60)}\n`);
  expect(stdout).toContain("in full with: npx bun scripts/issue-key.ts --json\n");
});

test("declining an application requires a reason", async () => {
  const [{ id }] = await database.sql<[{ id: string }]>`
    insert into applications (name, email, purpose)
    values ('Ian', 'ian@map.example', 'Letters') returning id`;
  expect((await issueKey("--decline", id)).stderr).toContain("--why must tell");
  const long = await issueKey("--decline", id, "--why", "x".repeat(2_001));
  expect(long.stderr).toContain("in at most 2,000 characters");
  expect((await issueKey("--why", "No")).stderr).toContain("go together");
  for (const other of [{ application: id }, { email: "ian@map.example" }, { "expires-in": "1d" }]) {
    expect(() => readDeclined({ decline: id, why: "No", ...other })).toThrow("with nothing else");
  }
  expect(readDeclined({ decline: id, why: "x".repeat(2_000) })?.why).toHaveLength(2_000);
  const declined = await issueKey("--decline", id, "--why", "No mass mailing");
  expect([declined.exitCode, declined.stdout]).toEqual([
    0,
    `Declined ${id}. The page of the application now says why.\n`,
  ]);
  expect((await issueKey("--application", id)).stderr).toContain("already declined");
});

describe("keys", () => {
  test("list shows each key's state and nothing secret", async () => {
    const [active, revoked] = await Promise.all([
      issue("--tier", "developer"),
      issue("--tier", "growth"),
    ]);
    await keys("revoke", revoked.id);
    const [forPeople, json] = await Promise.all([keys("list"), keys("list", "--json")]);
    const states = new Map(
      json.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: string; state: string })
        .map(({ id, state }) => [id, state]),
    );
    expect(states.get(active.id)).toBe("active");
    expect(states.get(revoked.id)).toBe("revoked");
    for (const { stdout, exitCode } of [forPeople, json]) {
      expect(exitCode).toBe(0);
      for (const { id, key } of [active, revoked]) {
        expect(stdout).toContain(id);
        expect(stdout).toContain(key.slice(0, 12));
        expect(stdout).not.toContain(key.slice(0, 13));
      }
    }
  });

  test("revoke disables a key, and says if it was revoked already", async () => {
    const { id, key } = await issue("--tier", "developer");
    expect((await keys("revoke", id)).stdout).toBe(`${id} is revoked.\n`);
    expect(await resolve(key)).toEqual({ ok: false, denied: "revoked" });
    const again = await keys("revoke", id);
    expect([again.exitCode, again.stdout]).toEqual([0, `${id} was already revoked.\n`]);
  });

  test("times are written out for people", async () => {
    const { stdout } = await issueKey(...ann, "--tier", "starter", "--expires-at", "2099-01-31");
    expect(stdout).toContain(": tier starter, expires on 31 January 2099 at 00:00 UTC.\n");
    const { id } = await issue("--tier", "developer");
    expect((await keys("roll", id)).stdout).toMatch(
      /, which works until \d\d? [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC\.\n/,
    );
  });

  test("roll makes a new key; both work during the grace, and draw on one meter", async () => {
    const old = await issue("--tier", "developer");
    const rolled = JSON.parse((await keys("roll", old.id, "--json")).stdout);
    expect(rolled).toMatchObject({ tier: "developer", expiresAt: null, rolledFrom: old.id });
    const inADay = Date.now() + 86_400_000;
    expect(Math.abs(Date.parse(rolled.oldExpiresAt) - inADay)).toBeLessThan(60_000);

    const [one, other] = [await resolve(old.key), await resolve(rolled.key)];
    if (!one.ok || !other.ok) throw new Error("one of them does not work");
    const admission = createAdmission(redis.client, redisAlone);
    await admission.admitKey(one.key);
    await admission.admitKey(other.key);
    expect((await admission.usage(other.key)).used).toBe(2);

    const successor = JSON.parse((await keys("roll", rolled.id, "--grace", "0s", "--json")).stdout);
    expect(await resolve(rolled.key)).toEqual({ ok: false, denied: "expired" });
    expect((await resolve(successor.key)).ok).toBe(true);
  });

  test("usage says month, quota, used and remaining", async () => {
    const { id, key } = await issue("--tier", "starter");
    const resolved = await resolve(key);
    if (!resolved.ok) throw new Error("the key does not work");
    const admission = createAdmission(redis.client, redisAlone);
    for (let request = 0; request < 3; request++) await admission.admitKey(resolved.key);

    const usage = JSON.parse((await keys("usage", id, "--json")).stdout);
    const now = new Date();
    expect(usage).toMatchObject({
      id,
      tier: "starter",
      month: now.toISOString().slice(0, 7),
      quota: 10_000,
      used: 3,
      remaining: 9_997,
      resetsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
    });
    expect((await keys("usage", id)).stdout).toMatch(/10000 +3 +9997/);
  });

  anyMonth.skipIf(!existsSync("/dev/full"))(
    "a key that was issued but could not be shown is reported, with how to replace it",
    async () => {
      const { id } = await issue("--tier", "developer");
      for (const command of [
        `issue-key.ts ${ann.join(" ")} --tier developer`,
        `keys.ts roll ${id}`,
      ]) {
        const shell = `exec "${process.execPath}" scripts/${command} > /dev/full`;
        const { stderr, exitCode } = await runProgram(["sh", "-c", shell], {
          env: storesEnvironment(database.url),
        });
        const [, lost] =
          /^The output .*\nThe key (\S+) is issued, but could not be shown\. .*\n$/.exec(stderr) ??
          [];
        expect([stderr, exitCode]).toEqual([expect.stringContaining(`keys.ts roll ${lost}`), 1]);
        expect((await keys("list")).stdout).toContain(`${lost}`);
      }
    },
  );

  test("every failure is one clear line and exit code 1", async () => {
    const { id } = await issue("--tier", "developer");
    const role = `crowded_${crypto.randomUUID().replaceAll("-", "")}`;
    await database.sql.unsafe(`create role ${role} login password 'secret' connection limit 0`);
    const results = await Promise.all([
      keys("revoke", "nonsense"),
      keys("usage", "00000000-0000-7000-8000-000000000000"),
      keys("roll", "nonsense"),
      keys("roll", id, "--grace", "soon"),
      keys("list", "--grace", "1d"),
      keys("list", id),
      keys("revoke"),
      keys("frobnicate", id),
      keys(),
      run("keys", ["usage", id], { REDIS_URL: "redis://127.0.0.1:1" }),
      run("keys", ["list"], { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" }),
      run("keys", ["list"], { DATABASE_URL: "postgres://nobody@no-such-host.invalid/nothing" }),
      run("keys", ["list"], { DATABASE_URL: elsewhere({ pathname: "/nothing" }) }),
      run("keys", ["list"], { DATABASE_URL: elsewhere({ password: "wrong" }) }),
      run("keys", ["list"], { DATABASE_URL: elsewhere({ username: role, password: "secret" }) }),
      // Like a standby.
      run("keys", ["revoke", id], {
        DATABASE_URL: elsewhere({ search: "?default_transaction_read_only=on" }),
      }),
      run("keys", ["list"], { DATABASE_URL: elsewhere({ pathname: "/template1" }) }),
    ]);
    await database.sql.unsafe(`drop role ${role}`);
    const usage = "Usage: npx bun scripts/keys.ts";
    const messages = [
      ...Array(3).fill("There is no key"),
      "--grace must be a duration",
      "--grace belongs to roll",
      ...Array(4).fill(usage),
      "Cannot reach Redis",
      "Cannot reach a store",
      "Cannot reach a store",
      "PostgreSQL refuses: database",
      "PostgreSQL refuses: password",
      "PostgreSQL is out of disk space, memory or connections: too many connections",
      "PostgreSQL refuses: cannot execute",
      "The database lacks 001_directory.sql, ",
    ];
    for (const [index, { stdout, stderr, exitCode }] of results.entries()) {
      expect([index, stdout, exitCode]).toEqual([index, "", 1]);
      expect(stderr).toStartWith(messages[index]);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });
});
