import { expect, test } from "bun:test";
import { readCsv } from "../../../scripts/import/csv.ts";
import type { Mapping } from "../../../scripts/import/mapping.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { pieces, records } from "./rows.ts";

test("CSV: a file that lacks a column of the mapping is refused, whether named or numbered", async () => {
  const read = (csv: string, mapping: Mapping) => records(readCsv(pieces(csv), mapping));
  const fields = { sourceId: 1, name: ["title", 2], phone: 3 };
  await expect(
    read("7,Boots\n", { header: false, fields: { ...fields, name: 2 } }),
  ).rejects.toThrow("The mapping names column 3, but the file has only 2.");
  await expect(read("id,title\n7,Boots\n", { header: true, fields })).rejects.toThrow(
    "The mapping names column 3, but the file has only 2.",
  );
  for (const header of ["id,label,phone", "id,label,,,phone"]) {
    await expect(read(`${header}\n7,Boots,1\n`, { header: true, fields })).rejects.toThrow(
      "The first line has no column title, only id, label, phone. If the header is further down, remove the lines above it.",
    );
  }
  await expect(read("7,Boots,1\n", { header: false, fields })).rejects.toThrow(
    "The mapping names the column title, but says that the file has no header.",
  );
});

test("CSV: a mapping that names one of several columns of that name is refused, but may give its number", async () => {
  const csv = "id,title,phone, phone\n7,Boots,,01632 960123\n";
  const read = (phone: string | number) => {
    const mapping: Mapping = { header: true, fields: { sourceId: "id", name: "title", phone } };
    return records(readCsv(pieces(csv), mapping));
  };
  await expect(read("phone")).rejects.toThrow(
    "The first line has several columns phone: give the number of one, such as 3 or 4, in its place.",
  );
  expect(await read(4)).toEqual([{ sourceId: "7", name: "Boots", phone: "01632 960123" }]);
});

test("CSV: a mapping names a column whose heading wraps in its cell as it is read", async () => {
  const csv = 'Ref,"Trading\r\nname",Post\u00a0code\n7,Boots,LS1 6HD\n';
  const fields = { sourceId: "Ref", name: "Trading name", "address.postcode": "Post code" };
  const boots = [{ sourceId: "7", name: "Boots", address: { postcode: "LS1 6HD" } }];
  expect(await records(readCsv(pieces(csv), { header: true, fields }))).toEqual(boots);
  const exact = { ...fields, name: "Trading\nname" };
  expect(await records(readCsv(pieces(csv), { header: true, fields: exact }))).toEqual(boots);
});

test("CSV: a mapping takes columns by name, by number and constants", async () => {
  const mapping: Mapping = {
    header: true,
    fields: {
      sourceId: "Ref",
      name: 2,
      category: { constant: "pharmacies" },
      isPremium: { constant: false },
      phone: ["Mobile", "Phone"],
      city: "Town",
    },
  };
  const csv = "Ref,Title,Phone,Mobile,Town\n7,Boots,01632 960123,,1 High Street\n";
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    {
      sourceId: "7",
      name: "Boots",
      category: "pharmacies",
      isPremium: false,
      phone: "01632 960123",
      // No town, for the directory to tell of.
      city: "1 High Street",
    },
  ]);
  const wrong: Mapping = { header: true, fields: { sourceId: "Ref", name: "Name" } };
  await expect(records(readCsv(pieces(csv), wrong))).rejects.toThrow("no column Name");
});

test("CSV: a mapping replaces values of a column, however they are spaced and capitalised", async () => {
  const mapping: Mapping = {
    header: true,
    fields: {
      sourceId: 1,
      name: 2,
      category: { column: "Type", values: { "Plumbers & Heating": "plumbers", Other: "" } },
      isPremium: { column: 4, values: { Gold: true, "": false } },
      isVerified: { column: 5, values: { None: false, "-": false, Yes: true } },
    },
  };
  const csv = [
    "Ref,Title,Type,Level,Check",
    "1,A,Plumbers & Heating,Gold,Yes",
    "2,B,plumbers &  heating ,gold,none",
    "3,C,Other,,-",
    "4,D,Chemists,Silver,N/A",
    "5,E,,N/A,",
  ].join("\n");
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    { sourceId: "1", name: "A", category: "plumbers", isPremium: true, isVerified: true },
    { sourceId: "2", name: "B", category: "plumbers", isPremium: true, isVerified: false },
    { sourceId: "3", name: "C", isPremium: false, isVerified: false },
    // For the directory to tell of.
    { sourceId: "4", name: "D", category: "Chemists", isPremium: "Silver" },
    { sourceId: "5", name: "E", isPremium: false },
  ]);
});

