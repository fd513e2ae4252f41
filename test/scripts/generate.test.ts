import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { parsePhoneNumberWithError } from "libphonenumber-js/max";
import * as v from "valibot";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { towns } from "../../scripts/generate/towns.ts";
import { trades } from "../../scripts/generate/trades.ts";
import { fillDirectory } from "../../scripts/stack/sample.ts";
import { findBusiness } from "../../src/directory/businesses.ts";
import { type ImportRecord, importRecord } from "../../src/directory/import/record.ts";
import { importRecords } from "../../src/directory/import.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import { keyedDetail } from "../../src/directory/shapes.ts";
import { openApiDocument } from "../../src/reference/document.ts";
import { keyedBusiness } from "../../src/reference/examples.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import { addBusiness } from "../fixtures.ts";
import {
  createDatabase,
  delayedBy,
  makeCommitsWait,
  runScript,
  scriptCommand,
  storesEnvironment,
  type TestDatabase,
} from "../support.ts";

// GeoNames postal codes of Great Britain, which are not part of this project and may be missing.
const outcodeFile = new URL("../../../shared/data/uk-places/geonames_GB.txt", import.meta.url);

const sample = [...generateBusinesses({ count: 5_000, seed: 1 })];

describe("the same businesses every time", () => {
  const fingerprint = (records: Iterable<ImportRecord>) =>
    createHash("sha256")
      .update(JSON.stringify([...records]))
      .digest("hex");

  test("the same seed gives the same businesses", () => {
    const again = generateBusinesses({ count: 5_000, seed: 1 });
    expect(fingerprint(again)).toBe(fingerprint(sample));
  });

  test("another seed gives different ones", () => {
    const others = generateBusinesses({ count: 5_000, seed: 2 });
    expect(fingerprint(others)).not.toBe(fingerprint(sample));
  });

  test("a larger count begins with the same ones", () => {
    const more = [...generateBusinesses({ count: 6_000, seed: 1 })];
    expect(more.slice(0, 5_000)).toEqual(sample);
  });

  test("each has a source id of its own", () => {
    expect(sample[0]?.sourceId).toBe("sample-000001");
    expect(new Set(sample.map(({ sourceId }) => sourceId)).size).toBe(5_000);
  });
});

