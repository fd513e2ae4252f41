import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCsv } from "../../scripts/import/csv.ts";
import { readFhrs } from "../../scripts/import/fhrs.ts";
import { guessFormat } from "../../scripts/import/formats.ts";
import type { Mapping } from "../../scripts/import/mapping.ts";
import { readNdjson } from "../../scripts/import/ndjson.ts";
import { readOsm } from "../../scripts/import/osm.ts";
import { categoryOf, isVacant } from "../../scripts/import/osm-categories.ts";
import { readOutcodes } from "../../scripts/import/outcodes.ts";
import type { Row } from "../../scripts/import/row.ts";
import { readText } from "../../scripts/import/text.ts";
import type { ImportRecord } from "../../src/directory/import/record.ts";

/** A text in pieces of a few characters, so that every boundary falls somewhere. */
async function* pieces(text: string, size = 7) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const records = async (rows: AsyncIterable<Row>) =>
  (await Array.fromAsync(rows)).map((row) =>
    "record" in row ? row.record : row.reason,
  ) as unknown[];

test("the format is told by how a file begins, or else by its name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "highstreet-formats-"));
  const places = { type: "FeatureCollection", features: [{ id: "node/1" }] };
  const record = '{"sourceId":"1","name":"features","features":["FeatureCollection"]}';
  try {
    for (const [format, name, text] of [
      ["ndjson", "a.json", '{"sourceId":"1"}'],
      // What looks like OpenStreetMap's is in a record, for that is complete on its line.
      ["ndjson", "b.json", `${record}\n${record}\n`],
      ["ndjson", "c.json", `\n${record}\r\n{"sourceId":`],
      ["ndjson", "d.jsonl", ""],
      ["osm", "e.ndjson", `${JSON.stringify(places)}\n`],
      ["osm", "f.json", JSON.stringify(places, null, 2)],
      ["fhrs", "g.csv", '\ufeff<?xml version="1.0"?>'],
      ["csv", "h.txt", "sourceId,name\n"],
      ["csv", "h.tsv", "sourceId\tname\n"],
      ["csv", "i.csv", "sourceId"],
    ] as const) {
      const file = join(folder, name);
      await Bun.write(file, text);
      expect([name, await guessFormat(file)]).toEqual([name, format]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("NDJSON: each line is a record, a broken one is rejected with its number", async () => {
  const rows = await Array.fromAsync(readNdjson(pieces('{"sourceId":"1"}\r\n\n{"a":\n["é"]')));
  expect(rows).toEqual([
    { line: 1, row: { sourceId: "1" }, record: { sourceId: "1" } as never },
    { line: 3, row: '{"a":', reason: "the line is not JSON" },
    { line: 4, row: ["é"], reason: "the row is not an object" },
  ]);
});

test("NDJSON: what is no field of ours is told of", async () => {
  const json = [
    '{"sourceId":"1","telephone":"1","address":{"line1":"1 Briggate","town":"Leeds"}}',
    '{"sourceId":"2","address":"1 Briggate","coordinates":[-1.5,53.8]}',
    '{"sourceId":"3","address":null,"coordinates":{"lat":53.8,"lng":-1.5}}',
  ].join("\n");
  const rows = await Array.fromAsync(readNdjson(pieces(json)));
  expect(rows.map((row) => ("record" in row ? row.unusable : row.reason))).toEqual([
    ["telephone", "address.town"],
    ["coordinates"],
    undefined,
  ]);
});

test("NDJSON: a file that was put behind another one may begin with a mark", async () => {
  const json = '{"sourceId":"1"}\n\ufeff{"sourceId":"2"}\n';
  expect(await records(readNdjson(pieces(json)))).toEqual([{ sourceId: "1" }, { sourceId: "2" }]);
});

test("a text that is not UTF-8 is refused with the line and the byte of its first fault", async () => {
  const folder = await mkdtemp(join(tmpdir(), "highstreet-text-"));
  const file = join(folder, "a.csv");
  const refusal = async (...parts: (string | number[])[]) => {
    await Bun.write(file, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    return Array.fromAsync(readText(file)).catch((error: Error) => error.message);
  };
  const fault = (line: number, byte: number, code = "WINDOWS-1252") =>
    `${file} is not UTF-8 (line ${line}, byte ${byte} of the file): convert it first, for example with iconv -f ${code} -t UTF-8.`;
  const LATIN_E = [0xe9];
  try {
    expect(await refusal("\ufeffCafé\n", LATIN_E)).toBe(fault(2, 10));
    expect(await refusal("a\n".repeat(21_402), [0xa3])).toBe(fault(21_403, 42_805));
    expect(await refusal([0xa3], "a\n")).toBe(fault(1, 1));
    expect(await refusal([0xff, 0xfe], "a\0\n\0")).toBe(fault(1, 1, "UTF-16"));
    expect(await refusal([0xfe, 0xff], "\0a\0\n")).toBe(fault(1, 1, "UTF-16"));
    expect(await refusal("a\n", [0xff, 0xfe])).toBe(fault(2, 3));
    // Pieces of a file end at multiples of a power of two: within a character, and within the fault.
    for (let before = 262_130; before < 262_146; before++) {
      const line = "x".repeat(before);
      expect(await refusal("\n", line, "£\n€\n🎂", LATIN_E, "\n")).toBe(fault(4, before + 13));
      expect(await refusal(line, LATIN_E, "\n")).toBe(fault(1, before + 1));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["gzip", "\x1f\x8b"],
  ["zip", "PK\x03\x04"],
  ["xz", "\xfd7zXZ"],
  ["Zstandard", "\x28\xb5\x2f\xfd"],
  ["7z", "7z\xbc\xaf"],
  ["bzip2", "BZh91AY"],
  [".xls", "\xd0\xcf\x11\xe0"],
])("a file that begins as %s does is told to be unpacked or saved as CSV", async (_, start) => {
  const file = join(tmpdir(), crypto.randomUUID());
  await Bun.write(file, Buffer.from(`${start} and more`, "latin1"));
  await expect(Array.fromAsync(readText(file))).rejects.toThrow("is compressed or a spreadsheet");
  await rm(file);
});

test("CSV: a header with our names is our own format", async () => {
  const csv = `\ufeffsourceId,name,address.line1,coordinates.lat,coordinates.lng,isClaimed,rating,photos
1,"Boots, ""Norwich""","1
High Street",52.6,1.3,yes,4.5,"[{""url"":""https://x.example/a""}]"
2,Short
3,No photos,,,,,,
4,Bad photos,,,,,,[
5,Bad rating,,,,,good,
`;
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    {
      sourceId: "1",
      name: 'Boots, "Norwich"',
      address: { line1: "1\nHigh Street" },
      coordinates: { lat: 52.6, lng: 1.3 },
      isClaimed: true,
      rating: 4.5,
      photos: [{ url: "https://x.example/a" }],
    },
    "the row has 2 columns instead of 8",
    { sourceId: "3", name: "No photos" },
    "photos is not JSON",
    { sourceId: "5", name: "Bad rating", rating: "good" },
  ]);
});

test("CSV: an empty cell of a contact says that there is none, of other fields nothing", async () => {
  const csv = "sourceId,name,city,phone,email,website,rating\n1,Boots,,, ,,\n";
  const none = { sourceId: "1", name: "Boots", phone: "", email: "", website: "" };
  expect(await records(readCsv(pieces(csv), null))).toEqual([none]);
  const mapping: Mapping = {
    header: false,
    fields: { sourceId: 1, name: 2, phone: [3, 4], city: 5 },
  };
  expect(await records(readCsv(pieces("1,Boots,,,\n"), mapping))).toEqual([
    { sourceId: "1", name: "Boots", phone: "" },
  ]);
});

test("CSV: the header of a file that was put behind another one is no business", async () => {
  const csv = "sourceId,name\n1,Boots\n\ufeffsourceId,name\n2,Shoes\n";
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "Boots" },
    "the row is the header once more",
    { sourceId: "2", name: "Shoes" },
  ]);
  const mapping: Mapping = { header: false, fields: { sourceId: 1, name: 2 } };
  expect(await records(readCsv(pieces("1,A\n1,A\n"), mapping))).toHaveLength(2);
});

test("CSV: columns may have semicolons, tabs or bars between them", async () => {
  for (const delimiter of [";", "\t", "|"]) {
    const csv = 'sourceId,"name",city\n1,"Boots; Shoes\t| and more",Leeds\n'.replaceAll(
      ",",
      delimiter,
    );
    expect(await records(readCsv(pieces(csv), null))).toEqual([
      { sourceId: "1", name: "Boots; Shoes\t| and more", city: "Leeds" },
    ]);
  }
  const mapping: Mapping = { header: true, fields: { sourceId: 1, name: "Name; of shop" } };
  expect(await records(readCsv(pieces('id,"Name; of shop"\n1,A;B\n'), mapping))).toEqual([
    { sourceId: "1", name: "A;B" },
  ]);
});

test("CSV: what the first line has most often is between the columns", async () => {
  const mapping: Mapping = { header: true, fields: { sourceId: "ID", name: 2, city: "Town" } };
  const semicolons = "ID;Name;Address, line 1;Town\n1;Boots;1 Briggate;Leeds\n";
  const boots = { sourceId: "1", name: "Boots", city: "Leeds" };
  expect(await records(readCsv(pieces(semicolons), mapping))).toEqual([boots]);
  const bars = "1|Smith, Jones & Co|Leeds\n";
  const numbered: Mapping = { header: false, fields: { sourceId: 1, name: 2, city: 3 } };
  expect(await records(readCsv(pieces(bars), numbered))).toEqual([
    { ...boots, name: "Smith, Jones & Co" },
  ]);
});

test("CSV: a first line that tells Excel the delimiter is no header", async () => {
  for (const [mark, lineEnd] of [
    ["", "\n"],
    ["\ufeff", "\r\n"],
    ["", "\r"],
  ] as const) {
    const csv = `${mark}${["sep=;", "sourceId;name", "1;Boots", "2"].join(lineEnd)}`;
    const read = await Array.fromAsync(readCsv(pieces(csv), null));
    expect(read).toMatchObject([
      { line: 3, record: { sourceId: "1", name: "Boots" } },
      { line: 4, reason: "the row has 1 columns instead of 2" },
    ]);
  }
});

test("CSV: a row is told by its first line, however the lines within its cells end", async () => {
  for (const [rowEnd, cellEnd] of [
    ["\r\n", "\r\n"],
    ["\r\n", "\n"],
    ["\n", "\r\n"],
    ["\r", "\r"],
  ] as const) {
    const rows = ["sourceId,name", '1,"A¶B¶C"', "2,D", "", '3,"E¶F"', "4,G"];
    const csv = rows.join(rowEnd).replaceAll("¶", cellEnd);
    const read = await Array.fromAsync(readCsv(pieces(csv), null));
    expect(read.map(({ line }) => line)).toEqual([2, 5, 7, 9]);
  }
});

test("CSV: the empty rows that spreadsheets leave below the last one are none", async () => {
  expect(await records(readCsv(pieces("sourceId,name\n1,Boots\n,\n , \n,,,\n"), null))).toEqual([
    { sourceId: "1", name: "Boots" },
  ]);
});

test("CSV: a header that is not ours is refused with what to do", async () => {
  await expect(records(readCsv(pieces("id,title\n1,Boots\n"), null))).rejects.toThrow("--mapping");
  await expect(records(readCsv(pieces("sourceId,nmae\n1,Boots\n"), null))).rejects.toThrow("nmae");
});

test("CSV: a header and rows may end in different ways", async () => {
  for (const csv of [
    'sourceId,name\r\n1,"Boots"\n2,Shoes\n',
    'sourceId,name\n1,"Boots"\r\n2,Shoes\r\n',
    'sourceId,name\r1,"Boots"\r2,Shoes',
  ]) {
    expect(await records(readCsv(pieces(csv), null))).toEqual([
      { sourceId: "1", name: "Boots" },
      { sourceId: "2", name: "Shoes" },
    ]);
  }
});

test("CSV: a return within a cell does not end its row", async () => {
  const csv = "sourceId,name\n1,Boots\rNorwich\n2,Shoes\n";
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "Boots\rNorwich" },
    { sourceId: "2", name: "Shoes" },
  ]);
});

