import { setImmediate as otherWork } from "node:timers/promises";
import type { OpeningHours } from "../../src/directory/businesses.ts";
import { Cities } from "../../src/directory/import/cities.ts";
import { readCategories } from "../../src/directory/import/feed.ts";
import {
  expectManyRows,
  insertBusinesses,
  type NewBusiness,
} from "../../src/directory/import/rows.ts";
import { readableSlugs } from "../../src/directory/import/slugs.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { type ImportRecord, settleDirectory } from "../../src/directory/import.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import type { Sql, Transaction } from "../../src/store/postgres.ts";
import { generateBusinesses } from "./businesses.ts";
import { towns } from "./towns.ts";

export interface Load {
  count: number;
  seed: number;
  /** Hears after each batch how many of `count` have been dealt with. */
  onProgress: (done: number) => void;
}

/** Rows to a statement, which is a transaction. In a large directory it visits most pages of the lists. */
const BATCH_SIZE = 25_000;
/** Statements at a time: one keeps PostgreSQL busy, a second makes use of what it waits for. */
const LANES = 2;

/**
 * Fills the directory with made-up businesses through COPY. They are committed batch by batch; those
 * that are there already stay, so a load that was cut short goes on, and a larger count adds what is
 * missing. No import runs meanwhile.
 * @returns how many were added
 */
export async function loadBusinesses(sql: Sql, { count, seed, onProgress }: Load): Promise<number> {
  const source = `generated-${seed}`;
  const lock = await sql.reserve();
  try {
    await lock`select pg_advisory_lock(${IMPORT_LOCK})`;
    const toRow = await rowMaker(sql, source, seed);
    const waiting = batches(generateBusinesses({ count, seed }));
    let done = 0;
    let added = 0;
    const load = async () => {
      for await (const records of waiting) {
        const missing = await sql.begin(async (transaction) => {
          await expectManyRows(transaction);
          const missing = await withoutPresent(transaction, source, records);
          if (missing.length > 0) await insertBusinesses(transaction, missing.values().map(toRow));
          return missing.length;
        });
        done += records.length;
        added += missing;
        onProgress(done);
      }
    };
    await Promise.all(Array.from({ length: LANES }, load));
    await settleDirectory(sql, added);
    return added;
  } finally {
    await lock`select pg_advisory_unlock(${IMPORT_LOCK})`.catch(() => {});
    lock.release();
  }
}

/** Pauses now and then, for what is sent meanwhile needs its turns. */
async function* batches(records: Iterable<ImportRecord>): AsyncGenerator<ImportRecord[]> {
  let batch: ImportRecord[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length % 500 === 0) await otherWork();
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function withoutPresent(
  sql: Transaction,
  source: string,
  records: ImportRecord[],
): Promise<ImportRecord[]> {
  const rows = await sql<{ id: string }[]>`
    select source_id as id from businesses
    where source = ${source} and source_id = any(${records.map(({ sourceId }) => sourceId)}::text[])`;
  if (rows.length === 0) return records;
  const present = new Set(rows.map(({ id }) => id));
  return records.filter(({ sourceId }) => !present.has(sourceId));
}

/**
 * What makes a row of a record, which is complete and clean as it is. The slug ends with seed and
 * number, so that the database need not be asked whether it is free.
 */
async function rowMaker(
  sql: Sql,
  source: string,
  seed: number,
): Promise<(record: ImportRecord) => NewBusiness> {
  const categories = await readCategories(sql);
  const cities = await Cities.load(sql);
  const named = towns.flatMap(({ name }) => readTown(name) ?? []);
  await cities.add(sql, named);

  return (record) => {
    const town = readTown(record.city ?? "");
    const city = town ? cities.find(town) : undefined;
    const [slug] = readableSlugs({ ...record, citySlug: city?.slug ?? null, postcode: "" });
    const number = Number(record.sourceId.replace(/^\D+/, ""));
    return {
      slug: `${slug}-${seed.toString(36)}-${number.toString(36)}`,
      source,
      source_id: record.sourceId,
      status: record.status ?? "approved",
      name: record.name,
      category_id: categories.get(record.category ?? "") ?? null,
      city_id: city?.id ?? null,
      short_description: record.shortDescription ?? "",
      description: record.description ?? "",
      address_line1: record.address?.line1 ?? "",
      address_line2: record.address?.line2 ?? null,
      postcode: record.address?.postcode ?? "",
      latitude: record.coordinates?.lat ?? null,
      longitude: record.coordinates?.lng ?? null,
      phone: record.phone ?? "",
      email: record.email ?? "",
      website: record.website ?? "",
      rating: record.rating ?? 0,
      review_count: record.reviewCount ?? 0,
      is_claimed: record.isClaimed ?? false,
      is_verified: record.isVerified ?? false,
      is_premium: record.isPremium ?? false,
      photos: (record.photos ?? []).map(({ url, caption, isCover }) => ({
        url,
        caption: caption ?? "",
        isCover: isCover ?? false,
      })),
      opening_hours: (record.openingHours ?? []).map((entry) => ({
        day: entry.day as OpeningHours["day"],
        openTime: entry.openTime ?? "",
        closeTime: (entry.closeTime ?? "").replace("24:00", "00:00"),
        isClosed: entry.isClosed ?? false,
        is24Hours: entry.is24Hours ?? false,
      })),
    };
  };
}
