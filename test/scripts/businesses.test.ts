import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { applyAction } from "../../src/directory/moderation.ts";
import { addBusiness } from "../fixtures.ts";
import {
  delayedBy,
  runOnTerminal,
  runProgram,
  runScript,
  scriptCommand,
  startTestServer,
  storesEnvironment,
} from "../support.ts";

const server = await startTestServer();
const key = await server.issueKey();
const authorization = { Authorization: `Bearer ${key}` };
await addBusiness(server.sql, { slug: "old-hand", city: "Otley" });
await server.searchable("old-hand");
afterAll(() => server.stop());

const businesses = (...args: string[]) => runScript(server.config.databaseUrl, "businesses", args);
const onTerminal = (...args: string[]) =>
  runOnTerminal(server.config.databaseUrl, "businesses", args);

/** Starts the command, to read what it says while it waits. */
function start(...args: string[]) {
  const child = Bun.spawn(scriptCommand("businesses", args), {
    env: storesEnvironment(server.config.databaseUrl),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 20_000,
  });
  const read = (output: ReadableStream<Uint8Array<ArrayBuffer>>) =>
    output.pipeThrough(new TextDecoderStream()).getReader();
  return { child, stdout: read(child.stdout), stderr: read(child.stderr) };
}

const get = (path: string) => fetch(server.url + path, { headers: authorization });
const slugsAt = async (path: string) => {
  const { data } = (await (await get(path)).json()) as { data: { slug: string }[] };
  return data.map(({ slug }) => slug);
};
const isListed = async (slug: string) =>
  (await slugsAt("/api/v1/businesses?city=otley")).includes(slug);
const isFound = async (slug: string, name: string) =>
  (await slugsAt(`/api/v1/search?q=${encodeURIComponent(name)}`)).includes(slug);
const isShown = async (slug: string) => (await get(`/api/v1/businesses/${slug}`)).status === 200;