test("CSV: a column that is there twice, or has no name, is refused with what is wrong", async () => {
  const twice = records(readCsv(pieces("sourceId,name,phone,phone\n1,Boots,1,\n"), null));
  await expect(twice).rejects.toThrow("columns twice: phone");
  const unnamed = records(readCsv(pieces("sourceId,name,\n1,Boots,\n"), null));
  await expect(unnamed).rejects.toThrow("unknown columns: one without a name");
});

test("CSV: a header with very many columns is refused in no time", async () => {
  const header = `sourceId,${Array.from({ length: 80_000 }, (_, n) => `c${n}`).join(",")}\n`;
  const rows = records(readCsv(pieces(header, header.length), null));
  await expect(rows).rejects.toThrow("unknown columns: c0");
}, 5_000);

test("CSV: a file that lacks a column of the mapping is refused, whether named or numbered", async () => {
  const read = (csv: string, mapping: Mapping) => records(readCsv(pieces(csv), mapping));
  const fields = { sourceId: 1, name: ["title", 2], phone: 3 };
  await expect(
    read("7,Boots\n", { header: false, fields: { ...fields, name: 2 } }),
  ).rejects.toThrow("The mapping names column 3, but the file has only 2.");
  await expect(read("id,title\n7,Boots\n", { header: true, fields })).rejects.toThrow(
    "The mapping names column 3, but the file has only 2.",
  );
  await expect(read("id,label,phone\n7,Boots,1\n", { header: true, fields })).rejects.toThrow(
    "The file has no column title; it has id, label, phone.",
  );
  await expect(read("7,Boots,1\n", { header: false, fields })).rejects.toThrow(
    "The mapping names the column title, but says that the file has no header.",
  );
});

