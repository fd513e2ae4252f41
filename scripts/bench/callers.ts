import { writeFile } from "node:fs/promises";
import { createKey } from "../../src/access/keys.ts";
import type { Sql } from "../../src/store/postgres.ts";

/** The holder of the benchmark keys. */
export const OWNER = { name: "Bench", email: "bench@client.example", tier: "enterprise" };
/** Keyed callers that take turns. */
export const KEYS = 10_000;
/** High enough that no key is ever refused. */
const LIMITS = { quota: 1_000_000_000, perMinute: 100_000_000, burst: 100_000_000 };

/** The header line of an open caller by its number, below 2^24: with so many, none sends 60 requests in a minute. */
export const addressLine = (number: number) =>
  `X-Forwarded-For: 10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

/**
 * Writes a file of keyed callers, one header line each, unless one already exists whose keys are in this
 * directory.
 */
export async function writeKeys(sql: Sql, file: string): Promise<string> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer as count from api_keys where email = ${OWNER.email}`;
  if (count === KEYS && (await Bun.file(file).exists())) return file;
  const lines: string[] = [];
  await sql.begin(async (transaction) => {
    await transaction`delete from api_keys where email = ${OWNER.email}`;
    for (let number = 0; number < KEYS; number++) {
      const { key } = await createKey(transaction, { ...OWNER, ...LIMITS });
      lines.push(`Authorization: Bearer ${key}`);
    }
  });
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  return file;
}
