import { expect, test } from "bun:test";
import { fillDirectory } from "../../../scripts/stack/sample.ts";
import { addBusiness } from "../../fixtures.ts";
import { createDatabase } from "../../support.ts";

test("a directory that has a business, even one that waits for approval, is not filled with the sample", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const { slug } = await addBusiness(sql, { status: "pending" });
  await fillDirectory(sql);
  expect(Array.from(await sql`select slug from businesses`)).toEqual([{ slug }]);
});
