import { expect, test } from "bun:test";
import { readNdjson } from "../../../scripts/import/ndjson.ts";
import { pieces, records } from "./rows.ts";

test("NDJSON: each line is a record, a broken one is rejected with its number", async () => {
  const rows = await Array.fromAsync(readNdjson(pieces('{"sourceId":"1"}\r\n\n{"a":\r\n["é"]')));
  expect(rows).toEqual([
    { line: 1, row: { sourceId: "1" }, record: { sourceId: "1" }, unusable: [] },
    { line: 3, row: '{"a":', reason: "the line is not JSON" },
    { line: 4, row: ["é"], reason: "the row is not an object" },
  ]);
});

test("NDJSON: unknown fields are reported", async () => {
  const json = [
    '{"sourceId":"1","telephone":"1","address":{"line1":"1 Briggate","town":"Leeds"}}',
    '{"sourceId":"2","address":"1 Briggate","coordinates":[-1.5,53.8]}',
    '{"sourceId":"3","address":null,"coordinates":{"lat":53.8,"lng":-1.5}}',
    '{"sourceId":"4","address.line1":"1 Briggate","coordinates.lat":53.8}',
    '{"sourceId":"5","photos":[{"url":"https://a.example/1","alt":"In"},{"alt":"Out","isCover":true}]}',
    '{"sourceId":"6","openingHours":[{"day":"MONDAY","closed":true},null,"Mo"],"photos":{"alt":"In"}}',
  ].join("\n");
  const rows = await Array.fromAsync(readNdjson(pieces(json)));
  expect(rows.map((row) => ("record" in row ? row.unusable : row.reason))).toEqual([
    ["telephone", "address.town"],
    [],
    [],
    ["address.line1", "coordinates.lat"],
    ["photos.alt"],
    ["openingHours.closed", "photos.alt"],
  ]);
});

test("NDJSON: a file that was put behind another one may begin with a mark", async () => {
  const json = '{"sourceId":"1"}\n\ufeff{"sourceId":"2"}\n';
  expect(await records(readNdjson(pieces(json)))).toEqual([{ sourceId: "1" }, { sourceId: "2" }]);
});