test("outcodes: from files of outcodes and of postcodes, without places that are nowhere", async () => {
  const folder = await mkdtemp(join(tmpdir(), "highstreet-outcodes-"));
  try {
    const file = join(folder, "GB.txt");
    const place = (code: string, latitude: string, longitude: string) =>
      ["GB", code, "A place", "", "", "", "", "", "", latitude, longitude, "4"].join("\t");
    const lines = [
      place("NR2", "52.62", "1.28"),
      "",
      place("NR2 1LL", "52.64", "1.30"),
      place("NR2", "", ""),
      place("NR1", "52.6", "1.3"),
    ];
    await Bun.write(file, `${lines.join("\n")}\n`);
    const outcodes = await readOutcodes(file);
    expect([...outcodes.keys()]).toEqual(["NR2", "NR1"]);
    expect(outcodes.get("NR2")?.latitude).toBeCloseTo(52.63, 6);
    expect(outcodes.get("NR2")?.longitude).toBeCloseTo(1.29, 6);
    await Bun.write(file, "not,a,postal,file\n");
    await expect(readOutcodes(file)).rejects.toThrow("line 1");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("FHRS: a text may be in a CDATA section", async () => {
  const xml = `<x><EstablishmentDetail><FHRSID>1</FHRSID><BusinessName><![CDATA[B&Q]]></BusinessName>
    <PostCode><![CDATA[NR2 1LL]]></PostCode></EstablishmentDetail></x>`;
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([
    { sourceId: "1", name: "B&Q", address: { postcode: "NR2 1LL" } },
  ]);
});

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

test("CSV: a quote that nothing ends fails the file before all of it is in memory, with its line", async () => {
  let taken = 0;
  async function* endless() {
    yield 'sourceId,name\n1,A\n2,"';
    for (; taken < 50; taken++) yield `${"x".repeat(999_999)}\n`;
  }
  await expect(records(readCsv(endless(), null))).rejects.toThrow(
    "This is not CSV: the row that begins in line 3 is longer than 10,000,000 bytes, perhaps since a quote is not closed.",
  );
  expect(taken).toBeLessThan(20);
});

test("CSV: a quote that is part of a text is read as it stands", async () => {
  const csv = [
    "sourceId\tname\tdescription",
    '1\t12" Pizza\t',
    '2\t"Best" Pizza\t"Pizza\nand pasta"',
    '3\t"""Best"" said\n""Ann"""\t',
    '4\t"12"" Pizza"\t',
  ].join("\n");
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: '12" Pizza' },
    { sourceId: "2", name: '"Best" Pizza', description: "Pizza\nand pasta" },
    { sourceId: "3", name: '"Best" said\n"Ann"' },
    { sourceId: "4", name: '12" Pizza' },
  ]);
});

