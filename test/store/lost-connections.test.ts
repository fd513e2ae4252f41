import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { listenTo, openPostgres } from "../../src/store/postgres.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, delayedBy } from "../support.ts";

// Lost connections, which the driver's patch is for (see src/store/patches/).

const CONNECTIONS = 4;

const database = await createDatabase();
await database.sql`create table notes (note text)`;
const proxy = await openProxy(new URL(database.url));
afterAll(async () => {
  await proxy.close();
  await database.drop();
});

test("statements during lost connections are answered or refused, and each connection is reopened", async () => {
  const sql = openPostgres(proxy.url, { max: CONNECTIONS });
  let answers = 0;
  let isOver = false;
  const callers = Array.from({ length: 25 * CONNECTIONS }, async () => {
    while (!isOver) {
      await Bun.sleep(Math.random() * 4);
      try {
        await sql`select 1`;
        answers += 1;
      } catch {
        // Retried, as callers do.
      }
    }
  });
  for (let round = 0; round < 16; round++) {
    await proxy.cut();
    await proxy.mend();
    const before = answers;
    await until(() => answers > before + 100, 20_000);
  }
  isOver = true;
  await Promise.all(callers);

  // Each needs a connection of its own, as all of them have to wait at the same time.
  await delayedBy(
    database.sql,
    (holder) => holder`lock table notes`,
    () => Promise.all(Array.from({ length: CONNECTIONS }, () => sql`select from notes`)),
    { connections: CONNECTIONS },
  );
  await sql.end();
});

for (const [how, breakOff] of [
  ["by its server", (pid: number) => database.sql`select pg_terminate_backend(${pid})`],
  ["on the way", () => proxy.cut().then(() => proxy.mend())],
] as const) {
  test(`a transaction cut off ${how} writes nothing more, and the next statement is not part of it`, async () => {
    const sql = openPostgres(proxy.url, { max: 1 });
    let isOver = false;
    const transaction = sql.begin(async (inside) => {
      const [row] = await inside`select pg_backend_pid() as pid`;
      await inside`insert into notes values ('before')`;
      const sleep = inside`select pg_sleep(20)`.catch((error) => error.code);
      await breakOff(row?.pid);
      expect(await sleep).toBe("CONNECTION_CLOSED");
      await until(() => succeeds(sql`select 1`), 5_000);
      const late = inside`insert into notes values ('after')`.catch((error) => error.code);
      expect(await late).toBe("CONNECTION_CLOSED");
      isOver = true;
    });
    expect(await transaction.catch((error) => error.code)).toBe("CONNECTION_CLOSED");
    await until(() => isOver, 10_000);
    expect([...(await sql`select note from notes`)]).toEqual([]);
    await sql.end();
  });
}

test("a host that closes every connection is tried once per statement", async () => {
  let connections = 0;
  const closing = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => {
    closing.listen(0, "127.0.0.1", resolve);
  });
  const { port } = closing.address() as { port: number };
  const sql = openPostgres(`postgres://nobody@127.0.0.1:${port}/none`, { max: 1 });
  for (const count of [1, 2]) {
    expect(await sql`select 1`.catch((error) => error.code)).toBe("CONNECTION_CLOSED");
    expect(connections).toBe(count);
  }
  await sql.end();
  closing.close();
});

test("each channel is listened to once after an outage, however many attempts it took", async () => {
  const sql = openPostgres(proxy.url, { max: 1 });
  const listened: string[] = [];
  const channels = ["one", "two", "three"];
  for (const channel of channels) {
    await sql.listen(
      channel,
      () => {},
      () => listened.push(channel),
    );
  }
  expect(listened.splice(0)).toEqual(channels);
  await proxy.cut();
  // Each is an attempt to connect, and meanwhile the listeners make theirs.
  for (let attempt = 0; attempt < 8; attempt++) await sql`select 1`.catch(() => {});
  await proxy.mend();
  await sql.listen("after what waits", () => {});
  await until(() => channels.every((channel) => listened.includes(channel)), 5_000);
  expect(listened.toSorted()).toEqual(channels.toSorted());
  await sql.end({ timeout: 1 });
});

test("unlistening while the connection is lost takes effect", async () => {
  const sql = openPostgres(proxy.url, { max: 1 });
  const heard: string[] = [];
  const stop = await listenTo(sql, "left", () => heard.push("left"));
  proxy.hold();
  const stopped = stop();
  await proxy.cut();
  await stopped;
  await proxy.mend();
  await until(() => succeeds(listenTo(sql, "kept", () => heard.push("kept"))), 5_000);
  for (const channel of ["left", "kept"]) await database.sql.notify(channel, "");
  await until(() => heard.includes("kept"), 5_000);
  expect(heard).not.toContain("left");
  await sql.end({ timeout: 1 });
});

test("a cursor does not end as if complete when its connection is lost", async () => {
  const sql = openPostgres(proxy.url, { max: 1 });
  const numbers = sql`select generate_series(1, 5000)`.cursor(1_000);
  let count = 0;
  const reading = (async () => {
    for await (const rows of numbers) {
      count += rows.length;
      if (count < 2_000) continue;
      await proxy.cut();
      // Then the loss has been met.
      await sql`select 1`.catch(() => {});
    }
  })();
  expect(await reading.catch((error) => error.code)).toBe("CONNECTION_CLOSED");
  expect(count).toBe(2_000);
  await proxy.mend();
  expect((await sql`select 1`).length).toBe(1);
  await sql.end();
});
