import { expect, test } from "bun:test";
import { readOsm } from "../../../scripts/import/osm.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { pieces, records } from "./rows.ts";

const collection = (...features: object[]) =>
  JSON.stringify({ type: "FeatureCollection", features });
const point = { type: "Point", coordinates: [1.3, 52.6] };

test("OSM: tags that are numbers, and places of several geometries", async () => {
  const json = JSON.stringify({
    type: "FeatureCollection",
    features: [
      {
        id: "node/1",
        properties: {
          name: 1812,
          shop: "books",
          "addr:housenumber": 12,
          "addr:street": "Elm Hill",
        },
        geometry: {
          type: "GeometryCollection",
          geometries: [
            { type: "Point", coordinates: [1.2, 52.6] },
            {
              type: "LineString",
              coordinates: [
                [1.3, 52.7],
                [1.4, 52.8],
              ],
            },
          ],
        },
      },
      { id: "node/2", properties: { name: { en: "x" }, shop: "books" }, geometry: null },
    ],
  });
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    {
      sourceId: "node/1",
      name: "1812",
      address: { line1: "12 Elm Hill" },
      coordinates: { lat: 52.7, lng: 1.2999999999999998 },
    },
    "the place has no name",
  ]);
});

test("OSM: tags become fields", async () => {
  const tags = {
    name: "Brașov",
    amenity: "restaurant",
    cuisine: "romanian;pizza",
    "addr:housenumber": "1;2",
    "addr:street": "Magdalen Street",
    "addr:housename": "The Mill",
    "addr:city": "Norwich",
    "addr:postcode": "NR3 1AA",
    "contact:phone": "01632 960123",
    url: "shop.example",
    email: "a@shop.example",
    opening_hours: "24/7",
  };
  const json = collection({ id: "node/1", properties: tags, geometry: point });
  const [record] = await records(readOsm(pieces(json)));
  expect(record).toMatchObject({
    sourceId: "node/1",
    name: "Brașov",
    category: "pizzerias",
    city: "Norwich",
    address: { line1: "1, 2 Magdalen Street", line2: "The Mill", postcode: "NR3 1AA" },
    coordinates: { lat: 52.6, lng: 1.3 },
    phone: "01632 960123",
    website: "shop.example",
    email: "a@shop.example",
  });
  expect((record as { openingHours: unknown[] }).openingHours.length).toBe(7);
});

test("OSM: a missing tag is replaced by another of the same meaning", async () => {
  const json = collection(
    {
      properties: {
        id: "node/1",
        name: "A",
        "contact:mobile": "07700 900123",
        "addr:hamlet": "Ely",
      },
      geometry: point,
    },
    {
      properties: {
        "@id": "way/2",
        name: "B",
        "phone:mobile": "07700 900456",
        "addr:village": "Eye",
      },
      geometry: point,
    },
    { id: 3, properties: { id: "4", "@id": "5", name: "C", "addr:town": "Diss" }, geometry: point },
  );
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    { sourceId: "node/1", phone: "07700 900123", city: "Ely" },
    { sourceId: "way/2", phone: "07700 900456", city: "Eye" },
    { sourceId: "3", city: "Diss" },
  ]);
});

test("OSM: a node and a way of one number are two places, also where the type is apart from it", async () => {
  const place = (type: string) => ({ properties: { "@type": type, "@id": 777, name: "A" } });
  const whole = { id: "node/8", properties: { "@type": "node", name: "B" } };
  const json = collection(place("node"), place("way"), whole);
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    { sourceId: "node/777" },
    { sourceId: "way/777" },
    { sourceId: "node/8" },
  ]);
});

test("OSM: tags may be nested apart from the rest of an element", async () => {
  const tags = { name: "A", shop: "books", phone: "01632 960123" };
  const properties = { type: "node", id: 1, tags, relations: [], meta: {} };
  const json = collection(
    { id: "node/1", properties, geometry: point },
    { id: "node/2", properties: { ...tags, tags: null }, geometry: point },
  );
  const bookshop = { name: "A", category: "bookshops", phone: "01632 960123" };
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    { sourceId: "node/1", ...bookshop },
    { sourceId: "node/2", ...bookshop },
  ]);
});

