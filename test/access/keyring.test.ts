import { afterAll, beforeAll, expect, setSystemTime, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../scripts/stack/waiting.ts";
import { generateKey } from "../../src/access/key-format.ts";
import { createKeyring, type Keyring } from "../../src/access/keyring.ts";
import { createKey, type KeyRequest, revokeKey } from "../../src/access/keys.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { openPostgres, type Sql } from "../../src/store/postgres.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, type TestDatabase, untilBlocked } from "../support.ts";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = database.sql;
});
afterAll(() => database.drop());

const OWNER = { name: "Ann", email: "ann@shop.example", tier: "developer" };

const issue = (request: Partial<KeyRequest> = {}) => createKey(sql, { ...OWNER, ...request });

async function withKeyring(
  use: (keyring: Keyring) => Promise<void>,
  options: { now?: () => number; elapsed?: () => number } = {},
): Promise<void> {
  const keyring = await createKeyring(sql, options);
  try {
    await use(keyring);
  } finally {
    await keyring.stop();
  }
}

/** Counts the queries of a keyring: its look-ups, and its polls for changes. */
function counting(url = database.url) {
  let lookups = 0;
  let polls = 0;
  const counted = openPostgres(url);
  counted.options.debug = (_connection, query) => {
    if (query.includes("key_hash =")) lookups++;
    if (query.includes("from keys_version")) polls++;
  };
  return {
    sql: counted,
    lookups: () => lookups,
    /** Waits for the answer to a poll that has yet to be sent: it has come when the next one is sent. */
    async polled() {
      const before = polls;
      await until(() => polls >= before + 2, 10_000);
    },
    // After a lost connection, the driver would wait forever.
    close: () => counted.end({ timeout: 1 }),
  };
}

/**
 * While nobody can poll for changes.
 * @param isAnnounced whether they are told, nevertheless
 */
async function withoutPolls(
  { isAnnounced }: { isAnnounced: boolean },
  use: () => Promise<void>,
): Promise<void> {
  const triggers = sql.unsafe(isAnnounced ? "count_change" : "user");
  const tables = [sql`api_keys`, sql`tiers`];
  await sql`alter table keys_version rename to keys_version_gone`;
  for (const table of tables) await sql`alter table ${table} disable trigger ${triggers}`;
  try {
    await use();
  } finally {
    for (const table of tables) await sql`alter table ${table} enable trigger ${triggers}`;
    await sql`alter table keys_version_gone rename to keys_version`;
  }
}

test("a good key resolves to its limits: the tier's, or its own", async () => {
  const developer = await issue();
  const own = await issue({ tier: "enterprise", quota: 5_000_000, perMinute: 9, burst: 3 });
  await withKeyring(async (keyring) => {
    expect(await keyring.resolve(developer.key)).toMatchObject({
      ok: true,
      key: { id: developer.id, tier: "developer", quota: 1_000, perMinute: 60, burst: 60 },
    });
    expect(await keyring.resolve(own.key)).toMatchObject({
      ok: true,
      key: { id: own.id, tier: "enterprise", quota: 5_000_000, perMinute: 9, burst: 3 },
    });
  });
});

test("a malformed key is invalid without a query", async () => {
  const counted = counting();
  const keyring = await createKeyring(counted.sql);
  expect(await keyring.resolve(`hs_live_${"a".repeat(38)}`)).toEqual({
    ok: false,
    denied: "invalid",
  });
  expect(counted.lookups()).toBe(0);
  await keyring.stop();
  await counted.close();
});

test("concurrent look-ups of one key are one query, and so are repeated ones of an unknown key", async () => {
  const { key } = await issue();
  const unknown = generateKey();
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => 0 });
  const found = await Promise.all(Array.from({ length: 100 }, () => keyring.resolve(key)));
  expect(found.every(({ ok }) => ok)).toBe(true);
  expect(counted.lookups()).toBe(1);
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await keyring.resolve(unknown)).toEqual({ ok: false, denied: "invalid" });
  }
  expect(counted.lookups()).toBe(2);
  await keyring.stop();
  await counted.close();
});

