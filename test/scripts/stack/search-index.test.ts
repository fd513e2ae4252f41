import { expect, test } from "bun:test";
import { prepareSearchIndex } from "../../../scripts/stack/search-index.ts";
import { createSearch, SearchUnavailable } from "../../../src/search/query.ts";
import { addBusiness } from "../../fixtures.ts";
import { createDatabase, uniqueIndex } from "../../support.ts";

test("an index that takes long is left to the server, and is complete in the end", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const { meili, index } = uniqueIndex();
  const store = { sql, meili, index };
  const total = async () => (await createSearch(store)({ text: "zephyr", limit: 1 })).total;
  try {
    await addBusiness(sql, { name: "Zephyr" });
    await prepareSearchIndex(store, { longestMs: 1 });
    await expect(total()).rejects.toThrow(SearchUnavailable);
    await prepareSearchIndex(store);
    expect(await total()).toBe(1);

    await addBusiness(sql, { name: "Zephyr" });
    await prepareSearchIndex(store, { longestMs: 1 });
    expect(await total()).toBe(1);
    await prepareSearchIndex(store);
    expect(await total()).toBe(2);
  } finally {
    await meili.deleteIndexIfExists(index);
    await meili.deleteIndexIfExists(`${index}_next`);
  }
});

test("the reason why the index cannot be brought up to date is shown", async () => {
  const { sql, drop } = await createDatabase();
  const { meili, index } = uniqueIndex();
  await drop();
  await expect(prepareSearchIndex({ sql, meili, index })).rejects.toThrow("does not exist");
});