test("CSV: a cell in quotes may come after a space", async () => {
  const csv = 'sourceId, "name", city\n1, "Boots, Norwich", Norwich\n2, ,\n';
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "Boots, Norwich", city: "Norwich" },
    { sourceId: "2" },
  ]);
});

test("CSV: white space may come after a cell in quotes", async () => {
  const csv = [
    '"sourceId" ,"name" ,"description"\t',
    '"1" ,"Boots, Norwich" ,"Open\nlate" ',
    '2,"The ""Best"" Pizza"  ,"" ',
    '3,"Best" or "Better" ,"""Best"" "',
  ].join("\n");
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "Boots, Norwich", description: "Open\nlate" },
    { sourceId: "2", name: 'The "Best" Pizza' },
    { sourceId: "3", name: '"Best" or "Better"', description: '"Best"' },
  ]);
});

test.each([
  ["at all", 'sourceId,name\n1,A\n2,"B\n3,C\n', 3],
  ["before another row has one", 'sourceId,name\n1,A\n2,"B\n3,Shoes "R" Us\n4,D\n', 3],
  ["before another row has a cell in quotes", 'sourceId,name\n1,"A\n2,"B"\n', 2],
  ["in the header", 'sourceId,"name\n1,A\n', 1],
])("CSV: a quote that is not closed %s fails the file, with its line", async (_, csv, line) => {
  await expect(records(readCsv(pieces(csv), null))).rejects.toThrow(
    `This is not CSV: from line ${line} on, a quote is not closed.`,
  );
});