test("a key that exists stays cached, however many made-up ones are tried", async () => {
  const { key } = await issue();
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => 0, mostKeys: 3 });
  await keyring.resolve(key);
  for (let guess = 0; guess < 10; guess++) await keyring.resolve(generateKey());
  const before = counted.lookups();
  expect(await keyring.resolve(key)).toMatchObject({ ok: true });
  expect(counted.lookups()).toBe(before);
  await keyring.stop();
  await counted.close();
});

test("concurrent look-ups of different keys are one query, and each gets its own answer", async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => issue()));
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => 0 });
  const unknown = keyring.resolve(generateKey());
  const found = await Promise.all(keys.map(({ key }) => keyring.resolve(key)));
  expect(found.map((resolved) => resolved.ok && resolved.key.id)).toEqual(keys.map(({ id }) => id));
  expect(await unknown).toEqual({ ok: false, denied: "invalid" });
  expect(counted.lookups()).toBe(1);
  await keyring.stop();
  await counted.close();
});

test("a revocation holds within a second even if no announcement came", async () => {
  const { key, id } = await issue();
  await sql`alter table api_keys disable trigger announce`;
  try {
    await withKeyring(async (keyring) => {
      expect((await keyring.resolve(key)).ok).toBe(true);
      await revokeKey(sql, id);
      const revokedAt = performance.now();
      await until(async () => !(await keyring.resolve(key)).ok, 1_000);
      expect(performance.now() - revokedAt).toBeLessThan(1_000);
    });
  } finally {
    await sql`alter table api_keys enable trigger announce`;
  }
});

test("a change of a tier holds within a second even if no announcement came", async () => {
  const { key } = await issue({ tier: "starter" });
  await sql`alter table tiers disable trigger announce`;
  try {
    await withKeyring(async (keyring) => {
      expect(await keyring.resolve(key)).toMatchObject({ ok: true, key: { perMinute: 120 } });
      await sql`update tiers set per_minute = 121 where slug = 'starter'`;
      await until(async () => {
        const resolved = await keyring.resolve(key);
        return resolved.ok && resolved.key.perMinute === 121;
      }, 1_000);
    });
  } finally {
    await sql`alter table tiers enable trigger announce`;
  }
});

test("cached look-ups expire while the poll for changes fails", async () => {
  let time = 0;
  const { key, id } = await issue();
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => time });
  await counted.polled();
  await withoutPolls({ isAnnounced: false }, async () => {
    expect((await keyring.resolve(key)).ok).toBe(true);
    await revokeKey(sql, id);
    expect((await keyring.resolve(key)).ok).toBe(true);
    time += 999;
    const asked = [keyring.resolve(key)];
    await setImmediate();
    asked.push(keyring.resolve(key));
    const revoked = { ok: false, denied: "revoked" } as const;
    expect(await Promise.all(asked)).toEqual([revoked, revoked]);
    // The refreshed look-up is as good as the one before, and is returned at once.
    expect(keyring.resolve(key)).toEqual(revoked);
    expect(counted.lookups()).toBe(2);
    // A second is no failure yet.
    expect(keyring.isFailing()).toBe(false);
    time += 5_000;
    expect(keyring.isFailing()).toBe(true);
  });
  await keyring.stop();
  await counted.close();
});

test("an answer that nothing has changed is as old as its query", async () => {
  let time = 0;
  const { key } = await issue();
  const counted = counting();
  const { debug } = counted.sql.options;
  counted.sql.options.debug = (...asked) => {
    // Each answer takes too long.
    if (asked[1].includes("from keys_version")) time += 999;
    if (typeof debug === "function") debug(...asked);
  };
  const keyring = await createKeyring(counted.sql, { elapsed: () => time });
  expect((await keyring.resolve(key)).ok).toBe(true);
  await counted.polled();
  const before = counted.lookups();
  expect((await keyring.resolve(key)).ok).toBe(true);
  expect(counted.lookups()).toBe(before + 1);
  await keyring.stop();
  await counted.close();
});

