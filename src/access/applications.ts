import { hash, randomBytes } from "node:crypto";
import type { Sql, Transaction } from "../store/postgres.ts";
import { generateKey, hashKey, keyHint } from "./key-format.ts";
import { type IssuedKey, isId, type KeyRecord, type KeyRequest, listKeysOf } from "./keys.ts";

interface Application {
  id: string;
  name: string;
  email: string;
  purpose: string;
  createdAt: Date;
}

/** The state of an application, as shown to its applicant. */
export interface ApplicationState extends Application {
  status: "waiting" | "approved" | "declined";
  declinedWhy: string | null;
  /** The revealed key and its successors, newest first; empty before the reveal. */
  keys: KeyRecord[];
}

/** What an approval grants: all of a key except its owner. */
type Rights = Omit<KeyRequest, "name" | "email">;

/**
 * Records an application.
 * @param rights if given, it is approved at once with these
 * @returns the token of the applicant's page: 128 random bits, of which only the hash is kept
 */
export async function apply(
  sql: Sql | Transaction,
  { name, email, purpose }: Pick<Application, "name" | "email" | "purpose">,
  rights?: Rights,
): Promise<string> {
  const token = randomBytes(16).toString("base64url");
  const decision = rights && { ...approval(rights), decided_at: new Date() };
  await sql`
    insert into applications ${sql({ name, email, purpose, token_hash: hashToken(token), ...decision })}`;
  return token;
}

/** The applications awaiting a decision, oldest first. */
export async function listWaiting(sql: Sql): Promise<Application[]> {
  return await sql<Application[]>`
    select id, name, email, purpose, created_at as "createdAt"
    from applications where status = 'waiting' order by created_at, id`;
}

export type DecisionResult = "changed" | "unknown" | "approved" | "declined";

/** Grants a waiting application a key, which its applicant then reveals. */
export function approveApplication(sql: Sql, id: string, rights: Rights): Promise<DecisionResult> {
  return decide(sql, id, approval(rights));
}

/** Declines a waiting application. @param why told to the applicant */
export function declineApplication(sql: Sql, id: string, why: string): Promise<DecisionResult> {
  return decide(sql, id, { status: "declined", declined_why: why });
}

/** The application whose page has this token, or null. */
export async function findApplication(sql: Sql, token: string): Promise<ApplicationState | null> {
  const [found] = await sql<(Omit<ApplicationState, "keys"> & { keyId: string | null })[]>`
    select id, name, email, purpose, created_at as "createdAt", status,
      declined_why as "declinedWhy", key_id as "keyId"
    from applications where token_hash = ${hashToken(token)}`;
  if (!found) return null;
  const { keyId, ...application } = found;
  return { ...application, keys: keyId ? await listKeysOf(sql, keyId) : [] };
}

/**
 * Creates the key of an approved application, once: of any number of concurrent calls, one gets it; the
 * others, and all later ones, get null.
 */
export async function revealKey(sql: Sql | Transaction, token: string): Promise<IssuedKey | null> {
  const id = Bun.randomUUIDv7();
  const key = generateKey();
  // One statement: a second caller finds that there is a key, and a lost connection leaves none without its
  // application.
  const [issued] = await sql<Pick<IssuedKey, "tier" | "expiresAt">[]>`
    with granted as (
      update applications set key_id = ${id}
      where token_hash = ${hashToken(token)} and status = 'approved' and key_id is null
      returning name, email, tier, quota, per_minute, burst, key_expires_at
    )
    insert into api_keys (
      id, meter_id, key_hash, hint, name, email, tier, quota, per_minute, burst, expires_at)
    select
      ${id}, ${id}, ${hashKey(key)}, ${keyHint(key)}, name, email, tier, quota, per_minute, burst,
      key_expires_at
    from granted
    returning tier, expires_at as "expiresAt"`;
  return issued ? { id, key, ...issued } : null;
}

async function decide(
  sql: Sql,
  id: string,
  change: ReturnType<typeof approval> | { status: string; declined_why: string },
): Promise<DecisionResult> {
  if (!isId(id)) return "unknown";
  const { count } = await sql`
    update applications set ${sql(change)}, decided_at = now()
    where id = ${id} and status = 'waiting'`;
  if (count > 0) return "changed";
  const [application] = await sql<{ status: "approved" | "declined" }[]>`
    select status from applications where id = ${id}`;
  return application?.status ?? "unknown";
}

const approval = (rights: Rights) => ({
  status: "approved",
  tier: rights.tier,
  key_expires_at: rights.expiresAt ?? null,
  quota: rights.quota ?? null,
  per_minute: rights.perMinute ?? null,
  burst: rights.burst ?? null,
});

/** The token has 128 random bits, so it cannot be guessed from its hash. */
const hashToken = (token: string) => hash("sha256", token, "buffer");
