import { expect, test } from "bun:test";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { named, openDirectory, whole } from "./directory.ts";

// The coordinates of a business, and its city.

const { sql, load, stored } = await openDirectory();

test.each([null, {}, { lat: null, lng: null }])("coordinates %j are none", async (coordinates) => {
  expect(await load([{ ...whole, coordinates } as ImportRecord])).toMatchObject({
    created: 1,
    pending: 1,
  });
});

test("a place on the meridian stays there, whatever the sign of its zero", async () => {
  await load([{ ...whole, coordinates: { lat: 52, lng: -0 } }]);
  expect(await load([{ ...whole, coordinates: { lat: 52, lng: -0 } }])).toMatchObject({
    unchanged: 1,
  });
});

test.each([
  ["0, 0", { lat: 0, lng: 0 }],
  ["changed places", { lat: 1.2963, lng: 52.6271 }],
  ["Brest", { lat: 48.3904, lng: -4.4861 }],
  ["Lille", { lat: 50.6292, lng: 3.0573 }],
  ["Tórshavn", { lat: 62.0107, lng: -6.7741 }],
  ["Rockall", { lat: 57.5964, lng: -13.6874 }],
  ["Wellington", { lat: -41.2866, lng: 174.7756 }],
])("coordinates outside of the UK are none and counted: %s", async (_, coordinates) => {
  await load([whole]);
  expect(await load([{ ...whole, coordinates }])).toMatchObject({
    updated: 1,
    pending: 1,
    unusable: ["coordinates"],
  });
  expect(await stored()).toMatchObject({ latitude: null, longitude: null });
});

test.each([
  ["St Helier", { lat: 49.1868, lng: -2.1064 }],
  ["Lowestoft", { lat: 52.481, lng: 1.7627 }],
  ["Hirta", { lat: 57.8124, lng: -8.5687 }],
  ["Unst", { lat: 60.8444, lng: -0.8719 }],
])("coordinates of %s are good", async (_, coordinates) => {
  expect(await load([{ ...whole, coordinates }])).toMatchObject({ pending: 0, unusable: [] });
  expect(await stored()).toMatchObject({ latitude: coordinates.lat, longitude: coordinates.lng });
});

test("a business without coordinates, and only such a one, is placed at the centre of its outcode", async () => {
  const outcodes = new Map([["NR1", { latitude: 52.6, longitude: 1.3 }]]);
  await load([{ ...whole, coordinates: null }, named("2", "Exact")], { outcodes });
  expect(await stored("1")).toMatchObject({ status: "approved", latitude: 52.6, longitude: 1.3 });
  expect(await stored("2")).toMatchObject({ latitude: 52.6271 });
  const { coordinates: _, ...unplaced } = named("2", "Exact");
  expect(await load([unplaced], { outcodes })).toMatchObject({ unchanged: 1 });
});

test("coordinates from an outcode follow a new one, and are lost when that is unknown", async () => {
  const [norwich, penzance] = [
    { latitude: 52.6, longitude: 1.3 },
    { latitude: 50.1, longitude: -5.5 },
  ];
  const outcodes = new Map([
    ["NR1", norwich],
    ["TR18", penzance],
  ]);
  const { coordinates, ...unplaced } = whole;
  const exact = { latitude: coordinates?.lat, longitude: coordinates?.lng };
  const move = (record: Partial<ImportRecord>, postcode: string) =>
    load([{ ...record, address: { ...whole.address, postcode } }], { outcodes });

  await load([unplaced], { outcodes });
  await move(unplaced, "NR1 1AA");
  expect(await stored()).toMatchObject({ status: "approved", ...norwich });
  await move(unplaced, "TR18 2AA");
  expect(await stored()).toMatchObject({ status: "approved", ...penzance });
  expect(await move(unplaced, "ZE1 0AA")).toMatchObject({ updated: 1, pending: 1 });
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
  await move(unplaced, "NR1 3DD");
  expect(await stored()).toMatchObject({ status: "approved", ...norwich });

  // Coordinates given by a record stay, also when the postcode changes to one nearby.
  await move(whole, "TR18 2AA");
  await move(unplaced, "TR18 9ZZ");
  expect(await stored()).toMatchObject({ status: "approved", ...exact });
});