const addressOf = async (tags: object) => {
  const properties = { name: "Shop", shop: "gift", ...tags };
  const json = collection({ id: "node/1", properties, geometry: point });
  const [record] = await records(readOsm(pieces(json)));
  return (record as ImportRecord).address;
};

test("OSM: the number of a house with a name is kept where no street is given", async () => {
  const mall = { "addr:housename": "Castle Mall" };
  const number = { "addr:housenumber": "25;26" };
  expect(await addressOf({ ...mall, ...number })).toEqual({ line1: "25, 26, Castle Mall" });
  expect(await addressOf(mall)).toEqual({ line1: "Castle Mall" });
  // Nobody could find it by that.
  expect(await addressOf(number)).toEqual({});
});

test("OSM: a number that is given as the name of a house comes before the street", async () => {
  const street = { "addr:street": "Magdalen Street" };
  for (const number of ["39", "67-69", "8B"]) {
    const line1 = `${number} Magdalen Street`;
    expect(await addressOf({ ...street, "addr:housename": number })).toEqual({ line1 });
  }
  const both = { "addr:housenumber": "1", "addr:housename": "1812" };
  expect(await addressOf({ ...street, ...both })).toEqual({
    line1: "1 Magdalen Street",
    line2: "1812",
  });
  expect(await addressOf({ "addr:housename": "39" })).toEqual({});
});

test("OSM: many spaces in a house number are read as quickly as other texts", async () => {
  const number = { "addr:housenumber": `1${" ".repeat(500_000)}a ; 2`, "addr:street": "Elm Hill" };
  const { line1 } = (await addressOf(number)) ?? {};
  expect(line1).toEndWith(" a, 2 Elm Hill");
});

test("OSM: a house that is named as the place itself needs no line where a street is given", async () => {
  const place = { name: "The Lion’s Den", "addr:housename": "the lions den" };
  const street = { "addr:street": "Magdalen Street" };
  const number = { "addr:housenumber": "5" };
  expect(await addressOf({ ...place, ...street, ...number })).toEqual({
    line1: "5 Magdalen Street",
  });
  expect(await addressOf({ ...place, ...street })).toEqual({ line1: "Magdalen Street" });
  expect(await addressOf(place)).toEqual({ line1: "the lions den" });
  const year = { name: "1812", "addr:housename": "1812" };
  expect(await addressOf({ ...year, ...street })).toEqual({ line1: "Magdalen Street" });
});

test("OSM: the number or letter of a unit is preceded by Unit", async () => {
  const mill = { "addr:housenumber": "5", "addr:street": "Mill Lane" };
  for (const [unit, line2] of [
    ["3", "Unit 3"],
    ["1A", "Unit 1A"],
    ["B", "Unit B"],
    ["Unit 4", "Unit 4"],
    ["Upper Floor", "Upper Floor"],
  ] as const) {
    const address = await addressOf({ ...mill, "addr:unit": unit });
    expect(address).toEqual({ line1: "5 Mill Lane", line2 });
  }
});

test("OSM: what the street is part of is kept, but not the town again", async () => {
  const street = { "addr:street": "Hall Road" };
  const park = { "addr:place": "White Lodge Business Park", "addr:city": "Norwich" };
  const unit = { "addr:housenumber": "42", "addr:housename": "Unit 42" };
  expect(await addressOf({ ...street, ...park })).toEqual({
    line1: "Hall Road",
    line2: "White Lodge Business Park",
  });
  expect(await addressOf({ ...street, ...park, ...unit })).toEqual({
    line1: "42 Hall Road",
    line2: "Unit 42, White Lodge Business Park",
  });
  const parade = { "addr:housenumber": "11", "addr:street": "Earlham House Shops" };
  expect(await addressOf({ ...parade, "addr:parentstreet": "Earlham Road" })).toEqual({
    line1: "11 Earlham House Shops",
    line2: "Earlham Road",
  });
  expect(await addressOf({ ...street, "addr:place": "Norwich", "addr:city": "NORWICH" })).toEqual({
    line1: "Hall Road",
  });
  for (const known of ["name", "addr:housename"]) {
    const mill = { [known]: "The Mill", ...street };
    expect(await addressOf({ ...mill, "addr:place": "THE MILL" })).toEqual(await addressOf(mill));
  }
  expect(await addressOf({ ...street, "addr:place": "Hall road" })).toEqual({ line1: "Hall Road" });
  expect(
    await addressOf({ ...parade, "addr:place": "Eaton", "addr:parentstreet": "Eaton" }),
  ).toEqual({
    line1: "11 Earlham House Shops",
    line2: "Eaton",
  });
});

