import { expect, test } from "bun:test";
import { readFhrs } from "../../../scripts/import/fhrs.ts";
import { pieces, records } from "./rows.ts";

const establishment = (fields: string) =>
  `<FHRSEstablishment><EstablishmentCollection><EstablishmentDetail>${fields}</EstablishmentDetail></EstablishmentCollection></FHRSEstablishment>`;

test("FHRS: a text may be in a CDATA section", async () => {
  const xml = `<x><EstablishmentDetail><FHRSID>1</FHRSID><BusinessName><![CDATA[B&Q]]></BusinessName>
    <PostCode><![CDATA[NR2 1LL]]></PostCode></EstablishmentDetail></x>`;
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([
    { sourceId: "1", name: "B&Q", address: { postcode: "NR2 1LL" } },
  ]);
});

test("FHRS: entities, xsi:nil and the town at the end of the address", async () => {
  const xml = establishment(`<FHRSID>7</FHRSID><BusinessName>B\\&amp;Q &#163;</BusinessName>
    <BusinessType>Restaurant/Cafe/Canteen</BusinessType><AddressLine1>The Mill</AddressLine1>
    <AddressLine2>1 High Street</AddressLine2><AddressLine3>Norwich</AddressLine3>
    <AddressLine4>Norfolk</AddressLine4><PostCode>NR1 1AA</PostCode><RatingValue>5</RatingValue>
    <RatingDate xsi:nil="true" /><Geocode><Longitude>1.29</Longitude><Latitude>52.6</Latitude></Geocode>`);
  expect(await records(readFhrs(pieces(xml)))).toEqual([
    {
      sourceId: "7",
      name: "B&Q £",
      category: "eating-out",
      address: { line1: "The Mill", line2: "1 High Street", postcode: "NR1 1AA" },
      city: "Norwich",
      coordinates: { lat: 52.6, lng: 1.29 },
    },
  ]);
});

test("FHRS: every ampersand is one, in the address too", async () => {
  const xml = establishment(`<FHRSID>7</FHRSID><BusinessName>B\\&amp;Q \\&amp; Sons</BusinessName>
    <AddressLine1>Unit 3 \\&amp; 4</AddressLine1><AddressLine2>Hammersmith \\&amp; Fulham</AddressLine2>`);
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([
    { name: "B&Q & Sons", address: { line1: "Unit 3 & 4" }, city: "Hammersmith & Fulham" },
  ]);
});

test.each([
  [["1 High Street", "Forfar", "Angus"], "Forfar"],
  [["1 High Street", "Ebbw Vale", "Blaenau Gwent"], "Ebbw Vale"],
  [["1 High Street", "Thorpe St Andrew", "Norwich"], "Norwich"],
  [["1 High Street", "Portree", "Isle of Skye"], "Portree"],
  [["1 High Street", "Isle of Skye"], "Isle of Skye"],
  [["1 High Street", "Isle of Scalpay", "Isle of Harris"], "Isle of Harris"],
])("FHRS: of the lines %p, %p is the town", async (lines, city) => {
  expect(await records(readFhrs(pieces(withLines(lines))))).toMatchObject([
    { city, address: { line1: "1 High Street" } },
  ]);
});

test.each([
  [["", "", "Norwich", ""], "Norwich"],
  [["", "Norwich", "", "Norfolk"], "Norwich"],
  [["", "", "Portree", "Isle of Skye"], "Portree"],
  [["", "", "", "Isle of Skye"], "Isle of Skye"],
])("FHRS: all of the address but the town may be withheld, as in %p", async (lines, city) => {
  const [record] = await records(readFhrs(pieces(withLines(lines))));
  expect(record).toMatchObject({ city, address: { line1: null } });
});

test.each([
  [["Norwich"], "Norwich"],
  [["", "1 High Street"], "1 High Street"],
  [["", "The Chapel", "1 High Street"], "The Chapel"],
])("FHRS: of the lines %p, %p is no town", async (lines, line1) => {
  const [record] = await records(readFhrs(pieces(withLines(lines))));
  expect(record).toMatchObject({ address: { line1 } });
  expect(record).not.toHaveProperty("city");
});

test("FHRS: a line that repeats the name is kept if there is no other", async () => {
  const [record] = await records(readFhrs(pieces(withLines(["A", "Norwich"]))));
  expect(record).toMatchObject({ city: "Norwich", address: { line1: "A" } });
});

