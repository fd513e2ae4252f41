import { afterAll, beforeEach } from "bun:test";
import type { ImportCounts, ImportOptions } from "../../../src/directory/import/feed.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { importRecords } from "../../../src/directory/import.ts";
import { createDatabase } from "../../support.ts";

/** Complete, with every field. */
export const whole: ImportRecord = {
  sourceId: "1",
  name: "Boots",
  category: "pharmacies",
  city: "Norwich",
  shortDescription: "A chemist.",
  description: "A chemist.\n\nOpen late.",
  address: { line1: "19 Castle Quarter", line2: "Level 1", postcode: "NR1 3DD" },
  coordinates: { lat: 52.6271, lng: 1.2963 },
  phone: "01632 960123",
  email: "norwich@boots.example",
  website: "https://boots.example/norwich",
  rating: 4.25,
  reviewCount: 12,
  isClaimed: true,
  isVerified: true,
  isPremium: true,
  photos: [{ url: "https://boots.example/front.jpg", caption: "The front", isCover: true }],
  openingHours: [
    { day: "monday", openTime: "09:00", closeTime: "24:00" },
    { day: "TUESDAY", is24Hours: true },
    { day: "WEDNESDAY", isClosed: true },
  ],
};

/** The same business under another id and name. */
export const named = (sourceId: string, name: string, more: Partial<ImportRecord> = {}) => ({
  ...whole,
  sourceId,
  name,
  ...more,
});

/** A directory for the tests of one file: it is emptied before each of them, and dropped after the last. */
export async function openDirectory() {
  const { sql, drop } = await createDatabase();
  afterAll(drop);
  beforeEach(async () => {
    await sql`delete from businesses`;
    await sql`delete from cities`;
    await sql`delete from search_changes`;
  });

  /** Imports records. Returns the counts, the reasons of those rejected, and the names of unusable fields. */
  async function load(
    records: object[],
    options: Partial<ImportOptions> = {},
  ): Promise<ImportCounts & { reasons: string[]; unusable: string[] }> {
    const reasons: string[] = [];
    const unusable: string[] = [];
    const counts = await importRecords(sql, records, {
      source: "test",
      onReject: (_, reason) => reasons.push(reason),
      onUnusable: (_, fields) => unusable.push(...fields),
      ...options,
    });
    return { ...counts, reasons, unusable };
  }

  /** The row of a business, with the name of its city and the slug of its category. */
  const stored = (sourceId = "1") =>
    sql`
      select b.*, b.rating::float8 as rating, cities.name as city, categories.slug as category
      from businesses as b
        left join cities on cities.id = b.city_id
        left join categories on categories.id = b.category_id
      where b.source_id = ${sourceId}`.then(([row]) => row);

  return { sql, load, stored };
}