describe("scripts/businesses.ts", () => {
  test("approve shows a business in lists and details within a second and in search within five; suspend hides it as fast", async () => {
    const [slug, name] = ["chevin-cheesemongers", "Chevin Cheesemongers"];
    await addBusiness(server.sql, { slug, name, city: "Otley", status: "pending" });
    expect(await isShown(slug)).toBe(false);

    const approved = await businesses("approve", slug);
    expect(approved).toMatchObject({ exitCode: 0, stdout: `${slug}: approve done\n` });
    await until(async () => (await isShown(slug)) && (await isListed(slug)), 1_000);
    await until(() => isFound(slug, name), 5_000);

    expect((await businesses("suspend", slug)).exitCode).toBe(0);
    await until(async () => !(await isShown(slug)) && !(await isListed(slug)), 1_000);
    await until(async () => !(await isFound(slug, name)), 5_000);
  });

  test("claim shows phone and email in open access, unclaim hides them", async () => {
    const detail = async () =>
      (await (await fetch(`${server.url}/api/v1/businesses/old-hand`)).json()) as object;
    await businesses("claim", "old-hand");
    await until(async () => "phone" in (await detail()), 1_000);
    await businesses("unclaim", "old-hand");
    await until(async () => !("phone" in (await detail())), 1_000);
  });

  test("verify, unverify and reject do what they say, several slugs at once", async () => {
    const slugs = ["otley-one", "otley-two"];
    for (const slug of slugs) await addBusiness(server.sql, { slug });
    const states = async () => {
      const rows = await server.sql<{ state: string }[]>`
        select distinct status || ' ' || is_verified as state from businesses where slug = any(${slugs})`;
      return rows.map(({ state }) => state);
    };
    await businesses("verify", ...slugs);
    expect(await states()).toEqual(["approved true"]);
    await businesses("unverify", ...slugs);
    expect(await states()).toEqual(["approved false"]);
    await businesses("reject", ...slugs);
    expect(await states()).toEqual(["rejected false"]);
  });

  test("a slug from a list saved on Windows is recognised", async () => {
    await addBusiness(server.sql, { slug: "from-windows" });
    expect(await businesses("verify", "from-windows\r")).toEqual({
      exitCode: 0,
      stdout: "from-windows: verify done\n",
      stderr: "",
    });
  });

  test("each business is reported as soon as it is done, and one that somebody is changing is waited for with a line", async () => {
    await addBusiness(server.sql, { slug: "first-done" });
    await addBusiness(server.sql, { slug: "held-back" });
    await server.sql.begin(async (holder) => {
      await holder`select from businesses where slug = 'held-back' for update`;
      const { child, stdout, stderr } = start("suspend", "first-done", "held-back");
      expect((await stdout.read()).value).toBe("first-done: suspend done\n");
      expect((await stderr.read()).value).toBe("Waiting for whoever is changing held-back.\n");
      child.kill();
      await child.exited;
    });
  });

  test("whoever changes categories is waited for with a line", async () => {
    await addBusiness(server.sql, { slug: "held-up" });
    const { child, stdout, stderr } = await server.sql.begin(async (holder) => {
      await holder`insert into categories (slug, name) values ('held-kind', 'Held kind')`;
      const started = start("suspend", "held-up");
      expect((await started.stderr.read()).value).toBe(
        "Waiting for whoever is changing categories or repairing lists.\n",
      );
      return started;
    });
    expect((await stdout.read()).value).toBe("held-up: suspend done\n");
    expect((await stderr.read()).done).toBe(true);
    expect(await child.exited).toBe(0);
  });

  test("many businesses are changed in one transaction, and those that cannot be are named", async () => {
    const slugs = ["menston-malt", "menston-mead", "menston-milk"];
    for (const slug of slugs) await addBusiness(server.sql, { slug, status: "pending" });
    await server.sql`update businesses set postcode = '' where slug = 'menston-mead'`;
    const given = ["menston-milk", "menston-mead", "nobody", "menston-malt"];
    expect(await businesses("approve", ...given)).toEqual({
      exitCode: 1,
      stdout: "menston-milk: approve done\nmenston-malt: approve done\n",
      stderr: "menston-mead: cannot be approved, it lacks postcode\nnobody: no such business\n",
    });
    const rows = await server.sql`
      select status, count(*)::int, count(distinct xmin::text)::int as transactions from businesses
      where slug = any(${slugs}) group by status order by status`;
    expect([...rows]).toEqual([
      { status: "pending", count: 1, transactions: 1 },
      { status: "approved", count: 2, transactions: 1 },
    ]);
  });

  test("hundreds of businesses are all changed, and told in the order given", async () => {
    const rows = await server.sql<{ slug: string }[]>`
      insert into businesses (slug, name)
      select 'bulk-' || n, 'Bulk' from generate_series(1, 250) as n returning slug`;
    const slugs = rows.map(({ slug }) => slug).toReversed();
    const { stdout, exitCode } = await businesses("verify", ...slugs);
    expect(stdout.trimEnd().split("\n")).toEqual(slugs.map((slug) => `${slug}: verify done`));
    const [left] = await server.sql`
      select count(*)::int as unverified from businesses
      where slug = any(${slugs}) and not is_verified`;
    expect([exitCode, left]).toEqual([0, { unverified: 0 }]);
  });

  test("an incomplete business is not approved, and what it lacks is named", async () => {
    await addBusiness(server.sql, { slug: "bare-bones", status: "pending" });
    await server.sql`
      update businesses set category_id = null, city_id = null, address_line1 = '', postcode = '',
        latitude = null, longitude = null
      where slug = 'bare-bones'`;
    const { exitCode, stderr } = await businesses("approve", "bare-bones");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "bare-bones: cannot be approved, it lacks category, city, address line 1, postcode, coordinates\n",
    });
  });

  describe("list", () => {
    const source = "list-test";
    const list = (...options: string[]) => businesses("list", "--source", source, ...options);
    beforeAll(async () => {
      const { sql } = server;
      for (const [slug, name, status] of [
        ["wharfe-bikes", "Wharfe\tBikes", "pending"],
        ["ilkley-inks", "Ilkley Inks", "pending"],
        ["menston-maps", "Menston Maps", "rejected"],
      ] as const) {
        await addBusiness(sql, { slug, name, status });
      }
      await sql`update businesses set postcode = '', city_id = null where slug = 'wharfe-bikes'`;
      await sql`
        update businesses set source = ${source}, source_id = upper(left(slug, 1))
        where slug in ('wharfe-bikes', 'ilkley-inks', 'menston-maps')`;
    });

    test("shows pending businesses by slug, what each lacks for approval, its id in its feed, and the feed's name", async () => {
      expect(await list()).toEqual({
        exitCode: 0,
        stdout:
          "ilkley-inks\tIlkley Inks\t\tI\tlist-test\nwharfe-bikes\tWharfe Bikes\tcity, postcode\tW\tlist-test\n",
        stderr: "",
      });
      expect((await list("--status", "rejected")).stdout).toBe(
        "menston-maps\tMenston Maps\t\tM\tlist-test\n",
      );
      expect((await list("--status", "suspended")).stdout).toBe("");
      const all = (await businesses("list")).stdout.split("\n").map((line) => line.split("\t")[0]);
      expect(all).toContain("ilkley-inks");
    });

    test("with --json prints a line for each business", async () => {
      const { stdout } = await list("--json");
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual([
        { slug: "ilkley-inks", name: "Ilkley Inks", missing: [], sourceId: "I", source },
        {
          slug: "wharfe-bikes",
          name: "Wharfe\tBikes",
          missing: ["city", "postcode"],
          sourceId: "W",
          source,
        },
      ]);
    });

    test("prints a table on a terminal, and says when it is empty", async () => {
      expect((await onTerminal("list", "--source", source)).split("\r\n")).toEqual([
        "slug          name          missing         source id  source",
        "ilkley-inks   Ilkley Inks                   I          list-test",
        "wharfe-bikes  Wharfe Bikes  city, postcode  W          list-test",
        "",
      ]);
      expect(await onTerminal("list", "--source", "nobody")).toBe("No such businesses.\r\n");
    });

    test("lists thousands, and exits with 0 when its reader stops early", async () => {
      await server.sql`
        insert into businesses (slug, name, source)
        select 'many-' || lpad(n::text, 5, '0'), 'Many', 'many' from generate_series(20000, 1, -1) as n`;
      const { stdout } = await businesses("list", "--source", "many");
      const slugs = stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0]);
      expect(slugs.length).toBe(20_000);
      expect(slugs).toEqual(slugs.toSorted());
      const shown = await runProgram(
        [
          ...["sh", "-c", `{ "$0" "$@"; echo "code $?" >&2; } | head -n 1`],
          ...scriptCommand("businesses", ["list"]),
        ],
        { env: storesEnvironment(server.config.databaseUrl) },
      );
      expect([shown.stdout.split("\t")[1], shown.stderr]).toEqual([expect.any(String), "code 0\n"]);
    });

    test("refuses an unknown status, slugs, and its options on other actions", async () => {
      expect(await list("--status", "gone")).toMatchObject({
        exitCode: 1,
        stderr: "--status must be one of pending, approved, rejected, suspended; not gone.\n",
      });
      expect((await list("ilkley-inks")).stderr).toStartWith("Usage: ");
      expect(await businesses("approve", "--source", source, "ilkley-inks")).toMatchObject({
        exitCode: 1,
        stderr: "--source belongs to list.\n",
      });
      expect((await list()).stdout).toContain("ilkley-inks");
    });
  });

  test("an unknown slug gets one line, an unknown action the usage, both exit code 1", async () => {
    expect(await businesses("approve", "nobody")).toMatchObject({
      exitCode: 1,
      stderr: "nobody: no such business\n",
    });
    const { exitCode, stderr } = await businesses("delete", "old-hand");
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith("Usage: npx bun scripts/businesses.ts ACTION SLUG…");
  });

  test("with an unknown option it does nothing", async () => {
    await addBusiness(server.sql, { slug: "left-alone" });
    const { exitCode, stderr } = await businesses("suspend", "--json", "left-alone");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("--json")]);
    const [found] = await server.sql`select status from businesses where slug = 'left-alone'`;
    expect(found).toEqual({ status: "approved" });
  });

  test("a database with another isolation level gets one clear line", async () => {
    await addBusiness(server.sql, { slug: "isolated-one" });
    const database = new URL(server.config.databaseUrl).pathname.slice(1);
    const isolation = "default_transaction_isolation";
    await server.sql.unsafe(`alter database ${database} set ${isolation} = 'repeatable read'`);
    const told = await businesses("verify", "isolated-one");
    await server.sql.unsafe(`alter database ${database} reset ${isolation}`);
    expect(told).toMatchObject({
      exitCode: 1,
      stderr:
        "PostgreSQL refuses: the directory is changed in read committed transactions only. Reset default_transaction_isolation of its role or database.\n",
    });
  });

  test.each([
    [
      "statement_timeout",
      /^PostgreSQL ended a statement early: canceling statement due to statement timeout. If its role has a statement_timeout, raise it.\n$/,
    ],
    [
      "transaction_timeout",
      /^The connection to PostgreSQL was broken off \(.+\). Is it running there\? If it is, its log says why: if its role has a transaction_timeout, raise it; otherwise try again.\n$/,
    ],
  ])("a change that exceeds the role's %s gets one clear line", async (timeout, line) => {
    const slug = `slow-${timeout.replace("_", "-")}`;
    await addBusiness(server.sql, { slug });
    await server.sql.unsafe(`
      create function sleep() returns trigger language plpgsql as $$
      begin perform pg_sleep(5); return new; end $$;
      create trigger sleep before update on businesses for each row execute function sleep()`);
    const database = new URL(server.config.databaseUrl).pathname.slice(1);
    await server.sql.unsafe(`alter database ${database} set ${timeout} = '1s'`);
    const told = await businesses("verify", slug);
    await server.sql.unsafe(`alter database ${database} reset ${timeout}`);
    await server.sql`drop function sleep cascade`;
    expect(told).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(line) });
  });
});

test("an action without effect writes nothing", async () => {
  const { sql } = server;
  await addBusiness(sql, { slug: "untouched" });
  const version = async () => (await sql`select xmin from businesses where slug = 'untouched'`)[0];
  const before = await version();
  for (const action of ["approve", "unclaim", "unverify"] as const) {
    expect(await applyAction(sql, action, "untouched")).toEqual({
      slug: "untouched",
      result: "unchanged",
    });
  }
  expect(await version()).toEqual(before);
});

test("a business that becomes incomplete during its approval is not approved", async () => {
  const { sql } = server;
  await addBusiness(sql, { slug: "at-once", status: "pending" });
  const approval = await delayedBy(
    sql,
    (other) => other`update businesses set postcode = '' where slug = 'at-once'`,
    () => applyAction(sql, "approve", "at-once"),
  );
  expect(approval).toEqual({
    slug: "at-once",
    result: "incomplete",
    missing: ["postcode"],
  });
});
