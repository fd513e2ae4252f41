import { writeFile } from "node:fs/promises";
import { createKey } from "../../src/access/keys.ts";
import type { Sql } from "../../src/store/postgres.ts";

/** More than enough that none sends 60 requests in a minute. */
const ADDRESSES = 1 << 20;
const KEYS = 10_000;
/** So many requests that no key is ever refused. */
const LIMITS = { quota: 1_000_000_000, perMinute: 100_000_000, burst: 100_000_000 };

/** Who sends requests: open callers by their addresses, or keyed ones. */
export type Callers = "addresses" | "keys";

/** A file of callers, one header line each; see programs/wrk.lua. */
export async function writeCallers(
  sql: Sql,
  kind: Callers,
  file: (name: string) => string,
): Promise<string> {
  const path = file(`${kind}.txt`);
  if (kind === "addresses") await writeAddresses(path);
  else await writeKeys(sql, path);
  return path;
}

/** Each another address, told by a trusted proxy. */
async function writeAddresses(file: string): Promise<void> {
  const lines = Array.from({ length: ADDRESSES }, (_, number) => {
    const octets = [number >> 16, (number >> 8) & 255, number & 255];
    return `X-Forwarded-For: 10.${octets.join(".")}`;
  });
  await writeFile(file, `${lines.join("\n")}\n`);
}

/** Issues the keys, unless there is a file of those that this directory knows. */
async function writeKeys(sql: Sql, file: string): Promise<void> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer as count from api_keys where email = ${OWNER.email}`;
  if (count === KEYS && (await Bun.file(file).exists())) return;
  const lines: string[] = [];
  await sql.begin(async (transaction) => {
    await transaction`delete from api_keys where email = ${OWNER.email}`;
    for (let number = 0; number < KEYS; number++) {
      const { key } = await createKey(transaction, { ...OWNER, ...LIMITS });
      lines.push(`Authorization: Bearer ${key}`);
    }
  });
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
}

const OWNER = { name: "Bench", email: "bench@client.example", tier: "enterprise" };
