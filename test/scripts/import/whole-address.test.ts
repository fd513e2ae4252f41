import { expect, test } from "bun:test";
import { readCsv } from "../../../scripts/import/csv.ts";
import type { Mapping } from "../../../scripts/import/mapping.ts";
import { findPostcode, takeApart } from "../../../scripts/import/whole-address.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { pieces, records } from "./rows.ts";

const quoted = (cell: string) => `"${cell}"`;

/** Line 1, line 2, city and postcode of each row, as records have them. */
async function read(rows: readonly string[][], mapping: Mapping | null) {
  const header = ["sourceId", "name", "address.line1", "city", "address.postcode", "address.line2"];
  const table = [header, ...rows.map((row, place) => [`${place}`, "Boots", ...row])];
  const csv = table.map((row) => header.map((_, n) => quoted(row[n] ?? "")).join(",")).join("\n");
  const found = (await records(readCsv(pieces(csv), mapping))) as ImportRecord[];
  return found.map(({ address, city }) => [
    address?.line1,
    address?.line2,
    city,
    address?.postcode,
  ]);
}

const LS1 = "LS1 4AB";

test.each([
  [["12 High Street, Leeds, LS1 4AB", "Leeds", LS1], ["12 High Street"]],
  [["12 High Street, Leeds", "Leeds", LS1], ["12 High Street"]],
  [["12 High Street, LS14AB", "Leeds", LS1], ["12 High Street"]],
  [["12 High Street LS1 4AB", "Leeds", LS1], ["12 High Street"]],
  [
    ["12 High Street\r\nHorsforth\r\nLEEDS\r\nWest Yorkshire\r\nLS1 4AB\r\nUK", "Leeds", "ls14ab"],
    ["12 High Street", "Horsforth"],
  ],
  [
    ["Unit 3, 12 High Street, Horsforth, Leeds LS1 4AB, England", "Leeds", LS1],
    ["Unit 3, 12 High Street", "Horsforth"],
  ],
  [
    ["Unit 3, Mill Lane, Horsforth, Leeds", "Leeds", LS1],
    ["Unit 3, Mill Lane", "Horsforth"],
  ],
  [
    ["Old Mill, Mill Lane, Horsforth, Leeds", "Leeds", LS1],
    ["Old Mill, Mill Lane", "Horsforth"],
  ],
  [
    ["Old Mill, Horsforth, Leeds", "Leeds", LS1],
    ["Old Mill", "Horsforth"],
  ],
  [
    ["12, High Street, Horsforth, Leeds", "Leeds", LS1],
    ["12 High Street", "Horsforth"],
  ],
  [["14,16 Lower Goat Lane, Leeds", "Leeds", LS1], ["14, 16 Lower Goat Lane"]],
  [["Unit 3, 20, 22-24, Mill Lane, Leeds", "Leeds", LS1], ["Unit 3, 20, 22-24 Mill Lane"]],
  [["Boots, 12 High Street, Leeds", "Leeds", LS1], ["12 High Street"]],
  [
    ["12 High Street, Leeds, LS1 4AB", "Leeds", LS1, "Horsforth"],
    ["12 High Street", "Horsforth"],
  ],
  [["12 High Street\nStow\non the Wold", "Stow on the Wold", LS1], ["12 High Street"]],
  [["12 High Street, Test City 12", "Test City 12", LS1], ["12 High Street"]],
  [["12 Mill Lane, Leeds, W. Yorks.", "Leeds", LS1], ["12 Mill Lane"]],
])(
  "CSV: a first line that holds the whole address, %p, becomes the lines %p",
  async (row, lines) => {
    const [[line1, line2] = []] = await read([row], null);
    expect([line1, line2]).toEqual([lines[0], lines[1]]);
  },
);

