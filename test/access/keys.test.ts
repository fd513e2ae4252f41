import { afterAll, expect, test } from "bun:test";
import {
  apply,
  approveApplication,
  declineApplication,
  findApplication,
  listWaiting,
  revealKey,
} from "../../src/access/applications.ts";
import {
  createKey,
  findKey,
  type KeyRequest,
  keysVersion,
  listKeys,
  listKeysOf,
  listTiers,
  revokeKey,
} from "../../src/access/keys.ts";
import { rollKey } from "../../src/access/roll-key.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { createDatabase, delayedBy, untilBlocked } from "../support.ts";

const database = await createDatabase();
const { sql } = database;
afterAll(() => database.drop());

const ann: KeyRequest = { name: "Ann", email: "ann@shop.example", tier: "developer" };
const NOBODY = "00000000-0000-7000-8000-000000000000";

test("there are four tiers, the smallest first, each with its quota and its rate", async () => {
  expect((await listTiers(sql)).map(({ slug }) => slug)).toEqual([
    "developer",
    "starter",
    "growth",
    "enterprise",
  ]);
  expect([...(await sql`select slug, monthly_quota, per_minute from tiers`)]).toEqual([
    { slug: "developer", monthly_quota: 1_000, per_minute: 60 },
    { slug: "starter", monthly_quota: 10_000, per_minute: 120 },
    { slug: "growth", monthly_quota: 100_000, per_minute: 600 },
    { slug: "enterprise", monthly_quota: 1_000_000, per_minute: null },
  ]);
});