test("CSV: a mapping takes columns by name, by number and constants", async () => {
  const mapping: Mapping = {
    header: true,
    fields: {
      sourceId: "Ref",
      name: 2,
      category: { constant: "pharmacies" },
      phone: ["Mobile", "Phone"],
    },
  };
  const csv = "Ref,Title,Phone,Mobile\n7,Boots,01632 960123,\n";
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    { sourceId: "7", name: "Boots", category: "pharmacies", phone: "01632 960123" },
  ]);
  const wrong: Mapping = { header: true, fields: { sourceId: "Ref", name: "Name" } };
  await expect(records(readCsv(pieces(csv), wrong))).rejects.toThrow("no column Name");
});

test("CSV: of several columns with a contact or postcode the first that can be used is taken", async () => {
  const mapping: Mapping = {
    header: false,
    fields: { sourceId: 1, name: 2, phone: [3, 4], "address.postcode": [5, 6] },
  };
  const csv = "1,A,n/a,01632 960123,Leeds,LS1 6HD\n2,B,,ask Bob,-,\n";
  expect(await records(readCsv(pieces(csv), mapping))).toEqual([
    { sourceId: "1", name: "A", phone: "01632 960123", address: { postcode: "LS1 6HD" } },
    // Not usable, for the directory to tell of.
    { sourceId: "2", name: "B", phone: "ask Bob", address: { postcode: "-" } },
  ]);
});

test("CSV: a number may have a comma for the point", async () => {
  const csv = 'sourceId,name,coordinates.lat,coordinates.lng,rating\n1,A,"52,63","-1,3","4,5"\n';
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "A", coordinates: { lat: 52.63, lng: -1.3 }, rating: 4.5 },
  ]);
});

test.each([
  ["7", 7],
  ["1,000", 1_000],
  ["12,345", 12_345],
  ["1,200,300", 1_200_300],
  // For the directory to refuse.
  ["4,5", "4,5"],
  ["1,0000", "1,0000"],
  ["4.5", 4.5],
])("CSV: %p reviews are %p", async (cell, reviewCount) => {
  const csv = `sourceId,reviewCount\n1,"${cell}"\n`;
  expect(await records(readCsv(pieces(csv), null))).toEqual([{ sourceId: "1", reviewCount }]);
});

test("CSV: true and false may be written as databases and people do", async () => {
  const read = async (cell: string) => {
    const [record] = await records(readCsv(pieces(`sourceId,isPremium\n1,${cell}\n`), null));
    return (record as ImportRecord).isPremium as unknown;
  };
  for (const cell of ["true", "t", "TRUE", "yes", "Y", "1"]) expect(await read(cell)).toBe(true);
  for (const cell of ["false", "f", "FALSE", "no", "N", "0"]) expect(await read(cell)).toBe(false);
  expect(await read("maybe")).toBe("maybe");
});