test.each(["Latitude", "Longitude"])("FHRS: a %s alone is no place", async (half) => {
  const xml = establishment(
    `<FHRSID>1</FHRSID><BusinessName>A</BusinessName><Geocode><${half}>1.29</${half}></Geocode>`,
  );
  const [record] = await records(readFhrs(pieces(xml)));
  expect(record).not.toHaveProperty("coordinates");
});

test("FHRS: one line with a whole postcode is the address of a village hall, and no town", async () => {
  const address = "<AddressLine2>Village Hall</AddressLine2><PostCode>NR1 1AA</PostCode>";
  const xml = establishment(`<FHRSID>1</FHRSID><BusinessName>A</BusinessName>${address}`);
  const [record] = await records(readFhrs(pieces(xml)));
  expect(record).toMatchObject({ address: { line1: "Village Hall", postcode: "NR1 1AA" } });
  expect(record).not.toHaveProperty("city");
});

function withLines(lines: readonly string[]): string {
  const fields = lines.map((line, place) => {
    const name = `AddressLine${place + 1}`;
    return `<${name}>${line}</${name}>`;
  });
  return establishment(`<FHRSID>1</FHRSID><BusinessName>A</BusinessName>${fields.join("")}`);
}

test.each([
  ["Distributors/Transporters", "haulage"],
  ["Farmers/growers", "farms"],
  ["Hospitals/Childcare/Caring Premises", "care-services"],
  ["Hotel/bed &amp; breakfast/guest house", "hotels"],
  ["Importers/Exporters", "importers-and-exporters"],
  ["Manufacturers/packers", "food-producers"],
  ["Mobile caterer", "mobile-caterers"],
  ["Other catering premises", "caterers"],
  ["Pub/bar/nightclub", "pubs-and-bars"],
  ["Restaurant/Cafe/Canteen", "eating-out"],
  ["Retailers - other", "other-food-shops"],
  ["Retailers - supermarkets/hypermarkets", "supermarkets"],
  ["School/college/university", "education-and-childcare"],
  ["Takeaway/sandwich shop", "takeaways"],
  ["", "other-organisations"],
])("FHRS: the type %p is the category %s", async (type, category) => {
  const [row] = await Array.fromAsync(readFhrs(pieces(ofType(type))));
  expect(row).toMatchObject({ record: { category } });
  expect(row).not.toHaveProperty("unusable");
});

test.each(["Windmill", "constructor", "toString", "__proto__"])(
  "FHRS: the type %s, which the scheme does not list, is told of",
  async (type) => {
    expect(await Array.fromAsync(readFhrs(pieces(ofType(type))))).toMatchObject([
      { record: { category: "other-organisations" }, unusable: ["category"] },
    ]);
  },
);

const ofType = (type: string) =>
  establishment(
    `<FHRSID>1</FHRSID><BusinessName>A</BusinessName><BusinessType>${type}</BusinessType>`,
  );

test("FHRS: an address that the scheme withholds is none", async () => {
  const withheld = establishment("<FHRSID>1</FHRSID><BusinessName>A</BusinessName><PostCode/>");
  expect(await records(readFhrs(pieces(withheld)))).toMatchObject([
    { address: { line1: null, postcode: null } },
  ]);
});

test("FHRS: XML that is cut short or holds no establishment fails the file", async () => {
  const xml = establishment("<FHRSID>1</FHRSID><BusinessName>A</BusinessName>");
  await expect(records(readFhrs(pieces(xml.slice(0, -10))))).rejects.toThrow("cut short");
  await expect(records(readFhrs(pieces("<html></html>")))).rejects.toThrow("not FHRS");
});

test("FHRS: an establishment that does not end is given up before it fills the memory", async () => {
  const first = "<x><EstablishmentDetail><FHRSID>1</FHRSID></EstablishmentDetail>";
  const endless = `${first}<EstablishmentDetail><BusinessName>${"x".repeat(11_000_000)}`;
  const text = `${endless}</BusinessName></EstablishmentDetail></x>`;
  await expect(records(readFhrs(pieces(text, 65_536)))).rejects.toThrow(
    "establishment 2 does not end within 10,000,000 characters",
  );
});

test("FHRS: an extract in which nothing was found is read to its end", async () => {
  const none = "<FHRSEstablishment><EstablishmentCollection/></FHRSEstablishment>";
  expect(await records(readFhrs(pieces(none)))).toEqual([]);
});