test("CSV: of several columns with a contact or postcode the first that can be used is taken", async () => {
  const mapping: Mapping = {
    header: false,
    fields: { sourceId: 1, name: 2, phone: [3, 4], "address.postcode": [5, 6] },
  };
  const csv = "1,A,n/a,01632 960123,Leeds,LS1 6HD\n2,B,,ask Bob,LS,\n";
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    { sourceId: "1", name: "A", phone: "01632 960123", address: { postcode: "LS1 6HD" } },
    // Not usable, for the directory to tell of.
    { sourceId: "2", name: "B", phone: "ask Bob", address: { postcode: "LS" } },
  ]);
});

test("CSV: of several columns none is tried that is too long for its field", async () => {
  const mapping: Mapping = {
    header: false,
    fields: { sourceId: 1, name: 2, phone: [3, 4], website: [5, 6], email: [5, 7] },
  };
  const long = ["1 ".repeat(100_000), `a${".".repeat(200_000)}a`];
  const csv = `1,A,${long[0]},01632 960123,${long[1]},a.example,a@b.example\n`;
  expect(await records(readCsv(pieces(csv, 65_536), mapping))).toEqual([
    { sourceId: "1", name: "A", phone: "01632 960123", website: "a.example", email: "a@b.example" },
  ]);
});

test("CSV: a shifted address still gives its town and its lines", async () => {
  const mapping: Mapping = {
    header: false,
    fields: {
      sourceId: 1,
      name: 2,
      "address.line2": [4, 5],
      "address.line1": [3, 4, 5],
      city: [6, 5, 4],
    },
  };
  const csv = [
    "1,Boots,1 High Street,,,Hebburn",
    "2,Boots,76 Warwick Road,,Carlisle,",
    "3,Boots,149 Cranbrook Road,Ilford,,Essex",
    "4,Fulford Pharmacy,Fulford Pharmacy,101 Main Street,Fulford,YORK",
    "5,Boots,,45c High Street,,Oakham",
    "6,Boots,Waitrose,Bridge Road,Hertfordshire,Welwyn",
    "7,Boots,1 High Street,,,Kent",
    "8,Boots,67 Blythe Road,67 Blythe Road,,London",
    "9,Boots,Unit 1,UNIT 1,Dock Road,Hull",
    "10,Boots,Spa Health Centre,Eyot House,50 Jamaica Road,London",
    "11,Boots,2 Elm Row,Parr,PARR,St Helens",
    "12,Boots,17-19,Dock Road,Parr,St Helens",
    "13,Boots,2a,,Hull,East Yorkshire",
    "14,Boots,17–19,Dock Road,Parr,St Helens",
    "15,Boots,1 Church Street,,Stornoway,Isle of Lewis",
    "16,Boots,1 Church Street,,,Isle of Lewis",
    "17,Boots,1 High Street,,Gt Yarmouth,",
    "18,Boots,N/A,1 High Street,-,Oakham",
    '19,Boots,,"2 High Street, Oakham",,',
    '20,Boots,,"Oakham, Rutland",,',
  ].join("\n");
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    { sourceId: "1", name: "Boots", city: "Hebburn", address: { line1: "1 High Street" } },
    { sourceId: "2", name: "Boots", city: "Carlisle", address: { line1: "76 Warwick Road" } },
    { sourceId: "3", name: "Boots", city: "Ilford", address: { line1: "149 Cranbrook Road" } },
    {
      sourceId: "4",
      name: "Fulford Pharmacy",
      city: "YORK",
      address: { line1: "101 Main Street", line2: "Fulford" },
    },
    { sourceId: "5", name: "Boots", city: "Oakham", address: { line1: "45c High Street" } },
    {
      sourceId: "6",
      name: "Boots",
      city: "Welwyn",
      address: { line1: "Waitrose", line2: "Bridge Road" },
    },
    { sourceId: "7", name: "Boots", address: { line1: "1 High Street" } },
    { sourceId: "8", name: "Boots", city: "London", address: { line1: "67 Blythe Road" } },
    {
      sourceId: "9",
      name: "Boots",
      city: "Hull",
      address: { line1: "Unit 1", line2: "Dock Road" },
    },
    {
      sourceId: "10",
      name: "Boots",
      city: "London",
      address: { line1: "Spa Health Centre", line2: "Eyot House, 50 Jamaica Road" },
    },
    {
      sourceId: "11",
      name: "Boots",
      city: "St Helens",
      address: { line1: "2 Elm Row", line2: "Parr" },
    },
    {
      sourceId: "12",
      name: "Boots",
      city: "St Helens",
      address: { line1: "17-19 Dock Road", line2: "Parr" },
    },
    { sourceId: "13", name: "Boots", city: "Hull", address: { line1: "2a" } },
    {
      sourceId: "14",
      name: "Boots",
      city: "St Helens",
      address: { line1: "17–19 Dock Road", line2: "Parr" },
    },
    {
      sourceId: "15",
      name: "Boots",
      city: "Stornoway",
      address: { line1: "1 Church Street" },
    },
    { sourceId: "16", name: "Boots", city: "Isle of Lewis", address: { line1: "1 Church Street" } },
    { sourceId: "17", name: "Boots", city: "Gt Yarmouth", address: { line1: "1 High Street" } },
    { sourceId: "18", name: "Boots", city: "Oakham", address: { line1: "1 High Street" } },
    { sourceId: "19", name: "Boots", city: "Oakham", address: { line1: "2 High Street" } },
    { sourceId: "20", name: "Boots", city: "Oakham, Rutland" },
  ]);
});