describe("real places", () => {
  const townOf = (record: ImportRecord) => {
    const town = towns.find(({ name }) => name === record.city);
    if (!town) throw new Error(`There is no town ${record.city}`);
    return town;
  };

  test("at least 50 towns, in all four nations", () => {
    const seen = new Set(sample.map(townOf));
    expect(seen.size).toBeGreaterThanOrEqual(50);
    expect(new Set([...seen].map(({ nation }) => nation)).size).toBe(4);
  });

  test("each business is within 15 km of the middle of its town", () => {
    const far = sample.filter((record) => {
      const { latitude, longitude } = townOf(record);
      return kilometres(record.coordinates, { lat: latitude, lng: longitude }) > 15;
    });
    expect(far).toEqual([]);
  });

  test("each postcode has an outcode of its town and the Royal Mail's format", () => {
    const wrong = sample.filter((record) => {
      const [outcode = "", inward = ""] = (record.address?.postcode ?? "").split(" ");
      return !townOf(record).outcodes.includes(outcode) || !/^\d[ABD-HJLNP-UW-Z]{2}$/.test(inward);
    });
    expect(wrong).toEqual([]);
  });

  test.skipIf(!existsSync(outcodeFile))("every outcode exists, near its town", async () => {
    const places = await readOutcodes();
    const wrong = towns.flatMap(({ name, latitude, longitude, outcodes }) =>
      outcodes.filter((outcode) => {
        const nearest = (places.get(outcode) ?? []).map((place) =>
          kilometres(place, { lat: latitude, lng: longitude }),
        );
        return !(Math.min(...nearest) <= (name === "London" ? 12 : 10));
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe("no contact details are real", () => {
  /** The ranges that Ofcom reserves for drama, as digits. */
  const drama =
    /^0(11[3-8]4960\d{3}|1[2-6]14960\d{3}|1914980\d{3}|2079460\d{3}|2896496\d{3}|2920180\d{3}|1632960\d{3}|7700900\d{3}|8081570\d{3}|3069990\d{3})$/;
  const phones = [...new Set(sample.map(({ phone }) => phone ?? ""))].filter(Boolean);

  test("every phone number is in a range that Ofcom reserves for drama", () => {
    expect(phones.filter((phone) => !drama.test(phone.replaceAll(" ", "")))).toEqual([]);
  });

  test("every phone number is formatted the British way", () => {
    const written = phones.map((phone) => {
      const number = parsePhoneNumberWithError(phone, "GB");
      return number.isPossible() ? number.formatNational() : "not possible";
    });
    expect(written).toEqual(phones);
  });

  test("every website, mail and photo is under .example", () => {
    const hosts = sample.flatMap(({ website, email, photos }) => [
      ...(website ? [new URL(website).hostname] : []),
      ...(email ? [email.split("@")[1]] : []),
      ...(photos ?? []).map(({ url }) => new URL(url).hostname),
    ]);
    expect(hosts.length).toBeGreaterThan(5_000);
    expect(hosts.filter((host) => !/^([a-z0-9]+\.)+example$/.test(host ?? ""))).toEqual([]);
  });
});

describe("every kind of business occurs", () => {
  const share = (holds: (record: ImportRecord) => unknown) =>
    sample.filter((record) => holds(record)).length / sample.length;

  test.each([
    ["approved", 0.9, 0.94],
    ["pending", 0.03, 0.05],
    ["rejected", 0.01, 0.03],
    ["suspended", 0.01, 0.03],
  ] as const)("%s", (status, least, most) => {
    expect(share((record) => record.status === status)).toBeWithin(least, most);
  });

  test.each<[string, (record: ImportRecord) => unknown, number, number]>([
    ["unclaimed", ({ isClaimed }) => !isClaimed, 0.3, 0.37],
    ["verified", ({ isVerified }) => isVerified, 0.25, 0.45],
    ["premium", ({ isPremium }) => isPremium, 0.04, 0.1],
    ["not rated", ({ rating, reviewCount }) => rating === 0 && reviewCount === 0, 0.17, 0.23],
    ["rated four and more", ({ rating }) => (rating ?? 0) >= 4, 0.45, 0.7],
    ["rated under three", ({ rating }) => rating && rating < 3, 0.02, 0.2],
    ["a second line of address", ({ address }) => address?.line2, 0.1, 0.3],
    ["no second line", ({ address }) => address?.line2 === null, 0.7, 0.9],
    ["no photo", ({ photos }) => photos?.length === 0, 0.2, 0.6],
    ["five photos", ({ photos }) => photos?.length === 5, 0.05, 0.2],
    ["no phone", ({ phone }) => phone === "", 0.05, 0.2],
    ["no website", ({ website }) => website === "", 0.15, 0.35],
    ["no mail", ({ email }) => email === "", 0.2, 0.4],
    ["no description", ({ description }) => description === "", 0.1, 0.2],
    ["no opening hours", ({ openingHours }) => openingHours?.length === 0, 0.1, 0.4],
    ["a closed day", (record) => record.openingHours?.some(({ isClosed }) => isClosed), 0.2, 0.8],
    ["24 hours", (record) => record.openingHours?.some((entry) => entry.is24Hours), 0.02, 0.2],
    ["split shifts", ({ openingHours }) => (openingHours?.length ?? 0) > 7, 0.02, 0.3],
    ["past midnight", ({ openingHours }) => openingHours?.some(isPastMidnight), 0.01, 0.2],
  ])("%s", (_, holds, least, most) => {
    expect(share(holds)).toBeWithin(least, most);
  });

  test("one photo of several is the cover", () => {
    const covers = sample.flatMap(({ photos }) =>
      photos && photos.length > 0 ? [photos.filter(({ isCover }) => isCover).length] : [],
    );
    expect(new Set(covers)).toEqual(new Set([1]));
  });

  test("ratings have one decimal", () => {
    expect(sample.filter(({ rating }) => !/^[0-5](\.\d)?$/.test(String(rating)))).toEqual([]);
  });

  function isPastMidnight({ openTime, closeTime }: { openTime?: unknown; closeTime?: unknown }) {
    return Boolean(openTime) && String(closeTime) <= String(openTime);
  }
});

describe("as an import", () => {
  test("every record is valid", () => {
    const faults = sample.flatMap((record) => v.safeParse(importRecord, record).issues ?? []);
    expect(faults.map(({ message }) => message)).toEqual([]);
  });

  test("each leaf of the taxonomy has a trade, and all 5,000 are imported unchanged", async () => {
    await using database = await createDatabase();
    const leaves = await database.sql<{ slug: string }[]>`
      select slug from categories where parent_id is not null order by slug`;
    expect(trades.map(({ category }) => category).sort()).toEqual(leaves.map(({ slug }) => slug));

    const rejections: string[] = [];
    const options = {
      source: "sample",
      onReject: (_: unknown, reason: string) => rejections.push(reason),
    };
    const first = await importRecords(database.sql, sample, options);
    expect(rejections).toEqual([]);
    expect(first).toMatchObject({ read: 5_000, created: 5_000, rejected: 0 });
    const again = await importRecords(database.sql, sample, options);
    expect(again).toMatchObject({ read: 5_000, unchanged: 5_000, rejected: 0 });

    const statuses = await database.sql<{ status: string; count: number }[]>`
      select status, count(*)::integer as count from businesses group by status order by status`;
    expect(Object.fromEntries(statuses.map(({ status, count }) => [status, count]))).toEqual(
      countBy(sample, ({ status }) => status ?? ""),
    );
    const kept = await database.sql`
      select source_id as "sourceId", name, phone, email, website, address_line1 as line1,
        address_line2 as line2, postcode, latitude as lat, longitude as lng
      from businesses order by source_id`;
    expect([...kept]).toEqual(
      sample.map(({ sourceId, name, phone, email, website, address, coordinates }) => ({
        ...{ sourceId, name, phone, email, website },
        ...address,
        ...coordinates,
      })),
    );
    const cities = await database.sql<{ name: string }[]>`select name from cities order by name`;
    expect(cities.map(({ name }) => name).sort()).toEqual(
      [...new Set(sample.map(({ city }) => city ?? ""))].sort(),
    );
  });
});

describe("bun scripts/generate.ts", () => {
  const run = (databaseUrl: string, ...args: string[]) => runScript(databaseUrl, "generate", args);

  test("fills the directory, and on a second run adds only what is missing", async () => {
    await using database = await createDatabase();
    const first = await run(database.url, "--count", "700");
    expect(first).toMatchObject({ stderr: "", exitCode: 0 });
    expect(first.stdout).toMatch(
      /^Added 700 businesses in [\d.]+ s, [\d,]+ a second; already there: 0\.\n$/,
    );
    expect((await run(database.url, "--count", "1000")).stdout).toMatch(
      /^Added 300 .*; already there: 700\.\n$/,
    );
    expect((await run(database.url, "--count", "1000")).stdout).toMatch(/^Added 0 /);

    // As imported, except for their slugs.
    const kept = () => database.sql<{ name: string }[]>`
      select to_jsonb(b) - array['id', 'slug', 'source', 'category_id', 'city_id', 'created_at', 'updated_at'] as business,
        categories.slug as category, cities.name as city
      from businesses as b
        join categories on categories.id = b.category_id join cities on cities.id = b.city_id
      order by source_id`;
    const generated = [...(await kept())];
    expect(generated.length).toBe(1_000);
    const { total } = await listBusinesses(database.sql, { offset: 0, limit: 1 });
    expect(total).toBe(sample.slice(0, 1_000).filter(({ status }) => status === "approved").length);
    await database.sql`delete from businesses`;
    await importRecords(database.sql, sample.slice(0, 1_000), { source: "sample" });
    expect(generated).toEqual([...(await kept())]);
  });

  test("says that it waits for an import, however long, and does not count that in its time", async () => {
    await using database = await createDatabase();
    const limits = ["statement_timeout", "idle_in_transaction_session_timeout"];
    const name = new URL(database.url).pathname.slice(1);
    for (const limit of limits) {
      await database.sql.unsafe(`alter database ${name} set ${limit} = '1s'`);
    }
    let waitedUntil = 0;
    const { stdout, stderr, exitCode } = await delayedBy(
      database.sql,
      (importing) => importing`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
      // With no businesses, its own work takes a moment.
      () => run(database.url, "--count", "0"),
      {
        async meanwhile() {
          await Bun.sleep(1_500);
          waitedUntil = performance.now();
        },
      },
    );
    const seconds = Number(/^Added 0 businesses in (\d+\.\d) s, /.exec(stdout)?.[1]);
    // It is rounded.
    expect(seconds).toBeLessThan((performance.now() - waitedUntil) / 1_000 + 0.1);
    expect([stderr, exitCode]).toEqual([
      "Waiting for another import (or generate, or check-lists --repair) to finish.\n",
      0,
    ]);
  });

  test("does not hold back vacuum while it loads", async () => {
    await using database = await createDatabase();
    const generated = await delayedBy(
      database.sql,
      (other) => other`lock table businesses in share mode`,
      // One, so that a single statement waits for the lock, and nothing else is running.
      () => run(database.url, "--count", "1"),
      {
        async meanwhile() {
          const holders = await database.sql`
            select backend_xid, backend_xmin from pg_stat_activity join pg_locks using (pid)
            where locktype = 'advisory' and objid = ${IMPORT_LOCK} and granted
              and datname = current_database()`;
          expect([...holders]).toEqual([{ backend_xid: null, backend_xmin: null }]);
        },
      },
    );
    expect(generated).toMatchObject({
      stdout: expect.stringMatching(/^Added 1 business in /),
      exitCode: 0,
    });
  });

  test("says that it is still running while PostgreSQL finishes what it has been sent", async () => {
    await using database = await createDatabase();
    const { sql } = database;
    await makeCommitsWait(sql);
    await sql.begin(async (transaction) => {
      await transaction`lock table commits`;
      const generating = Bun.spawn(scriptCommand("generate", ["--count", "1"]), {
        env: storesEnvironment(database.url),
        stdio: ["ignore", "ignore", "pipe"],
      });
      const { value } = await generating.stderr
        .pipeThrough(new TextDecoderStream())
        .getReader()
        .read();
      expect(value).toMatch(/^Finishing: still running after 1\d\.\d s\n$/);
      generating.kill();
      await generating.exited;
    });
  }, 30_000);

  test("names the categories that the directory lacks, and adds nothing", async () => {
    await using database = await createDatabase();
    await database.sql`update categories set slug = slug || '-x' where slug in ('plumbers', 'pubs')`;
    expect(await run(database.url, "--count", "700")).toEqual({
      stdout: "",
      stderr:
        "The directory lacks categories of made-up businesses: pubs, plumbers. Add them with scripts/import.ts --categories, or import what --ndjson prints: businesses of these are rejected.\n",
      exitCode: 1,
    });
    expect([...(await database.sql`select from businesses`)]).toEqual([]);
  });

  test("a load that fails in one of its statements keeps imports waiting until the other has ended", async () => {
    await using database = await createDatabase();
    const { sql } = database;
    const HELD = 1;
    await sql.unsafe(`
      create function fail_first() returns trigger language plpgsql as $$
      begin
        if new.source_id = 'sample-000001' then
          raise 'no space left' using errcode = 'disk_full';
        end if;
        perform pg_advisory_xact_lock_shared(${HELD});
        return new;
      end $$;
      create trigger fail_first before insert on businesses
        for each row execute function fail_first()`);
    const generated = await delayedBy(
      sql,
      (other) => other`select pg_advisory_xact_lock(${HELD})`,
      () => run(database.url, "--count", "2"),
      {
        async meanwhile() {
          await Bun.sleep(1_000);
          const holders = await sql`
            select from pg_locks where locktype = 'advisory' and objid = ${IMPORT_LOCK} and granted
              and database = (select oid from pg_database where datname = current_database())`;
          expect(holders.length).toBe(1);
        },
      },
    );
    expect(generated).toEqual({
      stdout: "",
      stderr:
        "PostgreSQL is out of disk space, memory or connections: no space left. Free some, then try again.\n",
      exitCode: 1,
    });
  });

  test("a load succeeds even if the clean-up after it fails", async () => {
    await using database = await createDatabase();
    await database.sql`alter function fold_listing_counts() rename to gone`;
    expect(await run(database.url, "--count", "3")).toMatchObject({
      stdout: expect.stringMatching(/^Added 3 businesses in /),
      stderr: expect.stringMatching(
        /^All is kept, but cleaning up the directory failed \(.*fold_listing_counts.*\); a running server does that by itself\.\n$/,
      ),
      exitCode: 0,
    });
  });

  test("holds no transaction open that would hold back its own VACUUM", async () => {
    await using database = await createDatabase();
    // Otherwise a VACUUM soon after a commit does not see it as durable yet.
    const name = new URL(database.url).pathname.slice(1);
    await database.sql`alter database ${database.sql(name)} set synchronous_commit = on`;
    await run(database.url, "--count", "1000");
    const [{ pages, tidy }] = await database.sql<[{ pages: number; tidy: number }]>`
      select relpages as pages, relallvisible as tidy from pg_class where oid = 'listings'::regclass`;
    expect(pages).toBeGreaterThan(10);
    expect(tidy).toBe(pages);
  });

  test("says in one line that there is no directory to fill", async () => {
    const { stdout, stderr, exitCode } = await runScript("", "generate", [], {
      env: { DATA_DIR: "/nowhere" },
    });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toStartWith("No stack is running with its data in /nowhere");
  });

  test("writes one record on each line", async () => {
    const { stdout, exitCode } = await run("", "--ndjson", "--count", "2500", "--seed", "1");
    expect(exitCode).toBe(0);
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records).toEqual(sample.slice(0, 2_500));
  });

  test("refuses a count that is not a number, in one line", async () => {
    const { stdout, stderr, exitCode } = await run("", "--count", "many");
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: "",
      stderr: "--count must be a whole number from 0 to 999999999; not many.\n",
      exitCode: 1,
    });
  });
});

describe("the sample directory of npm start", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    await fillDirectory(database.sql);
  });
  afterAll(() => database.drop());

  test("answers the reference's calls, with its business as in the examples", async () => {
    const { paths } = openApiDocument({ baseUrl: "https://directory.example", openAccess: true });
    const exampleOf = (parameter: string) => {
      const parameters = Object.values(paths).flatMap(({ get }) => get.parameters);
      return String(parameters.find(({ name }) => name === parameter)?.example);
    };
    const [city, category] = [exampleOf("city"), exampleOf("category")];
    const list = await listBusinesses(database.sql, { city, category, offset: 0, limit: 1 });
    expect(list.total).toBeGreaterThan(0);
    const business = await findBusiness(database.sql, exampleOf("slug"));
    const { id, updatedAt } = keyedBusiness.data;
    expect(business && { ...keyedDetail(business), id, updatedAt }).toEqual(keyedBusiness.data);
  });

  test("is continued by bun scripts/generate.ts where it ends", async () => {
    expect((await runScript(database.url, "generate", ["--count", "5100"])).stdout).toMatch(
      /^Added 100 .*; already there: 5,000\.\n$/,
    );
  });

  test("is not added to a directory that is not empty", async () => {
    await using own = await createDatabase();
    await addBusiness(own.sql, { slug: "our-only-shop" });
    await fillDirectory(own.sql);
    expect([...(await own.sql`select slug from businesses`)]).toEqual([{ slug: "our-only-shop" }]);
  });
});

interface Point {
  lat: number;
  lng: number;
}

/** Great-circle distance by the haversine formula. */
function kilometres(from: Point | null | undefined, to: Point): number {
  if (!from) return Number.POSITIVE_INFINITY;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const haversine =
    Math.sin(radians(to.lat - from.lat) / 2) ** 2 +
    Math.cos(radians(from.lat)) *
      Math.cos(radians(to.lat)) *
      Math.sin(radians(to.lng - from.lng) / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.sqrt(haversine));
}

/** The places of each outcode, from GeoNames. */
async function readOutcodes(): Promise<Map<string, Point[]>> {
  const places = new Map<string, Point[]>();
  for (const line of (await Bun.file(outcodeFile).text()).trim().split("\n")) {
    const fields = line.split("\t");
    const outcode = fields[1] ?? "";
    const place = { lat: Number(fields[9]), lng: Number(fields[10]) };
    places.set(outcode, [...(places.get(outcode) ?? []), place]);
  }
  return places;
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string) {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}
