import type { Sql, Transaction } from "../store/postgres.ts";
import { generateKey, hashKey, keyHint } from "./key-format.ts";
import { type IssuedKey, isId } from "./keys.ts";

/** The new key and until when the old one works, or why there is no new one. */
export type RollResult =
  | { rolled: IssuedKey; oldExpiresAt: Date }
  | { refused: "unknown" | "revoked" | "expired" }
  | { refused: "replaced"; by: string };

/**
 * Makes a new key with the rights, the meter and the expiry of an old one, which expires after the
 * grace period (or at its own expiry, when that is sooner). Until then both work.
 */
export async function rollKey(
  sql: Sql | Transaction,
  id: string,
  { graceSeconds }: { graceSeconds: number },
): Promise<RollResult> {
  if (!isId(id)) return { refused: "unknown" };
  const rolled = { id: Bun.randomUUIDv7(), key: generateKey() };
  // One statement: nobody sees one of the two keys changed without the other, and no lock is held across a
  // round trip.
  const [done] = await sql<[(Omit<IssuedKey, "id" | "key"> & { oldExpiresAt: Date })?]>`
    with old as (
      select * from api_keys
      where id = ${id} and revoked_at is null and coalesce(expires_at > now(), true)
      for update
    ), successor as (
      insert into api_keys (
        id, rolled_from, key_hash, hint,
        meter_id, name, email, tier, quota, per_minute, burst, expires_at)
      select ${rolled.id}, id, ${hashKey(rolled.key)}, ${keyHint(rolled.key)},
        meter_id, name, email, tier, quota, per_minute, burst, expires_at
      from old
      on conflict (rolled_from) do nothing
      returning rolled_from, tier, expires_at
    )
    update api_keys as old
    set expires_at = least(old.expires_at, now() + ${graceSeconds} * interval '1 second')
    from successor where old.id = successor.rolled_from
    returning successor.tier, successor.expires_at as "expiresAt",
      old.expires_at as "oldExpiresAt"`;
  if (!done) return await whyNotRolled(sql, id);
  const { tier, expiresAt, oldExpiresAt } = done;
  return { rolled: { ...rolled, tier, expiresAt }, oldExpiresAt };
}

/** Safe to query afterwards, since no reason for a refusal is ever undone. */
async function whyNotRolled(sql: Sql | Transaction, id: string): Promise<RollResult> {
  const [old] = await sql<[{ isRevoked: boolean; successor: string | null }?]>`
    select revoked_at is not null as "isRevoked",
      (select id from api_keys where rolled_from = ${id}) as successor
    from api_keys where id = ${id}`;
  if (!old) return { refused: "unknown" };
  if (old.isRevoked) return { refused: "revoked" };
  // Replacing a key shortens its expiry: by now it may have expired as well.
  if (old.successor) return { refused: "replaced", by: old.successor };
  return { refused: "expired" };
}