test("CSV: the postcode of a shifted address is none of its lines", async () => {
  const mapping: Mapping = {
    header: false,
    fields: {
      sourceId: 1,
      name: { constant: "Boots" },
      city: [5, 4, 3],
      "address.line1": [2, 3, 4, 5],
      "address.line2": [2, 3, 4, 5],
      "address.postcode": [5, 4, 3],
    },
  };
  const csv = [
    "1,1 High Street,Oakham,LE15 6AA,",
    "2,Unit 3,Dock Road,Oakham,le156aa",
    "3,,Oakham,LE15 6AA Rutland,",
    "4,E1 Old Mill,Oakham,LE15 6AA,",
  ].join("\n");
  const read = (await records(readCsv(pieces(csv), mapping))) as ImportRecord[];
  expect(read.map(({ address }) => address)).toEqual([
    { line1: "1 High Street", postcode: "LE15 6AA" },
    { line1: "Unit 3", line2: "Dock Road", postcode: "le156aa" },
    { postcode: "LE15 6AA" },
    { line1: "E1 Old Mill", postcode: "LE15 6AA" },
  ]);
});

test("CSV: a locality before a large town of its postcode area goes to the second line", async () => {
  const mapping: Mapping = {
    header: false,
    fields: {
      sourceId: 1,
      name: { constant: "Boots" },
      city: 4,
      "address.line1": 2,
      "address.line2": 3,
      "address.postcode": 5,
    },
  };
  const read = async (csv: string, by = mapping) =>
    ((await records(readCsv(pieces(csv), by))) as ImportRecord[]).map(({ city, address }) =>
      [address?.line1, address?.line2, city].join("; "),
    );
  const split = [
    "1,2 Low Lane,,Horsforth  Leeds,LS18 4SE",
    "2,2 Low Lane,Woodside,HORSFORTH LEEDS,ls184se",
    "3,Health Centre,Chalky Road Portslade,Portslade Brighton East Sussex,BN41 2WF",
    "4,12 High Street,,St. George Bristol,BS5 7PH",
    "5,1 Main Road,,Gorleston-on-Sea Great Yarmouth,NR31 6AD",
  ].join("\n");
  expect(await read(split)).toEqual([
    "2 Low Lane; Horsforth; Leeds",
    "2 Low Lane; Woodside, Horsforth; Leeds",
    "Health Centre; Chalky Road Portslade; Brighton",
    "12 High Street; St George; Bristol",
    "1 Main Road; Gorleston-on-Sea; Great Yarmouth",
  ]);
  // A row without a first line says nothing of the second one, unless that has a column.
  const { "address.line2": _, ...fields } = mapping.fields;
  const rows = "1,2 Low Lane,,Horsforth Leeds,LS18 4SE\n2,,,Horsforth Leeds,LS18 4SE";
  expect(await read(rows, { header: false, fields })).toEqual([
    "2 Low Lane; Horsforth; Leeds",
    "; ; Leeds",
  ]);
  const whole = [
    "1,2 Low Lane,,Horsforth Leeds,",
    "2,2 Low Lane,,West Derby,L12 5EA",
    "3,2 Low Lane,,Long Preston,BD23 4PH",
    "4,2 Low Lane,,East Whitby,YO22 4HJ",
    "5,2 Low Lane,,Port Carlisle,CA7 5BU",
    "6,2 Low Lane,,Royal Tunbridge Wells,TN1 1RS",
    "7,2 Low Lane,,Upton by Chester,CH2 1HA",
    "8,2 Low Lane,,Milton Keynes,MK9 3BB",
  ];
  expect(await read(whole.join("\n"))).toEqual(
    whole.map((row) => `2 Low Lane; ; ${row.split(",")[3]}`),
  );
});
