import { importRecords } from "../../src/directory/import.ts";
import { grouped } from "../../src/numbers.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { generateBusinesses, sourceOf } from "../generate/businesses.ts";
import { step } from "../terminal/output.ts";

const COUNT = 5_000;
const SEED = 1;

/** Fills an empty directory with the sample: all of it or, if interrupted, nothing. */
export async function fillDirectory(sql: Sql): Promise<void> {
  const [business] = await sql`select from businesses limit 1`;
  if (business) return;
  await step(
    `Sample directory (${grouped(COUNT)} businesses)`,
    importRecords(sql, generateBusinesses({ count: COUNT, seed: SEED }), {
      source: sourceOf(SEED),
    }),
  );
}
