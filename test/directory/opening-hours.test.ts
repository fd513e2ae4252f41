import { expect, test } from "bun:test";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { applyAction } from "../../src/directory/moderation.ts";
import {
  formatOpeningHours,
  isOpeningHours,
  parseOpeningHours,
} from "../../src/directory/opening-hours.ts";
import type { OpeningHours } from "../../src/directory/schemas.ts";
import { weekdays } from "../../src/directory/weekdays.ts";
import { migrate } from "../../src/store/migrations.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, newFolder } from "../support.ts";

const without = { openTime: "", closeTime: "", isClosed: false, is24Hours: false };

/** Few times, so that days often have the same hours. */
const time = fc.constantFrom("00:00", "09:00", "23:59");
const entry: fc.Arbitrary<OpeningHours> = fc
  .tuple(
    fc.constantFrom(...weekdays),
    fc.oneof(
      fc.constant({ ...without, isClosed: true }),
      fc.constant({ ...without, is24Hours: true }),
      fc.record({ openTime: time, closeTime: time }).map((times) => ({ ...without, ...times })),
    ),
  )
  .map(([day, hours]) => ({ day, ...hours }));
const anyOrder = fc.array(entry, { maxLength: 10 });
const inOrder = anyOrder.map((entries) =>
  entries.toSorted((a, b) => weekdays.indexOf(a.day) - weekdays.indexOf(b.day)),
);
const weeks = fc.oneof(anyOrder, inOrder);

test("days with the same hours are one rule, and so are the hours of one day", () => {
  const day = (name: (typeof weekdays)[number], openTime: string, closeTime: string) => ({
    ...without,
    day: name,
    openTime,
    closeTime,
  });
  const shop = [
    day("MONDAY", "09:00", "13:00"),
    day("MONDAY", "14:00", "17:30"),
    day("TUESDAY", "09:00", "13:00"),
    day("TUESDAY", "14:00", "17:30"),
    day("THURSDAY", "09:00", "13:00"),
    day("THURSDAY", "14:00", "17:30"),
    day("FRIDAY", "18:00", "02:00"),
    { ...without, day: "SATURDAY" as const, is24Hours: true },
    { ...without, day: "SUNDAY" as const, isClosed: true },
  ];
  const text =
    "Mo-Tu 09:00-13:00,14:00-17:30; Th 09:00-13:00,14:00-17:30; Fr 18:00-02:00; Sa 00:00-24:00; Su off";
  expect(formatOpeningHours(shop)).toBe(text);
  expect(parseOpeningHours(text)).toEqual(shop);
});

test("unknown hours are the empty text", () => {
  expect(formatOpeningHours([])).toBe("");
  expect(parseOpeningHours("")).toEqual([]);
});

test("a range of days may wrap round the end of the week", () => {
  expect(parseOpeningHours("Sa-Mo off").map(({ day }) => day)).toEqual([
    "SATURDAY",
    "SUNDAY",
    "MONDAY",
  ]);
});

test("any hours survive a round trip", () => {
  fc.assert(
    fc.property(weeks, (entries) => {
      expect(parseOpeningHours(formatOpeningHours(entries))).toEqual(entries);
    }),
    { numRuns: 1_000 },
  );
});

test("hours stored as JSON are migrated to today's text", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const folder = await newFolder();
  const all = new URL("../../sql/", import.meta.url);
  for (const file of (await readdir(all)).filter((name) => name < "015")) {
    await cp(new URL(file, all), join(folder, file));
  }
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  await migrate(sql, { from: pathToFileURL(`${folder}/`) });
  const given = fc.sample(weeks, { numRuns: 500, seed: 15 });
  await sql`
    insert into businesses (slug, name, opening_hours)
    select 'shop-' || place, 'Shop', hours
    from jsonb_array_elements(${sql.json(given)}) with ordinality as given (hours, place)`;
  expect(await migrate(sql)).toContain("015_opening_hours.sql");
  const kept = await sql<{ hours: string }[]>`
    select opening_hours as hours from businesses order by substr(slug, 6)::integer`;
  expect(kept.map(({ hours }) => hours)).toEqual(given.map(formatOpeningHours));
});

test("the database accepts exactly the hours that are written here", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const add = (hours: readonly string[]) => sql`
    insert into businesses (slug, name, opening_hours)
    select 'shop-' || uuidv7(), 'Shop', hours from unnest(${hours as string[]}::text[]) as hours`;
  const right = fc.sample(weeks, { numRuns: 500, seed: 20 }).map(formatOpeningHours);
  await add(right);
  expect(right.filter((hours) => !isOpeningHours(hours))).toEqual([]);
  const wrongs = [
    "Mo",
    "Mo 9:00-17:00",
    "Mo 09:00-24:00",
    "Mo 09:60-17:00",
    "Mo 09:00-17:00;Tu off",
    "Mo 09:00-17:00; ",
    "Mo 09:00-17:00,",
    "mo off",
    "Xy 09:00-17:00",
    "off",
    "Mo-We-Fr off",
    "09:00-17:00",
    "Mo 09:00",
    "Mo 09:00-17:00; Tu 25:00-26:00",
    "open; Mo 09:00-17:00",
    "[]",
  ];
  expect(wrongs.filter(isOpeningHours)).toEqual([]);
  for (const wrong of wrongs) {
    await expect(add([...right, wrong]).execute()).rejects.toThrow(`no opening hours: ${wrong}`);
    const change = sql`
      update businesses set opening_hours = ${wrong} where slug = (select min(slug) from businesses)`;
    await expect(change.execute()).rejects.toThrow(`no opening hours: ${wrong}`);
  }
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer as count from businesses`;
  expect(count).toBe(right.length);
});

test("a business whose invalid hours came in without triggers can still be suspended, but not be given such hours", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const { slug } = await addBusiness(sql);
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`update businesses set opening_hours = 'Mo 9:00-17:00' where slug = ${slug}`;
  });
  expect(await applyAction(sql, "suspend", slug)).toEqual({ slug, result: "changed" });
  const change = sql`update businesses set opening_hours = 'Mo 8:00-17:00' where slug = ${slug}`;
  await expect(change.execute()).rejects.toThrow("no opening hours: Mo 8:00-17:00");
});
