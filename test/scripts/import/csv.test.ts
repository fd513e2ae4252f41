import { expect, test } from "bun:test";
import { readCsv } from "../../../scripts/import/csv.ts";
import type { Mapping } from "../../../scripts/import/mapping.ts";
import { until } from "../../../scripts/stack/waiting.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { pieces, records } from "./rows.ts";

test("CSV: a header with our names is our own format", async () => {
  const csv = `\ufeff"sourceId",name,address.line1,coordinates.lat,coordinates.lng,isClaimed,rating,photos
1,"Boots, ""Norwich""","1
High Street",52.6,1.3,yes,4.5,"[{""url"":""https://x.example/a""}]"
2,Short
3,No photos,,,,,,
4,Bad photos,,,,,,[
5,Bad rating,,,,,good,
6,Long, 1 High Street,,,,,,
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
    "the row has 9 columns instead of 8",
  ]);
});

test("CSV: names in JSON that are not ours are reported", async () => {
  const photos = JSON.stringify([{ url: "https://x.example/a", alt: "The front" }]);
  const csv = `sourceId,photos\n1,"${photos.replaceAll('"', '""')}"\n2,null\n`;
  expect(await Array.fromAsync(readCsv(pieces(csv), null))).toMatchObject([
    { unusable: ["photos.alt"] },
    { unusable: [] },
  ]);
});

