import { Cities } from "../../src/directory/import/cities.ts";
import { readCategories } from "../../src/directory/import/feed.ts";
import {
  expectManyRows,
  insertBusinesses,
  type NewBusiness,
} from "../../src/directory/import/rows.ts";
import { readableSlugs } from "../../src/directory/import/slugs.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { type OpeningHoursRecord, settleDirectory } from "../../src/directory/import.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { type GeneratedBusiness, generateBusinesses, sourceOf } from "./businesses.ts";
import { towns } from "./towns.ts";

export interface Load {
  count: number;
  seed: number;
  /** Hears now and then how many of `count` are there or on their way. */
  onProgress: (done: number) => void;
}

/**
 * Rows to a statement, which is a transaction, at most. In a large directory each statement visits
 * most pages of the lists, so few that are large cost less than many.
 */
const BATCH_SIZE = 100_000;
/** Rows sent from one word of progress to the next. */
const PROGRESS_ROWS = 1_000;
/** Statements at a time: one keeps PostgreSQL busy, a second makes use of what it waits for. */
const LANES = 2;

/**
 * Fills the directory with made-up businesses through COPY. They are committed batch by batch; those
 * that are there already stay, so a load that was cut short goes on, and a larger count adds what is
 * missing. No import runs meanwhile.
 * @returns how many were added
 */
export async function loadBusinesses(sql: Sql, { count, seed, onProgress }: Load): Promise<number> {
  const source = sourceOf(seed);
  const lock = await sql.reserve();
  try {
    await lock`select pg_advisory_lock(${IMPORT_LOCK})`;
    const present = await findPresent(sql, source, count);
    const toRow = await rowMaker(sql, source, seed);
    const missing = generateBusinesses({ count, seed }).filter(
      ({ sourceId }) => !present[placeOf(sourceId)],
    );
    const known = present.filter(Boolean).length;
    let sent = 0;
    let left = count - known;
    // As many for each lane, so that none is alone in the end.
    const rounds = Math.ceil(left / (BATCH_SIZE * LANES));
    const batchSize = Math.ceil(left / (rounds * LANES));
    const send = (business: GeneratedBusiness) => {
      sent += 1;
      if (sent % PROGRESS_ROWS === 0) onProgress(known + sent);
      return toRow(business);
    };
    const load = async () => {
      while (left > 0) {
        const size = Math.min(batchSize, left);
        left -= size;
        await sql.begin(async (transaction) => {
          await expectManyRows(transaction);
          await insertBusinesses(transaction, nextOf(missing, size).map(send));
        });
      }
    };
    await Promise.all(Array.from({ length: LANES }, load));
    onProgress(known + sent);
    await settleDirectory(sql, sent);
    return sent;
  } finally {
    await lock`select pg_advisory_unlock(${IMPORT_LOCK})`.catch(() => {});
    lock.release();
  }
}

/** Which of `count` are there already: 1 at the place of each. */
async function findPresent(sql: Sql, source: string, count: number): Promise<Uint8Array> {
  const present = new Uint8Array(count);
  const found = sql<{ sourceId: string }[]>`
    select source_id as "sourceId" from businesses where source = ${source}`;
  await found.cursor(BATCH_SIZE, (businesses) => {
    for (const { sourceId } of businesses) present[placeOf(sourceId)] = 1;
  });
  return present;
}

/** The first of all made-up businesses, sample-000001, has place 0. */
const placeOf = (sourceId: string) => Number(sourceId.replace(/^\D+/, "")) - 1;

/** The next ones, which are made when they are asked for; what follows them is left to others. */
function* nextOf<Item>(items: Iterator<Item, undefined>, size: number): Generator<Item> {
  for (let place = 0; place < size; place++) {
    const { value } = items.next();
    if (value !== undefined) yield value;
  }
}

/**
 * What makes a row of a business, which is complete and clean as it is. The slug ends with seed and
 * number, so that the database need not be asked whether it is free.
 */
async function rowMaker(
  sql: Sql,
  source: string,
  seed: number,
): Promise<(business: GeneratedBusiness) => NewBusiness> {
  const categories = await readCategories(sql);
  const cities = await citiesByName(sql);

  return (business) => {
    const city = cities.get(business.city);
    const number = placeOf(business.sourceId) + 1;
    const [slug] = readableSlugs({
      name: business.name,
      citySlug: city?.slug ?? null,
      postcode: "",
    });
    return {
      slug: `${slug}-${seed.toString(36)}-${number.toString(36)}`,
      source,
      source_id: business.sourceId,
      status: business.status,
      name: business.name,
      category_id: categories.get(business.category) ?? null,
      city_id: city?.id ?? null,
      short_description: business.shortDescription,
      description: business.description,
      address_line1: business.address.line1,
      address_line2: business.address.line2,
      postcode: business.address.postcode,
      latitude: business.coordinates.lat,
      longitude: business.coordinates.lng,
      phone: business.phone,
      email: business.email,
      website: business.website,
      rating: business.rating,
      review_count: business.reviewCount,
      is_claimed: business.isClaimed,
      is_verified: business.isVerified,
      is_premium: business.isPremium,
      photos: business.photos,
      opening_hours: hoursAsJson(business.openingHours),
    };
  };
}

/** The cities of all towns that businesses are made up in. */
async function citiesByName(sql: Sql): Promise<Map<string, { id: number; slug: string }>> {
  const cities = await Cities.load(sql);
  const read = towns.flatMap(({ name }) => {
    const town = readTown(name);
    return town ? [{ name, town }] : [];
  });
  await cities.add(
    sql,
    read.map(({ town }) => town),
  );
  return new Map(
    read.flatMap(({ name, town }) => {
      const city = cities.find(town);
      return city ? [[name, city]] : [];
    }),
  );
}

// Thousands keep the same hours, and these are half of what is sent.
const hours = new WeakMap<readonly OpeningHoursRecord[], string>();

function hoursAsJson(week: readonly OpeningHoursRecord[]): string {
  let json = hours.get(week);
  if (json === undefined) {
    json = JSON.stringify(
      week.map(({ day, openTime, closeTime, isClosed, is24Hours }) => ({
        day,
        openTime: openTime ?? "",
        closeTime: closeTime ?? "",
        isClosed,
        is24Hours,
      })),
    );
    hours.set(week, json);
  }
  return json;
}