test("a wall clock that is set back keeps no revoked key alive", async () => {
  const { key, id } = await issue();
  await withKeyring((keyring) =>
    withoutPolls({ isAnnounced: false }, async () => {
      expect((await keyring.resolve(key)).ok).toBe(true);
      await revokeKey(sql, id);
      setSystemTime(Date.now() - 3_600_000);
      try {
        await until(async () => !(await keyring.resolve(key)).ok, 5_000);
      } finally {
        setSystemTime();
      }
    }),
  );
});

test("what is looked up during a change is not cached", async () => {
  const [{ key }, known] = [await issue(), await issue()];
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => 0 });
  await keyring.resolve(known.key);
  const found = await sql.begin(async (transaction) => {
    await transaction`lock table api_keys in access exclusive mode`;
    const asked = [keyring.resolve(key)];
    await untilBlocked(sql);
    await sql.notify("keys_changed", "");
    // Once it has heard of that, it looks up all keys again.
    await until(() => {
      const again = keyring.resolve(known.key);
      if (again instanceof Promise) asked.push(again);
      return asked.length > 1;
    }, 5_000);
    return asked;
  });
  expect(await Promise.all(found)).toMatchObject([{ ok: true }, { ok: true }]);
  const before = counted.lookups();
  expect(await keyring.resolve(key)).toMatchObject({ ok: true });
  expect(counted.lookups()).toBe(before + 1);
  await keyring.stop();
  await counted.close();
});

test("a key that did not exist is accepted once it does", async () => {
  await withKeyring(
    async (keyring) => {
      const { key } = await sql.begin(async (transaction) => {
        const made = await createKey(transaction, OWNER);
        expect(await keyring.resolve(made.key)).toEqual({ ok: false, denied: "invalid" });
        return made;
      });
      await until(async () => (await keyring.resolve(key)).ok, 5_000);
    },
    { elapsed: () => 0 },
  );
});

test("a key in use is looked up once, however long it is used", async () => {
  let time = 0;
  const { key } = await issue();
  const counted = counting();
  const keyring = await createKeyring(counted.sql, { elapsed: () => time });
  // One change is no reason to look it up again and again.
  await issue();
  await counted.polled();
  for (let turn = 0; turn < 3; turn++) {
    expect((await keyring.resolve(key)).ok).toBe(true);
    // It would be too old the second time, had the poll not said that nothing has changed.
    time += 800;
    await counted.polled();
  }
  expect(counted.lookups()).toBe(1);
  await keyring.stop();
  await counted.close();
});

test("a revocation holds in two keyrings at once by its announcement alone", async () => {
  const { key, id } = await issue();
  // A clock that stands still: nothing expires.
  const still = { elapsed: () => 0 };
  await withKeyring(async (one) => {
    await withKeyring(async (other) => {
      const all = () => Promise.all([one.resolve(key), other.resolve(key)]);
      await withoutPolls({ isAnnounced: true }, async () => {
        expect(await all()).toMatchObject([{ ok: true }, { ok: true }]);
        await revokeKey(sql, id);
        await until(async () => (await all()).every(({ ok }) => !ok), 5_000);
        expect(await all()).toEqual([
          { ok: false, denied: "revoked" },
          { ok: false, denied: "revoked" },
        ]);
      });
    }, still);
  }, still);
});

