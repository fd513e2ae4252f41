import { readCategories } from "../../src/directory/import/categories.ts";
import { Cities } from "../../src/directory/import/cities.ts";
import {
  expectManyRows,
  insertBusinesses,
  type NewBusiness,
} from "../../src/directory/import/rows.ts";
import { readableSlugs } from "../../src/directory/import/slugs.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { settleDirectory } from "../../src/directory/import.ts";
import { formatOpeningHours } from "../../src/directory/opening-hours.ts";
import { takeImportLock } from "../../src/store/locks.ts";
import { liftTimeLimits, type Sql, type Transaction } from "../../src/store/postgres.ts";
import { CommandError } from "../terminal/command.ts";
import { sayUnsettled, sayWaiting } from "../terminal/output.ts";
import { progressBar } from "../terminal/progress-bar.ts";
import { type GeneratedBusiness, generateBusinesses, sourceOf } from "./businesses.ts";
import { towns } from "./towns.ts";
import { trades } from "./trades.ts";

/**
 * Most rows per statement, each in its own transaction. In a large directory each statement visits most
 * pages of the list indexes, so a few large ones cost less than many small ones.
 */
const BATCH_SIZE = 100_000;
/** Rows sent between two progress reports. */
const PROGRESS_ROWS = 1_000;
/** Concurrent statements: one keeps PostgreSQL busy, a second uses the time that the first waits. */
const LANES = 2;

/**
 * Fills the directory with made-up businesses through COPY, committing batch by batch. Those already
 * there stay, so an interrupted load can be resumed, and a larger count adds what is missing. Imports
 * have to wait meanwhile. Shows its progress.
 * @returns how many were added, and in how many seconds
 * @throws CommandError when the directory lacks a category that they have
 */
export async function loadBusinesses(sql: Sql, count: number, seed: number) {
  const source = sourceOf(seed);
  using bar = progressBar(
    "{bar} {value} of {total} businesses | {rate} a second | {eta_formatted} left",
  );
  // This transaction only holds the import lock until the load is over; other transactions commit the rows.
  const sent = await sql.begin(async (holder) => {
    await liftTimeLimits(holder);
    await takeImportLock(holder, sayWaiting);
    const present = await findPresent(holder, source, count);
    // The last query of a transaction stays open, with its snapshot. This transaction lasts as long as the
    // load, and meanwhile VACUUM could remove nothing that the snapshot still sees.
    await holder`close all`;
    const toRow = await rowMaker(sql, source, seed);
    const missing = generateBusinesses({ count, seed }).filter(
      ({ sourceId }) => !present[placeOf(sourceId)],
    );
    const known = present.filter(Boolean).length;
    // Only now: waiting for another import does not count.
    bar.start(count, { done: known });
    let sent = 0;
    let left = count - known;
    const batchSize = Math.min(BATCH_SIZE, Math.ceil(left / LANES));
    const send = (business: GeneratedBusiness) => {
      sent += 1;
      if (sent % PROGRESS_ROWS === 0) bar.update(known + sent);
      // The rest takes long after a million.
      if (known + sent === count) bar.finish("Finishing");
      return toRow(business);
    };
    const load = async () => {
      while (left > 0) {
        const size = Math.min(batchSize, left);
        left -= size;
        await sql.begin(async (transaction) => {
          await liftTimeLimits(transaction);
          await expectManyRows(transaction);
          await insertBusinesses(transaction, nextOf(missing, size).map(send));
        });
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, load));
    // Only once both have ended: the lock holds for as long as either writes.
    for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
    return sent;
  });
  // As after an import. The lock is free again, so others need not wait for this.
  await settleDirectory(sql, sent).catch((error) => {
    bar.stop();
    sayUnsettled("All is", error);
  });
  return { added: sent, seconds: bar.seconds() };
}

/** Which of `count` are already there: 1 at the index of each. */
async function findPresent(
  transaction: Transaction,
  source: string,
  count: number,
): Promise<Uint8Array> {
  const present = new Uint8Array(count);
  const found = transaction<{ sourceId: string }[]>`
    select source_id as "sourceId" from businesses where source = ${source}`;
  await found.cursor(BATCH_SIZE, (businesses) => {
    for (const { sourceId } of businesses) present[placeOf(sourceId)] = 1;
  });
  return present;
}

/** The first of all made-up businesses, sample-000001, has index 0. */
const placeOf = (sourceId: string) => Number(sourceId.slice(sourceId.indexOf("-") + 1)) - 1;

/**
 * The next items, generated on demand. All lanes draw from the same iterator, so no item is sent twice.
 */
function* nextOf<Item>(items: Iterator<Item, undefined>, size: number): Generator<Item> {
  for (let place = 0; place < size; place++) {
    const { value } = items.next();
    if (value !== undefined) yield value;
  }
}

/**
 * Makes the row of a business, which needs no completion or cleaning. The slug ends with seed and
 * number, so it is free without asking the database.
 */
async function rowMaker(
  sql: Sql,
  source: string,
  seed: number,
): Promise<(business: GeneratedBusiness) => NewBusiness> {
  const categories = await readCategories(sql);
  const lacking = trades.map(({ category }) => category).filter((slug) => !categories.has(slug));
  if (lacking.length > 0) {
    throw new CommandError(
      `The directory lacks categories of made-up businesses: ${lacking.join(", ")}. Add them with scripts/import.ts --categories, or import what --ndjson prints: businesses of these are rejected.`,
    );
  }
  const cities = await Cities.load(sql);
  await cities.add(
    sql,
    towns.flatMap(({ name }) => readTown(name) ?? []),
  );

  return (business) => {
    const town = readTown(business.city);
    const city = town ? cities.find(town) : undefined;
    const number = placeOf(business.sourceId) + 1;
    const [slug] = readableSlugs({
      name: business.name,
      citySlug: city?.slug,
      postcode: "",
    });
    return {
      slug: `${slug}-${seed.toString(36)}-${number.toString(36)}`,
      source,
      source_id: business.sourceId,
      status: business.status,
      approve_when_complete: business.status === "approved",
      was_approved: false,
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
      opening_hours: formatOpeningHours(business.openingHours),
    };
  };
}