test("a business that moves to another outcode without new coordinates loses the old ones", async () => {
  const { coordinates: _, ...unplaced } = whole;
  const at = (postcode: string | null) => [
    { ...unplaced, address: { ...whole.address, postcode } },
  ];
  const exact = { latitude: 52.6271, longitude: 1.2963 };

  // Learning a postcode is no move.
  await load([{ ...whole, address: { line1: "19 Castle Quarter" } }]);
  await load(at("NR1 3DD"));
  expect(await stored()).toMatchObject({ status: "approved", ...exact });

  expect(await load(at("TR18 2AA"))).toMatchObject({ updated: 1, pending: 1 });
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
  expect(await load(at("TR18 2AA"))).toMatchObject({ unchanged: 1, pending: 1 });

  await load([whole]);
  const penzance = { latitude: 50.1, longitude: -5.5 };
  await load(at("TR18 2AA"), { outcodes: new Map([["TR18", penzance]]) });
  expect(await stored()).toMatchObject({ status: "approved", ...penzance });

  await load([whole]);
  await load(at(null));
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
});

test("spellings of a town are one city, also when an operator has changed its slug", async () => {
  await sql`insert into cities (slug, name) values ('hull', 'Kingston upon Hull')`;
  await load([
    named("1", "A", { city: "NEWCASTLE UPON TYNE" }),
    named("2", "B", { city: "Newcastle-Upon-Tyne, Tyne & Wear" }),
    named("3", "C", { city: "KINGSTON UPON HULL" }),
  ]);
  const cities = await sql`select slug, name from cities order by slug`;
  expect([...cities]).toEqual([
    { slug: "hull", name: "Kingston upon Hull" },
    { slug: "newcastle-upon-tyne", name: "Newcastle upon Tyne" },
  ]);
  expect(await stored("3")).toMatchObject({ slug: "c-hull", city: "Kingston upon Hull" });
});

test("a new city gets the commonest spelling of its first batch, or else the first", async () => {
  const spellings = [
    "Bury-St-Edmunds",
    "Bury St. Edmunds",
    "BURY ST EDMUNDS",
    "St Ives",
    "St-Ives",
  ];
  await load(spellings.map((city, place) => named(`${place}`, "A", { city })));
  const cities = await sql`select slug, name from cities order by slug`;
  expect([...cities]).toEqual([
    { slug: "bury-st-edmunds", name: "Bury St Edmunds" },
    { slug: "st-ives", name: "St Ives" },
  ]);
  await load([named("9", "A", { city: "St-Ives" })]);
  expect(await stored("9")).toMatchObject({ city: "St Ives" });
});

test("a city whose slug an operator has changed is found however a feed spells its name", async () => {
  await sql`insert into cities (slug, name) values ('verulam', 'St. Albans')`;
  await load([
    named("1", "A", { city: "St. Albans" }),
    named("2", "B", { city: "Saint Albans" }),
    named("3", "C", { city: "ST ALBANS" }),
  ]);
  const cities = await sql`select slug, name from cities`;
  expect([...cities]).toEqual([{ slug: "verulam", name: "St. Albans" }]);
});

test("a city that an operator has added counts although its name looks like a street or a county", async () => {
  const cities = [
    { slug: "wood-street", name: "Wood Street" },
    { slug: "avon-village", name: "Avon" },
  ];
  await sql`insert into cities ${sql(cities)}`;
  await load([
    named("1", "A", { city: "Wood  Street " }),
    named("2", "B", { city: "Avon" }),
    named("3", "C", { city: "Old Wood Street" }),
  ]);
  expect(await stored("1")).toMatchObject({ status: "approved", city: "Wood Street" });
  expect(await stored("2")).toMatchObject({ status: "approved", city: "Avon" });
  expect(await stored("3")).toMatchObject({ status: "pending", city: null });
});
