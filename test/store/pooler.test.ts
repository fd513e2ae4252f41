import { afterAll, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { createDatabase, startTestServer } from "../support.ts";

// A pooler in transaction mode accepts LISTEN, and delivers no notifications. Other faults show at the start, too.

const database = await createDatabase();
const target = new URL(database.url);
const pooler = createServer((near) => {
  const far = connect(Number(target.port), target.hostname);
  near.pipe(far).on("error", () => {});
  passWithoutAnnouncements(far, near);
  near.on("error", () => {}).on("close", () => far.destroy());
});
await new Promise<void>((resolve) => {
  pooler.listen(0, "127.0.0.1", resolve);
});
afterAll(async () => {
  pooler.close();
  await database.drop();
});

/** A message of PostgreSQL is a type byte, then four bytes of length, which count themselves. */
function passWithoutAnnouncements(far: Socket, near: Socket): void {
  let rest = Buffer.alloc(0);
  far.on("error", () => {}).on("close", () => near.destroy());
  far.on("data", (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
      rest = rest.subarray(message.length);
      if (message[0] !== "A".charCodeAt(0)) near.write(new Uint8Array(message));
    }
  });
}

test("a server that receives no notifications does not start, and says why", async () => {
  const url = new URL(database.url);
  url.port = String((pooler.address() as { port: number }).port);
  await expect(startTestServer({ databaseUrl: url.href })).rejects.toThrow(
    "Cannot use PostgreSQL (DATABASE_URL): notifications (LISTEN) do not arrive.",
  );
}, 20_000);

test("a server that may not use what it needs says at its start which store refuses it", async () => {
  const url = new URL(database.url);
  url.username = `reader${url.pathname.slice(1)}`;
  url.password = "secret";
  const role = database.sql(url.username);
  await database.sql`create role ${role} login password 'secret'`;
  await database.sql`grant select on migrations to ${role}`;
  await expect(startTestServer({ databaseUrl: url.href })).rejects.toThrow(
    "Cannot use PostgreSQL (DATABASE_URL): permission denied for table keys_version",
  );
  await database.sql`drop owned by ${role}`;
  await database.sql`drop role ${role}`;
}, 20_000);
