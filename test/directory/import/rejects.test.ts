import { expect, test } from "bun:test";
import { named, openDirectory, whole } from "./directory.ts";

// Which records are rejected, and why.

const { sql, load, stored } = await openDirectory();

test.each<[reason: string, record: object]>([
  ["sourceId is missing", { name: "Boots" }],
  ["name is missing", { sourceId: "1" }],
  ["name must be text", { ...whole, name: 7 }],
  ["coordinates must have both lat and lng", { ...whole, coordinates: { lat: 52 } }],
  ["coordinates must be {lat, lng}", { ...whole, coordinates: "here" }],
  ["coordinates must be {lat, lng}", { ...whole, coordinates: [-1.5, 53.8] }],
  ["address must be {line1, line2, postcode}", { ...whole, address: ["1 High Street", "LS1 1AA"] }],
  ["photos: url is missing", { ...whole, photos: [{}] }],
  ["openingHours: day is missing", { ...whole, openingHours: [{ isClosed: true }] }],
  ["name is missing", { ...whole, name: "\u200b \t" }],
  ["name is longer than 200 characters", { ...whole, name: "x".repeat(201) }],
  ["description is longer than 20000 characters", { ...whole, description: "x".repeat(20_001) }],
  ["rating must be a number between 0 and 5", { ...whole, rating: 5.1 }],
  ["rating must be a number between 0 and 5", { ...whole, rating: "good" }],
  ["reviewCount must be a whole number", { ...whole, reviewCount: 1.5 }],
  ...[-1, 2 ** 31].map((reviewCount): [string, object] => [
    "reviewCount must be a number between 0 and 2147483647",
    { ...whole, reviewCount },
  ]),
  [
    "coordinates.lat must be a number between -90 and 90: degrees of WGS 84, not metres of the national grid",
    { ...whole, coordinates: { lat: 91, lng: 0 } },
  ],
  [
    "slug must be lower-case letters, digits and single hyphens, at most 120",
    { ...whole, slug: "x".repeat(121) },
  ],
  ["isClaimed must be true or false", { ...whole, isClaimed: "yes" }],
  ["status must be one of pending, approved, rejected, suspended", { ...whole, status: "open" }],
  ["photos: url must begin with http:// or https://", { ...whole, photos: [{ url: "x.jpg" }] }],
  ["photos: url must begin with http:// or https://", { ...whole, photos: [{ url: "https://" }] }],
  [
    "photos: url has invisible characters",
    { ...whole, photos: [{ url: "https://x.example/\u0000" }] },
  ],
  [
    "photos: at most one can be the cover",
    { ...whole, photos: [1, 2].map((n) => ({ url: `https://x.example/${n}`, isCover: true })) },
  ],
  [
    "photos: there are more than 200",
    { ...whole, photos: Array(201).fill({ url: "https://x.example/1" }) },
  ],
  [
    "openingHours: day must be a weekday such as MONDAY",
    { ...whole, openingHours: [{ day: "Mo" }] },
  ],
  [
    "openingHours: a day that is open needs openTime and closeTime, or is24Hours",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "09:00", closeTime: "" }] },
  ],
  [
    "openingHours: a day cannot be closed and open for 24 hours",
    { ...whole, openingHours: [{ day: "MONDAY", isClosed: true, is24Hours: true }] },
  ],
  [
    "openingHours: there are more than 100 entries",
    { ...whole, openingHours: Array(101).fill({ day: "MONDAY", isClosed: true }) },
  ],
  [
    "openingHours: openTime must be a time such as 09:30",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "9am", closeTime: "17:00" }] },
  ],
  [
    "openingHours: openTime must be a time such as 09:30",
    // Where a day ends another begins: this is Tuesday's.
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "24:00", closeTime: "02:00" }] },
  ],
  [
    "openingHours: closeTime must be a time such as 09:30",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "09:00", closeTime: "24:30" }] },
  ],
  [
    "category chemists is unknown: use a slug that /api/v1/categories lists, replace it in a mapping, or add it with --categories",
    { ...whole, category: "chemists" },
  ],
])("rejects with the reason: %s", async (reason, record) => {
  const result = await load([record, named("2", "The next one")]);
  expect(result).toMatchObject({ read: 2, created: 1, rejected: 1 });
  expect(result.reasons).toEqual([reason]);
});

test("of rows with the same sourceId the first counts, and again on the next import", async () => {
  const feed = [whole, whole, { ...whole, name: "Superdrug" }];
  const expected = { read: 3, unchanged: 1, rejected: 1 };
  const first = await load(feed);
  expect(first).toMatchObject({ ...expected, created: 1, updated: 0 });
  expect(first.reasons).toEqual(["an earlier row has the same sourceId but differs"]);
  expect(await load(feed)).toMatchObject({
    read: 3,
    created: 0,
    updated: 0,
    unchanged: 2,
    rejected: 1,
  });
  expect((await stored())?.name).toBe("Boots");
});

test("a repeated row with another town is a different one, and with no town the same", async () => {
  const { city: _, ...nowhere } = whole;
  const result = await load([nowhere, { ...whole, city: "Ystrad Mynach" }]);
  expect(result).toMatchObject({ created: 1, unchanged: 0, rejected: 1 });
  expect(result.reasons).toEqual(["an earlier row has the same sourceId but differs"]);
  expect(await sql`select from cities`).toHaveLength(0);
  const twice = { ...whole, sourceId: "2", city: null };
  expect(await load([twice, twice])).toMatchObject({ created: 1, unchanged: 1, rejected: 0 });
});

test("a repeat of a row whose slug was taken is not rejected for being different", async () => {
  const taken = { ...whole, sourceId: "2", slug: "boots-norwich" };
  const result = await load([{ ...whole, slug: "boots-norwich" }, taken, taken]);
  expect(result).toMatchObject({ read: 3, created: 1, unchanged: 0, rejected: 2 });
  expect(result.reasons).toEqual([
    "the slug belongs to another business: give another, or none",
    "an earlier row with the same sourceId was rejected: fix that one",
  ]);
});