test("OSM: the suburb or village of a street is kept beside the town, but is no address alone", async () => {
  const village = { "addr:village": "Brundall", "addr:city": "Norwich" };
  expect(await addressOf({ "addr:street": "The Street", ...village })).toEqual({
    line1: "The Street",
    line2: "Brundall",
  });
  expect(await addressOf({ "addr:housename": "The Yard", ...village })).toEqual({
    line1: "The Yard",
    line2: "Brundall",
  });
  expect(
    await addressOf({ "addr:street": "Mill Lane", "addr:suburb": "Eaton", "addr:place": "Eaton" }),
  ).toEqual({ line1: "Mill Lane", line2: "Eaton" });
  expect(await addressOf({ "addr:street": "Mill Lane", "addr:village": "Eye" })).toEqual({
    line1: "Mill Lane",
  });
  expect(
    await addressOf({ "addr:street": "The Street", ...village, "addr:village": "NORWICH" }),
  ).toEqual({ line1: "The Street" });
  expect(await addressOf(village)).toEqual({});
});

test("OSM: unreadable hours count as none, and are reported", async () => {
  const cafe = (id: string, hours: object) => ({ id, properties: { name: "A", ...hours } });
  const json = collection(
    cafe("node/1", { opening_hours: "Mo-Fr 18:00+" }),
    cafe("node/2", { opening_hours: "by appointment" }),
    cafe("node/3", {}),
  );
  expect(await Array.fromAsync(readOsm(pieces(json)))).toMatchObject([
    { record: { sourceId: "node/1", openingHours: null }, unusable: ["openingHours"] },
    { record: { sourceId: "node/2", openingHours: null }, unusable: ["openingHours"] },
    { record: { sourceId: "node/3", openingHours: null }, unusable: [] },
  ]);
});

test("OSM: a contact or description that an element has not is none, an address may be elsewhere", async () => {
  const json = collection({ id: "node/1", properties: { name: "A", phone: " " }, geometry: point });
  const [record] = (await records(readOsm(pieces(json)))) as object[];
  const none = { phone: null, website: null, email: null, shortDescription: null };
  expect(record).toMatchObject({ ...none, address: {} });
  expect(record).not.toHaveProperty("city");
});

test("OSM: a geometry that is none leaves its place without coordinates", async () => {
  const geometries = [
    { geometries: "none" },
    { geometries: [null, 1] },
    { coordinates: {} },
    [],
    1,
  ];
  const json = collection(
    ...geometries.map((geometry) => ({ id: "node/1", properties: { name: "A" }, geometry })),
    { id: "node/2", properties: { name: "B" }, geometry: point },
  );
  const rows = (await records(readOsm(pieces(json)))) as object[];
  expect(rows.map((row) => "coordinates" in row)).toEqual([...geometries.map(() => false), true]);
});

test("OSM: the middle of an area of several parts in a collection is found", async () => {
  const ring = [
    [1.2, 52.6],
    [1.4, 52.6],
    [1.4, 52.8],
    [1.2, 52.6],
  ];
  const area = { type: "MultiPolygon", coordinates: [[ring]] };
  const geometry = { type: "GeometryCollection", geometries: [area] };
  const json = collection({ id: "relation/1", properties: { name: "A" }, geometry });
  const [record] = (await records(readOsm(pieces(json)))) as ImportRecord[];
  expect(record?.coordinates?.lat).toBeCloseTo(52.7);
  expect(record?.coordinates?.lng).toBeCloseTo(1.3);
});

