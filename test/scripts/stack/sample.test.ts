import { expect, test } from "bun:test";
import * as v from "valibot";
import { fillDirectory } from "../../../scripts/stack/sample.ts";
import { slugInPath } from "../../../src/http/parameters.ts";
import { addBusiness } from "../../fixtures.ts";
import { createDatabase } from "../../support.ts";

test("a directory that has a business, even one that waits for approval, is not filled with the sample", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const { slug } = await addBusiness(sql, { status: "pending" });
  await fillDirectory(sql);
  expect(Array.from(await sql`select slug from businesses`)).toEqual([{ slug }]);
});

test("the sample has the business that the reference asks for", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  await fillDirectory(sql);
  const [example] = v.getMetadata(slugInPath).examples;
  const found = await sql`select status from businesses where slug = ${example}`;
  expect(Array.from(found)).toEqual([{ status: "approved" }]);
});