test.each([
  ["Unit 3, 12 High Street", "Leeds"],
  ["12 High Street, Norfolk", "Leeds"],
  ["12 High Street, Horsforth, Leeds, LS1 4AC", "Leeds"],
  ["12 York Road Leeds", "Leeds"],
  ["Leeds", "Leeds"],
  ["LS1 4AB", "Leeds"],
])("CSV: the first line %p of a business in %s stays as it is", async (line1, city) => {
  expect(await read([[line1, city, LS1]], null)).toEqual([[line1, undefined, city, LS1]]);
});

test("CSV: town and postcode are found in the column that holds the whole address", async () => {
  const whole = "address.line1";
  const fields = { sourceId: 1, name: 2, [whole]: whole };
  const long = `${"Very ".repeat(50)}Long Street`;
  const rows = [
    ["12 High Street\nHorsforth\nLeeds LS1 4AB\nUK"],
    ["Old Mill, 12 High Street, LS1 4AB"],
    [`${long}, Leeds, LS1 4AB`],
    [`${long}, Leeds`],
    ["12 High Street"],
    ["Leeds, West Yorkshire, LS1 4AB"],
    ["Leeds LS1 4AB, UK"],
    ["12 High Street, LS1 4AB"],
  ];
  const shared = { ...fields, city: whole, "address.postcode": whole };
  expect(await read(rows, { header: true, fields: shared })).toEqual([
    ["12 High Street", "Horsforth", "Leeds", LS1],
    // No town, for the directory to tell of: the name of the house is none.
    ["Old Mill, 12 High Street", undefined, "12 High Street, LS1 4AB", LS1],
    [long, undefined, "Leeds", LS1],
    // Nor is this a postcode.
    [long, undefined, "Leeds", "Leeds"],
    ["12 High Street", undefined, "12 High Street", "12 High Street"],
    // The town alone, of a business that gives no street.
    ["Leeds", undefined, "Leeds", LS1],
    ["Leeds", undefined, "Leeds", LS1],
    ["12 High Street", undefined, "12 High Street, LS1 4AB", LS1],
  ]);
  const either = {
    ...fields,
    city: ["city", whole],
    "address.postcode": ["address.postcode", whole],
  };
  const some = [["12 High Street, Leeds, LS1 4AB"], ["12 Mill Lane, Leeds", "", LS1]];
  expect(await read(some, { header: true, fields: either })).toEqual([
    ["12 High Street", undefined, "Leeds", LS1],
    ["12 Mill Lane", undefined, "Leeds", LS1],
  ]);
});

test("CSV: town and postcode are found in a column of both", async () => {
  const both = "city";
  const fields = { sourceId: 1, name: 2, "address.line1": 3, city: both, "address.postcode": both };
  const rows = [
    ["12 High Street", "Leeds LS1 4AB"],
    ["", "Leeds\nLS1 4AB"],
    ["12 High Street", "Leeds"],
  ];
  expect(await read(rows, { header: true, fields })).toEqual([
    ["12 High Street", undefined, "Leeds LS1 4AB", LS1],
    [undefined, undefined, "Leeds\nLS1 4AB", LS1],
    ["12 High Street", undefined, "Leeds", "Leeds"],
  ]);
});

test.each([
  ["ls14ab", LS1],
  ["12 High Street, Leeds LS1 4AB", LS1],
  ["12 High Street, Leeds, LS1 4AB, West Yorkshire, UK", LS1],
  ["Block E1 4th Floor, Leeds", null],
  ["The A1 Inn, Leeds", null],
  ["The A1 Inn", null],
  ["Leeds", null],
])("the postcode of %p is %p", (text, postcode) => expect(findPostcode(text)).toBe(postcode));

test("a very long text is no address, and takes no time", () => {
  const begun = performance.now();
  for (const part of ["a\n", "A1 1AA "]) {
    const fields = new Map([["address.line1", `x,\n${part.repeat(100_000)}`]] as const);
    expect(takeApart(fields)).toBe(fields);
    expect(findPostcode(`x,\n${part.repeat(100_000)}`)).toBeNull();
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});
