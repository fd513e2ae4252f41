import { afterAll, expect, setSystemTime, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../scripts/stack/waiting.ts";
import { apply, revealKey } from "../../src/access/applications.ts";
import { generateKey } from "../../src/access/key-format.ts";
import { createKeyring } from "../../src/access/keyring.ts";
import { createKey, type KeyRequest, revokeKey } from "../../src/access/keys.ts";
import { rollKey } from "../../src/access/roll-key.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { listenTo, openPostgres } from "../../src/store/postgres.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, untilBlocked } from "../support.ts";

const database = await createDatabase();
const { sql } = database;
afterAll(() => database.drop());

const OWNER = { name: "Ann", email: "ann@shop.example", tier: "developer" };

const issue = (request: Partial<KeyRequest> = {}) => createKey(sql, { ...OWNER, ...request });

/**
 * Opens a keyring that counts its queries: its look-ups, and its polls for changes. To be disposed of with
 * `await using`.
 */
async function openKeyring(
  options: Parameters<typeof createKeyring>[1] = {},
  { url = database.url, onPoll = () => {}, onLookup = () => {} } = {},
) {
  let lookups = 0;
  let polls = 0;
  const own = openPostgres(url);
  own.options.debug = (_connection, query) => {
    if (query.includes("key_hash =")) {
      lookups++;
      onLookup();
    }
    if (!query.includes("from keys_version")) return;
    polls++;
    onPoll();
  };
  const { resolve, isFailing, stop } = await createKeyring(own, options);
  return {
    resolve,
    isFailing,
    lookups: () => lookups,
    /** Waits for the answer to a poll that has yet to be sent: it has come when the next one is sent. */
    async polled() {
      const before = polls;
      await until(() => polls >= before + 2, 10_000);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      // After a lost connection, the driver would wait forever.
      await own.end({ timeout: 1 });
    },
  };
}

/** Hears the announcements of changes to keys. To be disposed of with `await using`. */
async function hearing() {
  let heard: string[] = [];
  const stop = await listenTo(sql, "keys_changed", (payload) => heard.push(payload));
  return {
    /** How many there were since it was last called. They arrive in the order of their commits. */
    async announcements() {
      await sql.notify("keys_changed", "last");
      await until(() => heard.includes("last"), 5_000);
      const before = heard.indexOf("last");
      heard = heard.slice(before + 1);
      return before;
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A clock that stands still: nothing expires. */
const still = { elapsed: () => 0 };

/**
 * From now on nobody can poll for changes, until this is disposed of.
 * @param isAnnounced whether they are told, nevertheless
 */
async function stopPolls({ isAnnounced }: { isAnnounced: boolean }): Promise<AsyncDisposable> {
  await sql`alter table keys_version rename to keys_version_gone`;
  const resume = await disableTriggers(isAnnounced ? "count_change" : "user");
  return {
    async [Symbol.asyncDispose]() {
      await resume[Symbol.asyncDispose]();
      await sql`alter table keys_version_gone rename to keys_version`;
    },
  };
}

/** Disables triggers of the keys and of their tiers, until this is disposed of. */
async function disableTriggers(triggers: string): Promise<AsyncDisposable> {
  const alter = async (action: "disable" | "enable") => {
    for (const table of ["api_keys", "tiers"]) {
      await sql.unsafe(`alter table ${table} ${action} trigger ${triggers}`);
    }
  };
  await alter("disable");
  return { [Symbol.asyncDispose]: () => alter("enable") };
}

test("a good key resolves to its limits: the tier's, or its own", async () => {
  const developer = await issue();
  const own = await issue({ tier: "enterprise", quota: 5_000_000, perMinute: 9, burst: 3 });
  await using keyring = await openKeyring();
  expect(await keyring.resolve(developer.key)).toMatchObject({
    ok: true,
    key: { id: developer.id, tier: "developer", quota: 1_000, perMinute: 60, burst: 60 },
  });
  expect(await keyring.resolve(own.key)).toMatchObject({
    ok: true,
    key: { id: own.id, tier: "enterprise", quota: 5_000_000, perMinute: 9, burst: 3 },
  });
});

test("a malformed key is invalid without a query", async () => {
  await using keyring = await openKeyring();
  expect(await keyring.resolve(`hs_live_${"a".repeat(38)}`)).toEqual({
    ok: false,
    denied: "invalid",
  });
  expect(keyring.lookups()).toBe(0);
});

test("concurrent look-ups of one key are one query, and so are repeated ones of an unknown key", async () => {
  const { key } = await issue();
  const unknown = generateKey();
  await using keyring = await openKeyring(still);
  const found = await Promise.all(Array.from({ length: 100 }, () => keyring.resolve(key)));
  expect(found.every(({ ok }) => ok)).toBe(true);
  expect(keyring.lookups()).toBe(1);
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await keyring.resolve(unknown)).toEqual({ ok: false, denied: "invalid" });
  }
  expect(keyring.lookups()).toBe(2);
});

test("a key that exists stays cached, however many made-up ones are tried", async () => {
  const { key } = await issue();
  await using keyring = await openKeyring({ ...still, mostKeys: 3 });
  await keyring.resolve(key);
  for (let guess = 0; guess < 10; guess++) await keyring.resolve(generateKey());
  const before = keyring.lookups();
  expect(await keyring.resolve(key)).toMatchObject({ ok: true });
  expect(keyring.lookups()).toBe(before);
});

test("concurrent look-ups of different keys are one query, and each gets its own answer", async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => issue()));
  await using keyring = await openKeyring(still);
  const unknown = keyring.resolve(generateKey());
  const found = await Promise.all(keys.map(({ key }) => keyring.resolve(key)));
  expect(found.map((resolved) => resolved.ok && resolved.key.id)).toEqual(keys.map(({ id }) => id));
  expect(await unknown).toEqual({ ok: false, denied: "invalid" });
  expect(keyring.lookups()).toBe(1);
});