test("CSV: opening hours may be a list in JSON, or such as the directory keeps", async () => {
  const monday = { day: "MONDAY", openTime: "09:00", closeTime: "17:00" };
  const read = async (cell: string) => {
    const csv = `sourceId,openingHours\n1,"${cell.replaceAll('"', '""')}"\n`;
    return (await records(readCsv(pieces(csv), null)))[0];
  };
  expect(await read(JSON.stringify([monday]))).toEqual({ sourceId: "1", openingHours: [monday] });
  expect(await read("null")).toEqual({ sourceId: "1", openingHours: null });
  const week = (await read("Mo 09:00-17:00; Tu 00:00-24:00; We-Su off")) as ImportRecord;
  expect(week.openingHours?.slice(0, 3)).toMatchObject([
    monday,
    { day: "TUESDAY", is24Hours: true },
    { day: "WEDNESDAY", isClosed: true },
  ]);
  const reason = "openingHours is neither JSON nor such as Mo-Fr 09:00-17:00";
  expect(await read("by appointment")).toBe(reason);
  expect(await read("[")).toBe(reason);
});

test("CSV: a shifted address still gives its town and its lines", async () => {
  const mapping: Mapping = {
    header: false,
    fields: {
      sourceId: 1,
      name: 2,
      city: [6, 5, 4],
      "address.line1": [3, 4, 5],
      "address.line2": [4, 5],
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
  ]);
});

const establishment = (fields: string) =>
  `<FHRSEstablishment><EstablishmentCollection><EstablishmentDetail>${fields}</EstablishmentDetail></EstablishmentCollection></FHRSEstablishment>`;

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

test("FHRS: an ampersand is one in the address, too", async () => {
  const xml = establishment(`<FHRSID>7</FHRSID><BusinessName>The Mill</BusinessName>
    <AddressLine1>Unit 3 \\&amp; 4</AddressLine1><AddressLine2>Hammersmith \\&amp; Fulham</AddressLine2>`);
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([
    { address: { line1: "Unit 3 & 4" }, city: "Hammersmith & Fulham" },
  ]);
});

test.each([
  [["1 High Street", "Forfar", "Angus"], "Forfar"],
  [["1 High Street", "Ebbw Vale", "Blaenau Gwent"], "Ebbw Vale"],
  [["1 High Street", "Portree", "Isle of Skye"], "Portree"],
  [["1 High Street", "Isle of Skye"], "Isle of Skye"],
])("FHRS: of the lines %p, %p is the town", async (lines, city) => {
  const fields = lines.map((line, place) => {
    const name = `AddressLine${place + 1}`;
    return `<${name}>${line}</${name}>`;
  });
  const xml = establishment(`<FHRSID>1</FHRSID><BusinessName>A</BusinessName>${fields.join("")}`);
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([
    { city, address: { line1: "1 High Street" } },
  ]);
});

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
  // What the scheme does not list, whatever it is called.
  ["Windmill", "other-organisations"],
  ["constructor", "other-organisations"],
  ["toString", "other-organisations"],
  ["__proto__", "other-organisations"],
])("FHRS: the type %s is the category %s", async (type, category) => {
  const xml = establishment(
    `<FHRSID>1</FHRSID><BusinessName>A</BusinessName><BusinessType>${type}</BusinessType>`,
  );
  expect(await records(readFhrs(pieces(xml)))).toMatchObject([{ category }]);
});

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

const collection = (...features: object[]) =>
  JSON.stringify({ type: "FeatureCollection", features });
const point = { type: "Point", coordinates: [1.3, 52.6] };

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

test("OSM: what one tag lacks another may have", async () => {
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
  const json = collection(place("node"), place("way"));
  expect(await records(readOsm(pieces(json)))).toMatchObject([
    { sourceId: "node/777" },
    { sourceId: "way/777" },
  ]);
});

