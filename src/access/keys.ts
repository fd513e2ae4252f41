import * as v from "valibot";
import type { Sql, Transaction } from "../store/postgres.ts";
import { generateKey, hashKey, keyHint } from "./key-format.ts";

/** What admission needs of a key: the meter it draws on, and the limits in force. */
export interface ApiKey {
  id: string;
  /** Keys rolled from one another share a meter, so rolling gives no second quota. */
  meterId: string;
  tier: string;
  /** Requests in a calendar month, UTC. */
  quota: number;
  /** Requests by which the bucket refills in a minute. */
  perMinute: number;
  /** Requests that a full bucket holds. */
  burst: number;
}

/** What requests with a key need of it. */
export interface PresentedKey extends ApiKey {
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export type KeyState = "active" | "revoked" | "expired";

/**
 * Whether requests with a key are accepted. Revoked wins over expired.
 * @param at milliseconds since 1970
 */
export function keyState(
  { revokedAt, expiresAt }: Pick<PresentedKey, "revokedAt" | "expiresAt">,
  at: number,
): KeyState {
  if (revokedAt) return "revoked";
  return expiresAt && expiresAt.getTime() <= at ? "expired" : "active";
}

/** All that is known of a key; none of it is secret. */
export interface KeyRecord extends PresentedKey {
  hint: string;
  name: string;
  email: string;
  createdAt: Date;
  /** Id of the key that this one replaces. */
  rolledFrom: string | null;
  /** By PostgreSQL's clock, as of when it was read: by it, requests are judged as well. */
  state: KeyState;
}

export interface KeyRequest {
  name: string;
  email: string;
  tier: string;
  expiresAt?: Date | null;
  /** These three override the tier's; a key of tier enterprise must have them. */
  quota?: number | undefined;
  perMinute?: number | undefined;
  burst?: number | undefined;
}

export interface IssuedKey {
  id: string;
  /** The key itself, which is not stored: it cannot be shown again. */
  key: string;
  tier: string;
  expiresAt: Date | null;
}

/** Creates a key and stores its hash. The caller must have validated tier, name and email. */
export async function createKey(sql: Sql | Transaction, request: KeyRequest): Promise<IssuedKey> {
  const { name, email, tier, expiresAt = null } = request;
  const { quota = null, perMinute = null, burst = null } = request;
  const id = Bun.randomUUIDv7();
  const key = generateKey();
  await sql`
    insert into api_keys (
      id, meter_id, key_hash, hint, name, email, tier, quota, per_minute, burst, expires_at)
    values (
      ${id}, ${id}, ${hashKey(key)}, ${keyHint(key)}, ${name}, ${email}, ${tier},
      ${quota}, ${perMinute}, ${burst}, ${expiresAt})`;
  return { id, key, tier, expiresAt };
}

/** The key of each SHA-256, whatever its state. */
export async function findKeysByHash(
  sql: Sql,
  hashes: readonly Buffer[],
): Promise<(PresentedKey | null)[]> {
  const records = await sql<(PresentedKey | { id: null })[]>`
    select ${presentedColumns(sql)}
    from unnest(${hashes.map((hash) => hash.toString("hex"))}::text[])
        with ordinality as asked (hash, place)
      left join keys_with_limits on key_hash = decode(hash, 'hex')
    order by place`;
  return records.map((record) => (record.id === null ? null : record));
}

/** The key with this id, whatever its state; null also for a malformed id. */
export async function findKey(sql: Sql | Transaction, id: string): Promise<KeyRecord | null> {
  if (!isId(id)) return null;
  const [record] = await sql<KeyRecord[]>`
    select ${recordColumns(sql)} from keys_with_limits where id = ${id}`;
  return record ?? null;
}

/**
 * A number that changes with each committed change of a key or tier, and the time by PostgreSQL's clock, in
 * milliseconds since 1970.
 */
export async function keysVersion(sql: Sql): Promise<{ version: string; time: number }> {
  const [row] = await sql<[{ version: string; time: number }]>`
    select version, 1000 * extract(epoch from clock_timestamp())::float8 as time from keys_version`;
  return row;
}

/** Every key, oldest first. */
export async function listKeys(sql: Sql): Promise<KeyRecord[]> {
  return await sql<KeyRecord[]>`
    select ${recordColumns(sql)} from keys_with_limits order by created_at, id`;
}

/** A key and its successors, newest first, at most a hundred. @param meterId the id of the first one */
export async function listKeysOf(sql: Sql, meterId: string): Promise<KeyRecord[]> {
  return await sql<KeyRecord[]>`
    select ${recordColumns(sql)} from keys_with_limits
    where meter_id = ${meterId} order by created_at desc, id desc
    limit 100`;
}

export interface Tier {
  slug: string;
  name: string;
  /** Requests in a calendar month, UTC. */
  monthlyQuota: number;
  /** Requests in a minute; null when agreed per key. */
  perMinute: number | null;
}

/** All tiers, the smallest quota first. */
export async function listTiers(sql: Sql): Promise<Tier[]> {
  return await sql<Tier[]>`
    select slug, name, monthly_quota as "monthlyQuota", per_minute as "perMinute"
    from tiers order by monthly_quota, slug`;
}

/** Disables a key for good. */
export async function revokeKey(
  sql: Sql | Transaction,
  id: string,
): Promise<"changed" | "unchanged" | "unknown"> {
  if (!isId(id)) return "unknown";
  const { count } = await sql`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null`;
  if (count > 0) return "changed";
  return (await findKey(sql, id)) ? "unchanged" : "unknown";
}

/** Whether a text can be the id of a key or an application. */
export const isId = (text: string) => v.is(v.pipe(v.string(), v.uuid()), text);

const presentedColumns = (sql: Sql | Transaction) => sql`
  id, meter_id as "meterId", tier, quota_in_force as quota, per_minute_in_force as "perMinute",
  burst_in_force as burst, expires_at as "expiresAt", revoked_at as "revokedAt"`;

const recordColumns = (sql: Sql | Transaction) => sql`
  ${presentedColumns(sql)}, hint, name, email, created_at as "createdAt",
  rolled_from as "rolledFrom",
  case
    when revoked_at is not null then 'revoked'
    when expires_at <= now() then 'expired'
    else 'active'
  end as state`;