test("a revocation holds within a second even if no announcement came", async () => {
  const { key, id } = await issue();
  await using _ = await disableTriggers("announce");
  await using keyring = await openKeyring();
  expect((await keyring.resolve(key)).ok).toBe(true);
  await revokeKey(sql, id);
  const revokedAt = performance.now();
  await until(async () => !(await keyring.resolve(key)).ok, 1_000);
  expect(performance.now() - revokedAt).toBeLessThan(1_000);
});

test("a change of a tier holds within a second even if no announcement came", async () => {
  const { key } = await issue({ tier: "starter" });
  await using _ = await disableTriggers("announce");
  await using keyring = await openKeyring();
  expect(await keyring.resolve(key)).toMatchObject({ ok: true, key: { perMinute: 120 } });
  await sql`update tiers set per_minute = 121 where slug = 'starter'`;
  await until(async () => {
    const resolved = await keyring.resolve(key);
    return resolved.ok && resolved.key.perMinute === 121;
  }, 1_000);
});

test("cached look-ups expire while the poll for changes fails", async () => {
  let time = 0;
  const { key, id } = await issue();
  await using keyring = await openKeyring({ elapsed: () => time });
  await keyring.polled();
  await using _ = await stopPolls({ isAnnounced: false });
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
  expect(keyring.lookups()).toBe(2);
  // A second is no failure yet.
  expect(keyring.isFailing()).toBe(false);
  time += 5_000;
  expect(keyring.isFailing()).toBe(true);
});

test("an answer that nothing has changed is as old as its query", async () => {
  let time = 0;
  // Each answer takes too long.
  const onPoll = () => {
    time += 999;
  };
  const keys = await Promise.all(Array.from({ length: 20 }, async () => (await issue()).key));
  await using keyring = await openKeyring({ elapsed: () => time }, { onPoll });
  for (const key of keys) expect((await keyring.resolve(key)).ok).toBe(true);
  await keyring.polled();
  // For longer than from one poll to the next, so that some come right after an answer.
  for (const key of keys) {
    const before = keyring.lookups();
    expect((await keyring.resolve(key)).ok).toBe(true);
    expect(keyring.lookups()).toBe(before + 1);
    await Bun.sleep(20);
  }
});

test("a key that took long to be looked up is as old as its query", async () => {
  let time = 0;
  const { key } = await issue();
  const onLookup = () => {
    time += 999;
  };
  await using keyring = await openKeyring({ elapsed: () => time }, { onLookup });
  await using _ = await stopPolls({ isAnnounced: true });
  for (const lookups of [1, 2]) {
    expect((await keyring.resolve(key)).ok).toBe(true);
    expect(keyring.lookups()).toBe(lookups);
  }
});

