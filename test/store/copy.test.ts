import { afterAll, beforeEach, expect, test } from "bun:test";
import { copyIn } from "../../src/store/copy.ts";
import { createDatabase } from "../support.ts";

const database = await createDatabase();
await database.sql`create table copied (id integer primary key, text text, flag boolean, data jsonb)`;
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`delete from copied`;
});

const copy = (rows: unknown[][]) => copyIn(database.sql`copy copied from stdin`, rows);

test("every value arrives unchanged", async () => {
  const rows = [
    { id: 1, text: "", flag: true, data: [] },
    { id: 2, text: null, flag: null, data: { "a\tb": 'back\\slash "quoted"\n' } },
    { id: 3, text: "tab\t line\r\nback\\slash \\N \\.", flag: false, data: null },
    { id: 4, text: "寿司 🍣", flag: false, data: [1.5] },
  ];
  await copy(rows.map((row) => Object.values(row)));
  expect([...(await database.sql`select * from copied order by id`)]).toEqual(rows);
});

// Beside others, a sign may be escaped only thanks to them.
test.each(["\\", "\n", "\r", "\t"])(
  "a text whose only special sign is %j arrives unchanged",
  async (sign) => {
    const text = `The old${sign}mill`;
    await copy([[1, text, true, null]]);
    expect([...(await database.sql`select text from copied`)]).toEqual([{ text }]);
  },
);

test("more than the socket's buffer arrives whole", async () => {
  await copy(Array.from({ length: 20_000 }, (_, id) => [id, "x".repeat(1_000), true, null]));
  const [row] = await database.sql`select count(*)::integer as count from copied`;
  expect(row).toEqual({ count: 20_000 });
});

test("other work continues while PostgreSQL takes rows as fast as they are made", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const turnsAtRow: number[] = [];
  function* rows() {
    for (let id = 0; id < 10_000; id++) {
      const made = performance.now() + 0.02;
      while (performance.now() < made);
      turnsAtRow.push(turns);
      yield [id, "", true, null];
    }
  }
  await copyIn(database.sql`copy copied from stdin`, rows());
  clearInterval(timer);
  expect(new Set(turnsAtRow).size).toBeGreaterThan(20);
});

test.each([
  ["a key that is taken", [7, "", true, null], "copied_pkey"],
  ["a value of another type", ["seven", "", true, null], "invalid input syntax"],
  ["a line that is too short", [8], "missing data"],
])("%s is told, and nothing is kept", async (_, row, message) => {
  await expect(copy([[7, "", true, null], row])).rejects.toThrow(message);
  expect((await database.sql`select from copied`).length).toBe(0);
});

test("an error of a trigger at the end of the data is reported, and the connection stays usable", async () => {
  await database.sql.begin(async (transaction) => {
    await transaction`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$`;
    await transaction`create trigger refuse after insert on copied execute function refuse()`;
    const copying = transaction.savepoint(async (point) => {
      await copyIn(point`copy copied from stdin`, [[1, "", true, null]]);
    });
    await expect(copying).rejects.toThrow("never");
    expect((await transaction`select from copied`).length).toBe(0);
    await transaction`drop function refuse cascade`;
    await copyIn(transaction`copy copied from stdin`, [[2, "", true, null]]);
  });
  expect((await database.sql`select from copied`).length).toBe(1);
});

test("an invalid statement is reported", async () => {
  await expect(copyIn(database.sql`copy nowhere from stdin`, [])).rejects.toThrow("does not exist");
});

test("an error before the first row is reported, and affects nothing else", async () => {
  await database.sql.begin(async (transaction) => {
    await transaction`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$`;
    await transaction`create trigger refuse before insert on copied execute function refuse()`;
    const copying = transaction.savepoint(async (point) => {
      const copied = copyIn(point`copy copied from stdin`, [[1, "", true, null]]);
      // The driver sends it at the end of this turn; PostgreSQL's "ready for data" and its error then arrive
      // together.
      setImmediate(() => setImmediate(() => Bun.sleepSync(100)));
      await copied;
    });
    await expect(copying).rejects.toThrow("never");
    await transaction`drop function refuse cascade`;
  });
});
