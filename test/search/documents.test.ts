import { expect, spyOn, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { readAllDocuments } from "../../src/search/documents.ts";
import { DOCUMENTS_AT_ONCE } from "../../src/search/rebuild.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { createDatabase } from "../support.ts";

test("long names of cities do not make a request too large", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  await addBusiness(sql);
  await sql`update cities set name = btrim(repeat('ab cd ef ', 22))`;
  const [documents] = await Array.fromAsync(readAllDocuments(sql, 1));
  expect(JSON.stringify(documents).length * DOCUMENTS_AT_ONCE).toBeLessThan(100_000_000);
});

test("a server keeps answering while it makes thousands of documents", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const { id } = await addBusiness(sql);
  await copyBusiness(sql, id, "copy", 1_999);
  const normalise = String.prototype.normalize;
  let total = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  const texts = spyOn(String.prototype, "normalize").mockImplementation(function (
    this: string,
    form?: string,
  ) {
    total += 1;
    inTurn += 1;
    mostInTurn = Math.max(mostInTurn, inTurn);
    return normalise.call(this, form);
  });
  let isDone = false;
  const countingTurns = (async () => {
    while (!isDone) {
      await setImmediate();
      inTurn = 0;
    }
  })();
  try {
    const [documents] = await Array.fromAsync(readAllDocuments(sql, 5_000));
    expect(documents).toHaveLength(2_000);
    expect(total).toBeGreaterThan(2_000);
    expect(mostInTurn).toBeLessThan(total / 5);
  } finally {
    texts.mockRestore();
    isDone = true;
    await countingTurns;
  }
});