test("a wall clock that is set back keeps no revoked key alive", async () => {
  const { key, id } = await issue();
  await using keyring = await openKeyring();
  await using _ = await stopPolls({ isAnnounced: false });
  expect((await keyring.resolve(key)).ok).toBe(true);
  await revokeKey(sql, id);
  setSystemTime(Date.now() - 3_600_000);
  try {
    await until(async () => !(await keyring.resolve(key)).ok, 5_000);
  } finally {
    setSystemTime();
  }
});

test("what is looked up during a change is not cached", async () => {
  const [{ key }, known] = [await issue(), await issue()];
  await using keyring = await openKeyring(still);
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
  const before = keyring.lookups();
  expect(await keyring.resolve(key)).toMatchObject({ ok: true });
  expect(keyring.lookups()).toBe(before + 1);
});

test("what changes no key is not announced, so that nobody can have all keys looked up again", async () => {
  const { id } = await issue();
  await revokeKey(sql, id);
  const { name, email } = OWNER;
  const token = await apply(sql, { name, email, purpose: "to try" });
  await using heard = await hearing();

  expect(await revokeKey(sql, id)).toBe("unchanged");
  expect(await rollKey(sql, id, { graceSeconds: 0 })).toEqual({ refused: "revoked" });
  expect(await revealKey(sql, token)).toBeNull();
  expect(await heard.announcements()).toBe(0);
});

test("each transaction that changes keys or tiers is announced once", async () => {
  await using heard = await hearing();
  const { id } = await issue();
  expect(await heard.announcements()).toBe(1);
  for (const change of [
    sql`update tiers set name = name`,
    sql`update api_keys set name = name`,
    sql`delete from api_keys where id = ${id}`,
    sql`truncate api_keys cascade`,
    sql`insert into tiers values ('trial', 'Trial', 10, 1)`,
    sql`delete from tiers where slug = 'trial'`,
  ]) {
    await change;
    expect(await heard.announcements()).toBe(1);
  }
});

test("a key that did not exist is accepted once it does", async () => {
  await using keyring = await openKeyring(still);
  const { key } = await sql.begin(async (transaction) => {
    const made = await createKey(transaction, OWNER);
    expect(await keyring.resolve(made.key)).toEqual({ ok: false, denied: "invalid" });
    return made;
  });
  await until(async () => (await keyring.resolve(key)).ok, 5_000);
});

test("a key in use is looked up once, however long it is used", async () => {
  let time = 0;
  const { key } = await issue();
  await using keyring = await openKeyring({ elapsed: () => time });
  // One change is no reason to look it up again and again.
  await issue();
  await keyring.polled();
  for (let turn = 0; turn < 3; turn++) {
    expect((await keyring.resolve(key)).ok).toBe(true);
    // It would be too old the second time, had the poll not said that nothing has changed.
    time += 800;
    await keyring.polled();
  }
  expect(keyring.lookups()).toBe(1);
});

test("a revocation holds in two keyrings at once by its announcement alone", async () => {
  const { key, id } = await issue();
  await using one = await openKeyring(still);
  await using other = await openKeyring(still);
  await using _ = await stopPolls({ isAnnounced: true });
  const all = () => Promise.all([one.resolve(key), other.resolve(key)]);
  expect(await all()).toMatchObject([{ ok: true }, { ok: true }]);
  await revokeKey(sql, id);
  await until(async () => (await all()).every(({ ok }) => !ok), 5_000);
  expect(await all()).toEqual([
    { ok: false, denied: "revoked" },
    { ok: false, denied: "revoked" },
  ]);
});

test("announcements missed while the connection was lost are made up for", async () => {
  const { key, id } = await issue();
  await using keyring = await openKeyring(still);
  await using _ = await stopPolls({ isAnnounced: false });
  expect((await keyring.resolve(key)).ok).toBe(true);
  await sql.begin(async (transaction) => {
    await transaction`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`;
    await transaction`update api_keys set revoked_at = now() where id = ${id}`;
  });
  await until(async () => !(await keyring.resolve(key)).ok, 10_000);
});

