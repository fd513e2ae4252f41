import { afterAll, expect, test } from "bun:test";
import { findTown } from "../../src/site/towns.ts";
import { addBusiness, addTowns } from "../fixtures.ts";
import { createDatabase } from "../support.ts";

const database = await createDatabase();
afterAll(() => database.drop());

const similarTo = async (text: string) => {
  const town = await findTown(database.sql, text);
  return town.city ? town.city.name : town.similar.map(({ name }) => name);
};

test("of similarly spelt towns the closest come first, then the largest", async () => {
  const { sql } = database;
  for (const city of ["Wolverhamton", "Wolverhampden", "Wolverhampden", "Wolverhampten"]) {
    await addBusiness(sql, { city });
  }
  await addBusiness(sql, { city: "Wolverhampten" });
  expect(await similarTo("Wolverhampton")).toEqual([
    "Wolverhampten",
    "Wolverhamton",
    "Wolverhampden",
  ]);
  await addBusiness(sql, { city: "Wolverhampton" });
  expect(await similarTo("WOLVERHAMPTON")).toBe("Wolverhampton");
});

test("a town with two names is found by either, and not one that is spelt alike", async () => {
  await addBusiness(database.sql, { city: "Derby" });
  expect(await similarTo("Derry")).toEqual(["Derby"]);
  await addBusiness(database.sql, { city: "Londonderry" });
  expect(await similarTo("Derry")).toBe("Londonderry");
  // The page says so.
  expect(await findTown(database.sql, "Derry")).toMatchObject({ isGuessed: true });
  await addBusiness(database.sql, { city: "Derry" });
  expect(await similarTo("Derry")).toBe("Derry");
  expect(await findTown(database.sql, "Derry")).toMatchObject({ isGuessed: false });
  expect(await similarTo("Londonderry")).toBe("Londonderry");
});

test("a town in Wales is found by its English and its Welsh name", async () => {
  for (const city of ["Bridgend", "Abertawe"]) await addBusiness(database.sql, { city });
  for (const text of ["bridgend", "Pen-y-bont ar Ogwr", "pen y bont"]) {
    expect([text, await similarTo(text)]).toEqual([text, "Bridgend"]);
  }
  expect(await similarTo("Swansea")).toBe("Abertawe");
});

test("of many similarly spelt towns five are suggested", async () => {
  for (const letter of "abcdefg") await addBusiness(database.sql, { city: `Shrewsbury${letter}` });
  expect(await similarTo("Shrewsbury")).toHaveLength(5);
});

test("of many towns with the words the five largest are suggested", async () => {
  const cities = ["Newtown A", "Newtown B", "Newtown C", "Newtown D", "Newtown E", "Newtown F"];
  for (const city of [...cities, "Newtown F"]) await addBusiness(database.sql, { city });
  expect(await similarTo("newtown")).toEqual(["Newtown F", ...cities.slice(0, 4)]);
});

test("of very many towns, typing errors are tolerated in the larger ones, and words found in all", async () => {
  const { sql } = database;
  await addTowns(sql, 2_000);
  await sql`update cities set slug = 'crumbly-bottom', name = 'Crumbly Bottom' where slug = 'abury2000'`;
  for (const _ of [1, 2]) await addBusiness(sql, { city: "Chesterfield" });
  expect(await similarTo("Chestrefield")).toEqual(["Chesterfield"]);
  expect(await similarTo("crumbly")).toBe("Crumbly Bottom");
  expect(await similarTo("Crumbly Botom")).toEqual([]);
});