test("OSM: tags may be apart from what else is known of an element", async () => {
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

test("OSM: a house that is named as the place itself needs no line where a street is given", async () => {
  const place = { name: "The Lion’s Den", "addr:housename": "the lions den" };
  const street = { "addr:street": "Magdalen Street" };
  const number = { "addr:housenumber": "5" };
  expect(await addressOf({ ...place, ...street, ...number })).toEqual({
    line1: "5 Magdalen Street",
  });
  expect(await addressOf({ ...place, ...street })).toEqual({ line1: "Magdalen Street" });
  expect(await addressOf(place)).toEqual({ line1: "the lions den" });
});

test("OSM: the number or letter of a unit is told to be one", async () => {
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

test("OSM: hours that cannot be read say that there are none, and are told of", async () => {
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

test("OSM: what is nested deeper than any place is no geometry and no id", async () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const json = collection(
    { id: "node/1", properties: { name: "A" }, geometry: { coordinates: "deep" } },
    { id: "deep", properties: { name: "B" }, geometry: point },
    { id: "node/3", properties: { name: "C" }, geometry: point },
  ).replaceAll('"deep"', deep);
  const [unplaced, ...others] = await records(readOsm(pieces(json, 65_536)));
  expect(unplaced).toMatchObject({ sourceId: "node/1" });
  expect(unplaced).not.toHaveProperty("coordinates");
  expect(others).toMatchObject(["the feature has no id", { sourceId: "node/3" }]);
});

test("OSM: what has no name, and what is vacant or disused, is rejected; a line has its middle", async () => {
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
    "the feature has no id",
  ]);
});

test("OSM: a place that is disused, or whose end has come, waits for a person to decide", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const [year, month] = [today.slice(0, 4), today.slice(0, 7)];
  const pending = [{ disused: "yes" }, ...["2019-07-20", "2019-07", "2019"].map(ending)];
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

test("OSM, FHRS: an extract in which nothing was found is read to its end", async () => {
  expect(await records(readOsm(pieces(collection())))).toEqual([]);
  const none = "<FHRSEstablishment><EstablishmentCollection/></FHRSEstablishment>";
  expect(await records(readFhrs(pieces(none)))).toEqual([]);
});

test("OSM: every tag leads to a category, of several the first that is known", () => {
  expect(categoryOf({ shop: "clothes;interior_decoration" })).toBe("clothes-shops");
  expect(categoryOf({ shop: "dragons;shoes" })).toBe("shoe-shops");
  expect(categoryOf({ shop: "dragons" })).toBe("other-shops");
  expect(categoryOf({ amenity: "fuel", shop: "convenience" })).toBe("petrol-stations");
  expect(categoryOf({ amenity: "fast_food", cuisine: "fish_and_chips" })).toBe("fish-and-chips");
  expect(categoryOf({ leisure: "dragons" })).toBe("other-leisure");
  expect(categoryOf({ shop: "vacant", leisure: "park" })).toBe("parks-and-playgrounds");
  expect(categoryOf({ natural: "tree" })).toBe("other-organisations");
});

test("OSM: a second tag says more exactly what a place is", () => {
  const barber = { shop: "hairdresser", male: "yes" };
  expect(categoryOf(barber)).toBe("barbers");
  expect(categoryOf({ ...barber, female: "yes" })).toBe("hairdressers");
  expect(categoryOf({ ...barber, unisex: "yes" })).toBe("hairdressers");
  expect(categoryOf({ shop: "hairdresser", male: "no" })).toBe("hairdressers");
  expect(categoryOf({ shop: "hairdresser", hairdresser: "barber" })).toBe("barbers");
  expect(categoryOf({ shop: "beauty", beauty: "eyebrows;nails" })).toBe("nail-bars");
  expect(categoryOf({ shop: "clothes", clothes: "wedding" })).toBe("bridal-shops");
  expect(categoryOf({ shop: "clothes", clothes: "women" })).toBe("clothes-shops");
  expect(categoryOf({ leisure: "sports_centre", sport: "billiards" })).toBe(
    "snooker-and-pool-halls",
  );
  const home = { amenity: "social_facility", social_facility: "nursing_home" };
  expect(categoryOf(home)).toBe("care-homes");
  const needles = { healthcare: "alternative", "healthcare:speciality": "acupuncture" };
  expect(categoryOf(needles)).toBe("acupuncturists");
  // Not what another tag of the same name would say.
  expect(categoryOf({ shop: "books", beauty: "nails", cuisine: "thai" })).toBe("bookshops");
});

test("OSM: a place is vacant only when nothing live is left of it", () => {
  expect(isVacant({ shop: "vacant" })).toBe(true);
  expect(isVacant({ "disused:shop": "books" })).toBe(true);
  expect(isVacant({ shop: "vacant", amenity: "cafe" })).toBe(false);
  expect(isVacant({ shop: "books", "disused:amenity": "place_of_worship" })).toBe(false);
  expect(isVacant({ natural: "tree" })).toBe(false);
});