test("look-ups made during an outage of PostgreSQL do not keep it busy when it is back", async () => {
  const { key } = await issue();
  await using proxy = await openProxy(new URL(database.url));
  await using keyring = await openKeyring({}, { url: proxy.url });
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
  const before = keyring.lookups();
  await proxy.mend();
  await until(async () => {
    const resolved = await Promise.resolve(keyring.resolve(key)).catch(() => null);
    return resolved?.ok === true;
  }, 10_000);
  // As many as may be under way, and one with all the others.
  expect(keyring.lookups() - before).toBeLessThan(20);
});

test("a change of a tier holds for its keys by its announcement alone", async () => {
  const { key } = await issue({ tier: "growth" });
  await using keyring = await openKeyring(still);
  await using _ = await stopPolls({ isAnnounced: true });
  const perMinute = async () => {
    const resolved = await keyring.resolve(key);
    return resolved.ok ? resolved.key.perMinute : null;
  };
  expect(await perMinute()).toBe(600);
  await sql`update tiers set per_minute = 601 where slug = 'growth'`;
  await until(async () => (await perMinute()) === 601, 5_000);
});

test("a key expires to the millisecond, checked when it is presented", async () => {
  const expiresAt = new Date("2030-01-01T00:00:00Z");
  const { key } = await issue({ expiresAt });
  let now = expiresAt.getTime() - 1;
  await using keyring = await openKeyring({ now: () => now });
  expect((await keyring.resolve(key)).ok).toBe(true);
  now += 1;
  expect(await keyring.resolve(key)).toEqual({ ok: false, denied: "expired" });
});

test("a key expires by PostgreSQL's clock, whatever the server's says", async () => {
  const hour = 3_600_000;
  const replaced = await issue();
  const lasting = await issue({ expiresAt: new Date(Date.now() + hour / 2) });
  await using keyring = await openKeyring();
  try {
    setSystemTime(Date.now() - hour);
    await rollKey(sql, replaced.id, { graceSeconds: 0 });
    await until(async () => !(await keyring.resolve(replaced.key)).ok, 5_000);
    setSystemTime(Date.now() + 2 * hour);
    expect((await keyring.resolve(lasting.key)).ok).toBe(true);
  } finally {
    setSystemTime();
  }
});

test("a key does not expire early after PostgreSQL has let the keyring wait", async () => {
  await using keyring = await openKeyring();
  const { key } = await issue({ expiresAt: new Date(Date.now() + 5_000) });
  await sql.begin(async (transaction) => {
    await transaction`lock table keys_version in access exclusive mode`;
    await Bun.sleep(3_000);
  });
  const end = performance.now() + 400;
  while (performance.now() < end) {
    expect((await keyring.resolve(key)).ok).toBe(true);
    await Bun.sleep(10);
  }
}, 10_000);

test("a failed look-up is an error for its callers, and is not cached", async () => {
  const { key } = await issue();
  await using keyring = await openKeyring(still);
  await sql`alter view keys_with_limits rename to keys_gone`;
  await expect(keyring.resolve(key)).rejects.toThrow("keys_with_limits");
  await sql`alter view keys_gone rename to keys_with_limits`;
  expect((await keyring.resolve(key)).ok).toBe(true);
});

test("a look-up that PostgreSQL does not answer times out soon", async () => {
  const { key } = await issue();
  await using proxy = await openProxy(new URL(database.url));
  await using keyring = await openKeyring({}, { url: proxy.url });
  proxy.hold();
  const askedAt = performance.now();
  await expect(keyring.resolve(key)).rejects.toThrow(DeadlineError);
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  await proxy.mend();
});

test("a look-up that still waits when its caller has given up is never made", async () => {
  const [begun, waiting] = [await issue(), await issue()];
  await using keyring = await openKeyring(still);
  await sql.begin(async (transaction) => {
    await transaction`lock table api_keys`;
    const first = keyring.resolve(begun.key);
    await untilBlocked(sql);
    const late: unknown = await Promise.allSettled([first, keyring.resolve(waiting.key)]);
    const failed = { status: "rejected", reason: expect.any(DeadlineError) };
    expect(late).toEqual([failed, failed]);
  });
  // Issued only now, so that the first look-up has ended.
  const later = await issue();
  expect((await keyring.resolve(later.key)).ok).toBe(true);
  expect(keyring.lookups()).toBe(2);
});
