import { afterAll, expect, test } from "bun:test";
import { largestCategoriesOf } from "../../src/directory/categories.ts";
import {
  countCitiesByInitial,
  largestCities,
  largestCitiesNamed,
  listCities,
} from "../../src/directory/cities.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase } from "../support.ts";

const database = await createDatabase();
const { sql } = database;
await sql`insert into categories (slug, name) values ('crafts', 'Crafts')`;
await sql`
  insert into categories (slug, name, parent_id)
  select trade, initcap(trade), id
  from categories, unnest(array['wheelwrights', 'fletchers', 'coopers']) as trade
  where slug = 'crafts'`;
const shops: [city: string, category: string, shops: number][] = [
  ["Leeds", "coopers", 1],
  ["Leeds", "fletchers", 3],
  ["Leeds", "wheelwrights", 1],
  ["York", "coopers", 2],
  ["Bath", "coopers", 2],
];
for (const [city, category, count] of shops) {
  for (let shop = 0; shop < count; shop++) await addBusiness(sql, { city, category });
}
const { id } = await addBusiness(sql, { city: "Ely", category: "coopers" });
await sql`update businesses set status = 'suspended' where id = ${id}`;
afterAll(() => database.drop());

const setActive = (slug: string, isActive: boolean) =>
  sql`update categories set is_active = ${isActive} where slug = ${slug}`;

test("the largest cities come first, and those of equal size by name", async () => {
  const largest = async (category: string | undefined, limit: number) =>
    (await largestCities(sql, { category, limit })).map((city) => [city.slug, city.businessCount]);
  const bath = ["bath", 2];
  expect(await largest(undefined, 9)).toEqual([["leeds", 5], bath, ["york", 2]]);
  expect(await largest("coopers", 9)).toEqual([bath, ["york", 2], ["leeds", 1]]);
  expect(await largest("coopers", 2)).toEqual([bath, ["york", 2]]);
  expect(await largest("crafts", 1)).toEqual([["leeds", 5]]);
  expect(await largest("no-such-category", 9)).toEqual([]);
});

test("cities with businesses are listed in parts by slug, and counted by initial", async () => {
  const part = async (offset: number, limit: number) => {
    const { cities, total } = await listCities(sql, { offset, limit });
    expect(total).toBe(3);
    return cities.map((city) => [city.slug, city.businessCount]);
  };
  expect(await part(0, 2)).toEqual([
    ["bath", 2],
    ["leeds", 5],
  ]);
  expect(await part(2, 2)).toEqual([["york", 2]]);
  expect(await part(3, 2)).toEqual([]);
  expect(await countCitiesByInitial(sql)).toEqual([
    { initial: "b", cities: 1 },
    { initial: "l", cities: 1 },
    { initial: "y", cities: 1 },
  ]);
});

test("cities are found by whole words of their names, however 'saint' and 'great' are spelt", async () => {
  await sql`update cities set slug = 'saint-york-le-moor' where slug = 'york'`;
  const named = async (...words: string[]) =>
    (await largestCitiesNamed(sql, { words, limit: 9 })).map(({ name }) => name);
  expect(await named("moor", "york")).toEqual(["York"]);
  expect(await named("st", "york")).toEqual(["York"]);
  expect(await named("saint")).toEqual(["York"]);
  for (const slug of ["gt-bath", "great-bath"]) {
    await sql`update cities set slug = ${slug} where name = 'Bath'`;
    expect(await named("gt", "bath")).toEqual(["Bath"]);
    expect(await named("great", "bath")).toEqual(["Bath"]);
  }
  await sql`update cities set slug = 'bath' where name = 'Bath'`;
  expect(await named("yor")).toEqual([]);
  expect(await named("ork")).toEqual([]);
  expect(await named("york", "leeds")).toEqual([]);
  expect(await named("ely")).toEqual([]);
  await sql`update cities set slug = 'york' where slug = 'saint-york-le-moor'`;
});

test("the largest categories of a city are active, as are all above them, and not just the sum of others", async () => {
  const largest = async (limit: number) =>
    (await largestCategoriesOf(sql, { city: "leeds", limit })).map((category) => [
      category.slug,
      category.businessCount,
    ]);
  const [fletchers, coopers, wheelwrights] = [
    ["fletchers", 3],
    ["coopers", 1],
    ["wheelwrights", 1],
  ];
  expect(await largest(9)).toEqual([fletchers, coopers, wheelwrights]);
  expect(await largest(1)).toEqual([fletchers]);
  await setActive("fletchers", false);
  expect(await largest(9)).toEqual([coopers, wheelwrights]);
  await setActive("fletchers", true);
  await setActive("crafts", false);
  expect(await largest(9)).toEqual([]);
  await setActive("crafts", true);

  // By its type a feed may know no more than that it is of a craft; and a category may have none above or below.
  await sql`insert into categories (slug, name) values ('oddities', 'Oddities')`;
  const whole = await Promise.all(
    ["crafts", "oddities"].map((category) => addBusiness(sql, { city: "Leeds", category })),
  );
  const crafts = ["crafts", 6];
  expect(await largest(9)).toEqual([crafts, fletchers, coopers, ["oddities", 1], wheelwrights]);
  await sql`delete from businesses where id = any(${whole.map(({ id }) => id)}::uuid[])`;
});