test("OSM: excessively nested values are not read as a geometry or an id", async () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const json = collection(
    { id: "node/1", properties: { name: "A" }, geometry: { coordinates: "deep" } },
    { id: "deep", properties: { name: "B" }, geometry: point },
    { id: "node/3", properties: { name: "C" }, geometry: point },
  ).replaceAll('"deep"', deep);
  const [unplaced, ...others] = await records(readOsm(pieces(json, 65_536)));
  expect(unplaced).toMatchObject({ sourceId: "node/1" });
  expect(unplaced).not.toHaveProperty("coordinates");
  expect(others).toMatchObject([
    "the feature has no id: osmium export -a type,id gives it one",
    { sourceId: "node/3" },
  ]);
});

test("OSM: a nameless, vacant or disused place is rejected; a line is placed at its middle", async () => {
  const way = {
    type: "LineString",
    coordinates: [
      [1, 52],
      [2, 53],
      [1, 54],
    ],
  };
  const json = collection(
    { id: "node/1", properties: { leisure: "pitch" }, geometry: point },
    { id: "node/2", properties: { name: "Gone", shop: "vacant" }, geometry: point },
    { id: "node/3", properties: { name: "Gone", shop: "disused:convenience" }, geometry: point },
    { id: "way/4", properties: { name: "Park", leisure: "park" }, geometry: way },
    { properties: { name: "Nobody" }, geometry: point },
  );
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    "the place has no name",
    "the place is vacant or disused",
    "the place is vacant or disused",
    { sourceId: "way/4", coordinates: { lat: 53, lng: 1.5 } },
    "the feature has no id: osmium export -a type,id gives it one",
  ]);
});

test("OSM: a place that is disused, or whose end has come, waits for a person to decide", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const [year, month] = [today.slice(0, 4), today.slice(0, 7)];
  const pending = [
    { disused: "yes" },
    { abandoned: "yes" },
    { demolished: "yes" },
    ...["2019-07-20", "2019-07", "2019"].map(ending),
  ];
  // It may be the end of this month, and words may be anything.
  const others = [
    { disused: "no" },
    ...[today, month, year, "9999-01-01", "before 1990"].map(ending),
  ];
  const read = (tags: object[]) =>
    records(
      readOsm(
        pieces(
          collection(
            ...tags.map((more, index) => ({
              id: `node/${index}`,
              properties: { name: "Past", shop: "books", ...more },
              geometry: point,
            })),
          ),
        ),
      ),
    );
  expect(await read(pending)).toMatchObject(pending.map(() => ({ status: "pending" })));
  for (const record of await read(others)) expect(record).not.toHaveProperty("status");
});
const ending = (date: string) => ({ end_date: date });

test("OSM: GeoJSON that is broken or cut short fails the file", async () => {
  const json = collection({ id: "node/1", properties: {}, geometry: point }, { id: "node/2" });
  await expect(records(readOsm(pieces(json.slice(0, -5))))).rejects.toThrow(
    "cut short after feature",
  );
  await expect(records(readOsm(pieces(json.replace("node/2", 'node"2'))))).rejects.toThrow(
    "broken after feature 1",
  );
  await expect(records(readOsm(pieces("{}")))).rejects.toThrow("no features");
  await expect(records(readOsm(pieces('{"type":"Feature"}')))).rejects.toThrow("no features");
});

test("OSM: a feature that does not end is given up before it fills the memory", async () => {
  const place = (name: string) => ({ id: "node/1", properties: { name }, geometry: point });
  const json = collection(place("Short"), place("x".repeat(11_000_000)));
  await expect(records(readOsm(pieces(json, 65_536)))).rejects.toThrow(
    "feature 2 does not end within 10,000,000 characters",
  );
});

test("OSM: an extract in which nothing was found is read to its end", async () => {
  expect(await records(readOsm(pieces(collection())))).toEqual([]);
});