test("CSV: an empty cell of a contact means that there is none, in other fields nothing", async () => {
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

test("CSV: a cell that only holds a placeholder is empty", async () => {
  const header =
    "sourceId,name,status,category,shortDescription,rating,isPremium,openingHours,phone";
  const cells = ["N/A", "-", "–", "#N/A", "#REF!", "tbc", "None", "NULL"];
  const rows = cells.map((cell, n) => `${n},Boots,,${[cell, cell, cell, cell, cell, cell]}`);
  expect(await records(readCsv(pieces([header, ...rows].join("\n")), null))).toEqual(
    cells.map((_, n) => ({ sourceId: `${n}`, name: "Boots", phone: "" })),
  );
  // A word may be a name or an id, and a business whose status is not known must not become public.
  const words = "sourceId,name,status\nNone,TBC,unknown\n#N/A,-,\n1,Boots,#REF!\n2,Boots,-\n";
  expect(await records(readCsv(pieces(words), null))).toEqual([
    { sourceId: "None", name: "TBC", status: "unknown" },
    {},
    { sourceId: "1", name: "Boots", status: "#REF!" },
    { sourceId: "2", name: "Boots", status: "-" },
  ]);
});

test("CSV: a file that has no header may have no rows either", async () => {
  const mapping: Mapping = { header: false, fields: { sourceId: 1, name: 2 } };
  expect(await records(readCsv(pieces("\n"), mapping))).toEqual([]);
});

test("CSV: a file is closed when nobody reads on", async () => {
  let isClosed = false;
  async function* endless() {
    yield "sourceId,name\n";
    try {
      for (;;) yield "1,Boots\n";
    } finally {
      isClosed = true;
    }
  }
  for await (const row of readCsv(endless(), null)) {
    expect(row.line).toBe(2);
    break;
  }
  await until(() => isClosed, 5_000);
});

test("CSV: the header of a file that was appended to another is not a business", async () => {
  const csv = "sourceId,name\n1,Boots\n\ufeffsourceId,name \n2,Shoes\n";
  expect(await records(readCsv(pieces(csv), null))).toEqual([
    { sourceId: "1", name: "Boots" },
    "the row repeats the header",
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

test("CSV: the delimiter is the one that the first line has most often, or else a comma", async () => {
  const mapping: Mapping = { header: true, fields: { sourceId: "ID", name: 2, city: "Town" } };
  const semicolons = "ID;Name;Address, line 1;Town\n1;Boots;1 Briggate;Leeds\n";
  const boots = { sourceId: "1", name: "Boots", city: "Leeds" };
  expect(await records(readCsv(pieces(semicolons), mapping))).toEqual([boots]);
  const bars = "1|Smith, Jones & Co|Leeds\n";
  const numbered: Mapping = { header: false, fields: { sourceId: 1, name: 2, city: 3 } };
  expect(await records(readCsv(pieces(bars), numbered))).toEqual([
    { ...boots, name: "Smith, Jones & Co" },
  ]);
  const broken = 'ID,"Name; trade;\nor both",Town\n1,Boots,Leeds\n';
  expect(await records(readCsv(pieces(broken), mapping))).toEqual([boots]);
  const single = "sourceId\nA|B\n";
  expect(await records(readCsv(pieces(single), null))).toEqual([{ sourceId: "A|B" }]);
});

test("CSV: blank lines may come before the header, whatever the delimiter", async () => {
  for (const [blank, delimiter, lineEnd] of [
    [[""], ";", "\n"],
    [["\ufeff", " ", ""], "\t", "\n"],
    [[""], "|", "\r\n"],
    [[""], ";", "\r"],
  ] as const) {
    const rows = ["sourceId,name", "1,Boots", "2"].map((row) => row.replace(",", delimiter));
    const csv = [...blank, ...rows].join(lineEnd);
    expect(await Array.fromAsync(readCsv(pieces(csv), null))).toMatchObject([
      { line: blank.length + 2, record: { sourceId: "1", name: "Boots" } },
      { line: blank.length + 3, reason: "the row has 1 columns instead of 2" },
    ]);
  }
});

test("CSV: a first line that tells Excel the delimiter is not the header", async () => {
  for (const [start, lineEnd] of [
    ["sep=;", "\n"],
    ["\ufeffsep=;", "\r\n"],
    ["SEP=;", "\r"],
  ] as const) {
    const csv = [start, "sourceId;name", "1;Boots", "2"].join(lineEnd);
    const read = await Array.fromAsync(readCsv(pieces(csv), null));
    expect(read).toMatchObject([
      { line: 3, record: { sourceId: "1", name: "Boots" } },
      { line: 4, reason: "the row has 1 columns instead of 2" },
    ]);
  }
});

test("CSV: a row is numbered by its first line, whatever the line ends in its cells", async () => {
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
  const titled = records(readCsv(pieces("Our shops,\nsourceId,name\n1,Boots\n"), null));
  await expect(titled).rejects.toThrow("remove the lines above it");
  await expect(records(readCsv(pieces("sourceId,nmae\n1,Boots\n"), null))).rejects.toThrow("nmae");
  const anonymous = records(readCsv(pieces("name,city\nBoots,Leeds\n"), null));
  await expect(anonymous).rejects.toThrow("no column sourceId");
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
  for (const size of [7, csv.length]) {
    expect(await records(readCsv(pieces(csv, size), null))).toEqual([
      { sourceId: "1", name: "Boots\rNorwich" },
      { sourceId: "2", name: "Shoes" },
    ]);
  }
});

test("CSV: a repeated column, or one without a name, is refused with what is wrong", async () => {
  const twice = records(readCsv(pieces("sourceId,name,phone,phone\n1,Boots,1,\n"), null));
  await expect(twice).rejects.toThrow("repeats columns: phone");
  const unnamed = records(readCsv(pieces("sourceId,name,\n1,Boots,\n"), null));
  await expect(unnamed).rejects.toThrow("unknown columns: one without a name");
});

test.each(["", '" '])(
  "CSV: a header with very many columns is refused in no time: c0%s",
  async (after) => {
    const columns = Array.from({ length: 80_000 }, (_, n) => `${after.trim()}c${n}${after}`);
    const header = `sourceId,${columns.join(",")}\n`;
    const rows = records(readCsv(pieces(header, header.length), null));
    await expect(rows).rejects.toThrow(/unknown columns: "?c0/);
  },
  5_000,
);

test.each([
  ["quote", 'sourceId,name\n1,A\n2,"', "\n", 3],
  ["first line", "", "x", 1],
])(
  "CSV: a %s that nothing ends fails the file before all of it is in memory, with its line",
  async (_, start, end, line) => {
    let taken = 0;
    async function* endless() {
      yield start;
      for (; taken < 50; taken++) yield `${"x".repeat(999_999)}${end}`;
    }
    await expect(records(readCsv(endless(), null))).rejects.toThrow(
      `This is not CSV: the row that begins in line ${line} is longer than 10,000,000 bytes, perhaps because a quote is not closed.`,
    );
    expect(taken).toBeLessThan(20);
  },
);

test("CSV: an error while the text is read is passed on unchanged", async () => {
  async function* broken() {
    yield "sourceId,name\n1,A\n";
    throw new Error("the disk fails");
  }
  await expect(records(readCsv(broken(), null))).rejects.toThrow(/^the disk fails$/);
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

test("CSV: white space may come after a name, or a cell in quotes", async () => {
  const csv = [
    '"sourceId" ,"name" ,description\t',
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
  ["after an empty line", 'sourceId,name\n1,A\n\n2,"B\n', 4],
  ["in the header", 'sourceId,"name\n1,A\n', 1],
  ["in the header after a line for Excel", 'sep=,\nsourceId,"name\n1,A\n', 2],
])("CSV: a quote that is not closed %s fails the file, with its line", async (_, csv, line) => {
  await expect(records(readCsv(pieces(csv), null))).rejects.toThrow(
    `This is not CSV: from line ${line} on, a quote is not closed.`,
  );
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
  const { openingHours: office } = (await read("Mo-Fr 09:00-17:00")) as ImportRecord;
  expect(office?.slice(4)).toMatchObject([
    { day: "FRIDAY", openTime: "09:00", closeTime: "17:00" },
    { day: "SATURDAY", isClosed: true },
    { day: "SUNDAY", isClosed: true },
  ]);
  const closed = (await read("Mo-Su off")) as ImportRecord;
  expect(closed.openingHours).toHaveLength(7);
  expect(closed.openingHours?.every(({ isClosed }) => isClosed)).toBe(true);
  const days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
  const long = days.map((day) => `${day} 07:00-09:00,10:00-12:00,13:00-15:00`).join("; ");
  expect(((await read(long)) as ImportRecord).openingHours).toHaveLength(21);
  const reason =
    "openingHours is neither JSON nor clear text: write days and 24-hour times, as in Mo-Fr 09:00-17:00; Sa 09:00-12:30";
  expect(await read("Mo-Su never")).toBe(reason);
  expect(await read("Mo-Fr 9-5")).toBe(reason);
  // To OpenStreetMap the last rule of a day is the one that holds.
  expect(await read("Mo-Fr 09:00-17:00; Mo-Su off")).toBe(reason);
  expect(await read(`${long}; Su off`)).toBe(reason);
  expect(await read("by appointment")).toBe(reason);
  expect(await read("[")).toBe(reason);
});