test("announcements missed while the connection was lost are made up for", async () => {
  const { key, id } = await issue();
  await withKeyring(
    (keyring) =>
      withoutPolls({ isAnnounced: false }, async () => {
        expect((await keyring.resolve(key)).ok).toBe(true);
        await sql.begin(async (transaction) => {
          await transaction`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query ilike 'listen%'`;
          await transaction`update api_keys set revoked_at = now() where id = ${id}`;
        });
        await until(async () => !(await keyring.resolve(key)).ok, 10_000);
      }),
    { elapsed: () => 0 },
  );
});

test("look-ups made during an outage of PostgreSQL do not keep it busy when it is back", async () => {
  const { key } = await issue();
  const proxy = await openProxy(new URL(database.url));
  const counted = counting(proxy.url);
  const keyring = await createKeyring(counted.sql);
  expect((await keyring.resolve(key)).ok).toBe(true);
  await proxy.cut();
  const asked: Promise<string>[] = [];
  for (let turn = 0; turn < 500; turn++) {
    const answer = Promise.resolve(keyring.resolve(generateKey()));
    asked.push(
      answer.then(
        () => "answered",
        () => "not answered",
      ),
    );
    await setImmediate();
  }
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["not answered"]));
  const before = counted.lookups();
  await proxy.mend();
  await until(async () => {
    const resolved = await Promise.resolve(keyring.resolve(key)).catch(() => null);
    return resolved?.ok === true;
  }, 10_000);
  // As many as may be under way, and one with all the others.
  expect(counted.lookups() - before).toBeLessThan(20);
  await keyring.stop();
  await counted.close();
  await proxy.close();
});

test("a change of a tier holds for its keys by its announcement alone", async () => {
  const { key } = await issue({ tier: "growth" });
  await withKeyring(
    (keyring) =>
      withoutPolls({ isAnnounced: true }, async () => {
        const perMinute = async () => {
          const resolved = await keyring.resolve(key);
          return resolved.ok ? resolved.key.perMinute : null;
        };
        expect(await perMinute()).toBe(600);
        await sql`update tiers set per_minute = 601 where slug = 'growth'`;
        await until(async () => (await perMinute()) === 601, 5_000);
      }),
    { elapsed: () => 0 },
  );
});

test("a key expires to the millisecond, checked when it is presented", async () => {
  const expiresAt = new Date("2030-01-01T00:00:00Z");
  const { key } = await issue({ expiresAt });
  let now = expiresAt.getTime() - 1;
  await withKeyring(
    async (keyring) => {
      expect((await keyring.resolve(key)).ok).toBe(true);
      now += 1;
      expect(await keyring.resolve(key)).toEqual({ ok: false, denied: "expired" });
    },
    { now: () => now },
  );
});

test("revoked wins over expired", async () => {
  const { key, id } = await issue({ expiresAt: new Date(0) });
  await withKeyring(async (keyring) => {
    expect(await keyring.resolve(key)).toEqual({ ok: false, denied: "expired" });
    await revokeKey(sql, id);
    await until(async () => {
      const resolved = await keyring.resolve(key);
      return !resolved.ok && resolved.denied === "revoked";
    }, 1_000);
  });
});

test("a failed look-up is an error for its callers, and is not cached", async () => {
  const { key } = await issue();
  await withKeyring(
    async (keyring) => {
      await sql`alter view keys_with_limits rename to keys_gone`;
      await expect(keyring.resolve(key)).rejects.toThrow("keys_with_limits");
      await sql`alter view keys_gone rename to keys_with_limits`;
      expect((await keyring.resolve(key)).ok).toBe(true);
    },
    { elapsed: () => 0 },
  );
});

test("a look-up that PostgreSQL does not answer times out soon", async () => {
  const { key } = await issue();
  const proxy = await openProxy(new URL(database.url));
  const connected = openPostgres(proxy.url);
  const keyring = await createKeyring(connected);
  proxy.hold();
  const askedAt = performance.now();
  await expect(keyring.resolve(key)).rejects.toThrow(DeadlineError);
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  await proxy.mend();
  await keyring.stop();
  await connected.end({ timeout: 1 });
  await proxy.close();
});