test("neither the key nor its random part is anywhere in the database", async () => {
  const { id, key } = await createKey(sql, ann);
  const rolled = await rollKey(sql, id, { graceSeconds: 60 });
  if (!("rolled" in rolled)) throw new Error("not rolled");
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`;
  for (const secret of [key, rolled.rolled.key]) {
    for (const { name } of tables) {
      for (const part of [secret, secret.slice(8, 40), secret.slice(12, 40)]) {
        const rows =
          await sql`select 1 from ${sql(name)} as row where row::text like ${`%${part}%`}`;
        expect([name, rows.length]).toEqual([name, 0]);
      }
    }
    // The search would find it: its start, which is kept, is found.
    const begun =
      await sql`select 1 from api_keys as row where row::text like ${`%${secret.slice(0, 12)}%`}`;
    expect(begun.length).toBe(1);
  }
});

test("a key has a UUIDv7, an owner, a tier, and no end unless it is given one", async () => {
  const expiresAt = new Date("2040-01-01T00:00:00Z");
  const { id } = await createKey(sql, { ...ann, tier: "starter", expiresAt });
  expect(id[14]).toBe("7");
  const found = await findKey(sql, id);
  expect(found).toMatchObject({
    ...ann,
    tier: "starter",
    quota: 10_000,
    perMinute: 120,
    burst: 120,
    revokedAt: null,
  });
  // To Bun's toMatchObject any date is like any other.
  expect(found?.expiresAt).toEqual(expiresAt);
  expect((await findKey(sql, (await createKey(sql, ann)).id))?.expiresAt).toBeNull();
});

test("a key's own rate without a burst is its burst too", async () => {
  const { id } = await createKey(sql, { ...ann, perMinute: 7 });
  expect(await findKey(sql, id)).toMatchObject({ quota: 1_000, perMinute: 7, burst: 7 });
});

test("the database refuses an enterprise key without limits of its own, and limits below 1", async () => {
  const limits = { quota: 1, perMinute: 1, burst: 1 };
  for (const missing of ["quota", "perMinute", "burst"]) {
    const request = { ...ann, tier: "enterprise", ...limits, [missing]: undefined };
    await expect(createKey(sql, request)).rejects.toThrow("enterprise_is_agreed");
    await expect(createKey(sql, { ...ann, ...limits, [missing]: 0 })).rejects.toThrow("check");
  }
  await expect(createKey(sql, { ...ann, tier: "nobility" })).rejects.toThrow("foreign key");
});

test("a key is revoked once, for good, also when it has expired", async () => {
  const { id } = await createKey(sql, { ...ann, expiresAt: new Date(0) });
  expect(await findKey(sql, id)).toMatchObject({ state: "expired", revokedAt: null });
  expect(await revokeKey(sql, id)).toBe("changed");
  const { state, revokedAt } = (await findKey(sql, id)) ?? {};
  expect(state).toBe("revoked");
  expect(revokedAt).toBeInstanceOf(Date);
  expect(await revokeKey(sql, id)).toBe("unchanged");
  expect((await findKey(sql, id))?.revokedAt).toEqual(revokedAt ?? null);
});

test("a key is revoked while an operator's transaction has changed a tier and another key, and both are counted", async () => {
  const { id } = await createKey(sql, ann);
  const { id: other } = await createKey(sql, ann);
  const version = async () => Number((await keysVersion(sql)).version);
  const countedBefore = await version();
  const counted = async () => (await version()) - countedBefore;
  await sql.begin(async (operator) => {
    await operator`update tiers set name = name`;
    await operator`update api_keys set name = 'Renamed' where id = ${other}`;
    expect(await revokeKey(sql, id)).toBe("changed");
    expect(await counted()).toBe(1);
    // In this order, each would wait for the other if a change of any key locked all of them.
    await operator`update api_keys set name = 'Renamed' where id = ${id}`;
  });
  expect(await counted()).toBe(2);
});

test("an unknown or malformed id finds no key", async () => {
  for (const id of [NOBODY, "", "nonsense", "1; drop table api_keys"]) {
    expect(await findKey(sql, id)).toBeNull();
    expect(await revokeKey(sql, id)).toBe("unknown");
    expect(await rollKey(sql, id, { graceSeconds: 1 })).toEqual({ refused: "unknown" });
  }
});

test("a rolled key has the rights, the meter and the expiry of the old one, which ends after the grace", async () => {
  const expiresAt = new Date(Date.now() + 86_400_000);
  const rights = { ...ann, tier: "enterprise", quota: 9, perMinute: 8, burst: 7 };
  const { id, key } = await createKey(sql, { ...rights, expiresAt });
  const result = await rollKey(sql, id, { graceSeconds: 3_600 });
  if (!("rolled" in result)) throw new Error("not rolled");

  expect(result.rolled.tier).toBe("enterprise");
  expect(result.rolled.expiresAt).toEqual(expiresAt);
  expect(result.rolled.key).not.toBe(key);
  expect(Math.abs(result.oldExpiresAt.getTime() - (Date.now() + 3_600_000))).toBeLessThan(60_000);
  const [old, rolled] = [await findKey(sql, id), await findKey(sql, result.rolled.id)];
  expect([old?.revokedAt, old?.expiresAt]).toEqual([null, result.oldExpiresAt]);
  expect(rolled).toMatchObject({ ...rights, meterId: id, rolledFrom: id, revokedAt: null });
  expect(rolled?.expiresAt).toEqual(expiresAt);
});

test("rolling never lengthens the life of the old key", async () => {
  const expiresAt = new Date(Date.now() + 60_000);
  const { id } = await createKey(sql, { ...ann, expiresAt });
  const result = await rollKey(sql, id, { graceSeconds: 3_600 });
  expect("rolled" in result && result.oldExpiresAt).toEqual(expiresAt);
  expect((await findKey(sql, id))?.expiresAt).toEqual(expiresAt);
});

test("a key that is revoked, expired or replaced is not rolled", async () => {
  const revoked = await createKey(sql, ann);
  await revokeKey(sql, revoked.id);
  const expired = await createKey(sql, { ...ann, expiresAt: new Date(0) });
  const replaced = await createKey(sql, ann);
  const successor = await rollKey(sql, replaced.id, { graceSeconds: 0 });
  if (!("rolled" in successor)) throw new Error("not rolled");
  const roll = (id: string) => rollKey(sql, id, { graceSeconds: 60 });
  expect(await roll(revoked.id)).toEqual({ refused: "revoked" });
  expect(await roll(expired.id)).toEqual({ refused: "expired" });
  expect(await roll(replaced.id)).toEqual({ refused: "replaced", by: successor.rolled.id });
  await revokeKey(sql, replaced.id);
  expect(await roll(replaced.id)).toEqual({ refused: "revoked" });
  expect(await roll(successor.rolled.id)).toMatchObject({ rolled: { tier: "developer" } });
});

test("of many concurrent rolls of one key, one succeeds", async () => {
  const { id } = await createKey(sql, ann);
  // All of them begin before any has the row, and then run one after the other.
  const outcomes = await delayedBy(
    sql,
    (holder) => holder`select from api_keys where id = ${id} for update`,
    () => Promise.all(Array.from({ length: 5 }, () => rollKey(sql, id, { graceSeconds: 60 }))),
    { connections: 5 },
  );
  const rolled = outcomes.flatMap((result) => ("rolled" in result ? [result.rolled.id] : []));
  expect(rolled.length).toBe(1);
  expect(outcomes.filter((result) => "refused" in result)).toEqual(
    Array(4).fill({ refused: "replaced", by: rolled[0] }),
  );
});

test("a key that is revoked during its roll gets no successor", async () => {
  const { id } = await createKey(sql, ann);
  const result = await delayedBy(
    sql,
    (operator) => operator`update api_keys set revoked_at = now() where id = ${id}`,
    () => rollKey(sql, id, { graceSeconds: 60 }),
  );
  expect(result).toEqual({ refused: "revoked" });
  expect(await sql`select from api_keys where rolled_from = ${id}`).toHaveLength(0);
});

test("a roll whose connection is lost fails, does nothing, and harms nothing else", async () => {
  const { id } = await createKey(sql, ann);
  const lost = openPostgres(database.url, { max: 1 });
  const [{ pid }] = await lost<[{ pid: number }]>`select pg_backend_pid() as pid`;
  await sql.begin(async (transaction) => {
    await transaction`select from api_keys where id = ${id} for update`;
    const outcome = rollKey(lost, id, { graceSeconds: 60 }).then(
      () => "rolled",
      () => "failed",
    );
    await untilBlocked(sql);
    await sql`select pg_terminate_backend(${pid})`;
    expect(await outcome).toBe("failed");
  });
  // A failure that nobody awaits would surface until the connection is reopened, which begins
  // with the old error.
  await lost`select 1`.catch(() => {});
  await lost.end();
  expect(await rollKey(sql, id, { graceSeconds: 60 })).toMatchObject({ rolled: {} });
});

test("the list has every key, oldest first, and nothing secret", async () => {
  const before = await listKeys(sql);
  const { id, key } = await createKey(sql, ann);
  const after = await listKeys(sql);
  expect(after.map((record) => record.id)).toEqual([...before.map((record) => record.id), id]);
  expect(JSON.stringify(after)).not.toContain(key.slice(12));
  expect(Object.keys(after[0] ?? {})).not.toContain("keyHash");
});

test("the database refuses times that servers and commands cannot read", async () => {
  const { id } = await createKey(sql, ann);
  for (const column of ["expires_at", "created_at", "revoked_at"]) {
    for (const time of ["infinity", "-infinity", "0044-03-15 BC", "10000-01-01Z"]) {
      const update = sql`update api_keys set ${sql(column)} = ${time}::text::timestamptz where id = ${id}`;
      await expect(update).rejects.toThrow(`${column}_is_from_1970_to_9999`);
    }
  }
  for (const column of ["key_expires_at", "created_at"]) {
    const insert = sql`
      insert into applications (name, email, purpose, ${sql(column)}) values ('Al', 'al@map.example', '', 'infinity')`;
    await expect(insert).rejects.toThrow(`${column}_is_from_1970_to_9999`);
  }
});

test("of a key that has been rolled very often, the latest hundred are listed, newest first", async () => {
  const { id } = await createKey(sql, ann);
  await sql`
    insert into api_keys (id, meter_id, key_hash, hint, name, email, tier, created_at)
    select uuidv7(), id, sha256(int4send(later)), hint, name, email, tier,
      created_at + later * interval '1 second'
    from api_keys, generate_series(1, 100) as later
    where id = ${id}`;
  const times = (await listKeysOf(sql, id)).map(({ createdAt }) => createdAt.getTime());
  const first = (await findKey(sql, id))?.createdAt.getTime() ?? 0;
  const latest = Array.from({ length: 100 }, (_, before) => first + (100 - before) * 1_000);
  expect(times).toEqual(latest);
});

test("a waiting application is decided once, and its key is created once", async () => {
  const token = await apply(sql, { name: "Zoë", email: "zoe@map.example", purpose: "A map" });
  const { id } = (await findApplication(sql, token)) ?? { id: "" };
  expect(await listWaiting(sql)).toMatchObject([{ id, name: "Zoë", purpose: "A map" }]);
  expect(await revealKey(sql, token)).toBeNull();

  const limits = { tier: "enterprise", quota: 2_000_000, perMinute: 700, burst: 900 };
  const rights = { ...limits, expiresAt: new Date("2090-01-31") };
  const decisions = await Promise.all(
    Array.from({ length: 4 }, () => approveApplication(sql, id, rights)),
  );
  expect(decisions.sort()).toEqual(["approved", "approved", "approved", "changed"]);
  expect(await declineApplication(sql, id, "Too late")).toBe("approved");
  expect(await listWaiting(sql)).toEqual([]);

  const reveals = await Promise.all(Array.from({ length: 4 }, () => revealKey(sql, token)));
  const [issued, ...others] = reveals.filter((reveal) => reveal !== null);
  expect(others).toEqual([]);
  const record = await findKey(sql, issued?.id ?? "");
  expect(record).toMatchObject({ name: "Zoë", email: "zoe@map.example", ...rights });
  expect((await findApplication(sql, token))?.keys).toMatchObject([{ id: issued?.id ?? "" }]);
});

test("an application keeps the hash of its token, and no other text finds it", async () => {
  const token = await apply(sql, { name: "Al", email: "al@map.example", purpose: "A map" });
  const rows = await sql`select row_to_json(a)::text as row from applications as a`;
  expect(JSON.stringify(rows)).not.toContain(token);
  for (const guess of ["", token.slice(1), `${token}A`, token.toLowerCase(), "A".repeat(22)]) {
    expect(await findApplication(sql, guess)).toBeNull();
    expect(await revealKey(sql, guess)).toBeNull();
  }
  const { id } = (await findApplication(sql, token)) ?? { id: "" };
  expect(await declineApplication(sql, id, "No maps, please")).toBe("changed");
  expect(await findApplication(sql, token)).toMatchObject({
    status: "declined",
    declinedWhy: "No maps, please",
  });
  expect(await revealKey(sql, token)).toBeNull();
});

test("an application has the time of its decision, by which operators delete old ones", async () => {
  const decided = await Promise.all(
    [undefined, undefined, { tier: "developer" }].map(async (rights) => {
      const token = await apply(sql, { name: "Di", email: "di@map.example", purpose: "" }, rights);
      return (await findApplication(sql, token))?.id ?? "";
    }),
  );
  const timed = async () => {
    const rows = await sql<{ id: string }[]>`
      select id from applications where decided_at > now() - interval '1 minute'`;
    return decided.map((id) => rows.some((row) => row.id === id));
  };
  expect(await timed()).toEqual([false, false, true]);
  await declineApplication(sql, decided[0] ?? "", "No maps, please");
  await approveApplication(sql, decided[1] ?? "", { tier: "developer" });
  expect(await timed()).toEqual([true, true, true]);
});

test("an application stays waiting when its key cannot be created", async () => {
  const [{ id }] = await sql<[{ id: string }]>`
    insert into applications (name, email, purpose) values ('Bo', 'bo@map.example', '')
    returning id`;
  await expect(approveApplication(sql, id, { tier: "enterprise" })).rejects.toThrow("agreed");
  expect(await listWaiting(sql)).toMatchObject([{ id }]);
  expect(await approveApplication(sql, NOBODY, ann)).toBe("unknown");
  expect(await approveApplication(sql, "nonsense", ann)).toBe("unknown");
});
