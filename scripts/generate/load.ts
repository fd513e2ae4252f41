import { setImmediate as otherWork } from "node:timers/promises";
import { Cities } from "../../src/directory/import/cities.ts";
import { readCategories } from "../../src/directory/import/feed.ts";
import { prepare } from "../../src/directory/import/prepare.ts";
import {
  emptyBusiness,
  insertBusinesses,
  type NewBusiness,
} from "../../src/directory/import/rows.ts";
import { readableSlugs } from "../../src/directory/import/slugs.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { settleDirectory } from "../../src/directory/import.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { generateBusinesses } from "./businesses.ts";
import { towns } from "./towns.ts";

export interface Load {
  count: number;
  seed: number;
  /** Hears after each batch how many of `count` are in the directory. */
  onProgress: (present: number) => void;
}

/** Rows to a statement, which is a transaction. */
const BATCH_SIZE = 10_000;

/**
 * Fills the directory with made-up businesses through COPY. They are committed batch by batch, so a
 * load that was cut short goes on where it stopped, and a larger count adds what is missing.
 * @returns how many were added
 */
export async function loadBusinesses(sql: Sql, { count, seed, onProgress }: Load): Promise<number> {
  const source = `generated-${seed}`;
  const connection = await sql.reserve();
  try {
    await connection`select pg_advisory_lock(${IMPORT_LOCK})`;
    const [{ present }] = await connection<[{ present: number }]>`
      select count(*)::integer as present from businesses where source = ${source}`;
    let loaded = present;
    const insert = async (batch: readonly NewBusiness[]) => {
      await insertBusinesses(connection, batch);
      loaded += batch.length;
      onProgress(loaded);
    };
    let loading = Promise.resolve();
    for await (const batch of batches(await rowsOf(sql, source, { count, seed }), present)) {
      await loading;
      loading = insert(batch);
      // Its failure is thrown by the next await; until then it must not count as unhandled.
      loading.catch(() => {});
    }
    await loading;
    await settleDirectory(sql, loaded - present);
    return loaded - present;
  } finally {
    await connection`select pg_advisory_unlock(${IMPORT_LOCK})`.catch(() => {});
    connection.release();
  }
}

/** The rows of the businesses, without asking the database about each: their slugs end with a number. */
async function rowsOf(
  sql: Sql,
  source: string,
  wanted: { count: number; seed: number },
): Promise<Generator<NewBusiness>> {
  const categories = await readCategories(sql);
  const cities = await Cities.load(sql);
  await cities.add(
    sql,
    towns.flatMap(({ name }) => readTown(name) ?? []),
  );
  return rows();

  function* rows(): Generator<NewBusiness> {
    let number = 0;
    for (const record of generateBusinesses(wanted)) {
      number++;
      const prepared = prepare(record, categories);
      if (typeof prepared === "string")
        throw new Error(`generated a business with a fault: ${prepared}`);
      const { fields, sourceId, status, town } = prepared;
      const city = town ? cities.find(town) : undefined;
      const business = { ...emptyBusiness, name: "", ...fields, city_id: city?.id ?? null };
      const [slug] = readableSlugs({ ...business, citySlug: city?.slug ?? null, postcode: "" });
      yield {
        ...business,
        status: status ?? "approved",
        slug: `${slug}-${wanted.seed.toString(36)}-${number.toString(36)}`,
        source,
        source_id: sourceId,
      };
    }
  }
}

/** Leaves the first ones out. Pauses now and then, for what is sent meanwhile needs its turns. */
async function* batches(
  rows: Iterable<NewBusiness>,
  skipped: number,
): AsyncGenerator<NewBusiness[]> {
  let batch: NewBusiness[] = [];
  let number = 0;
  for (const row of rows) {
    if (++number % 200 === 0) await otherWork();
    if (number <= skipped) continue;
    if (batch.push(row) < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
