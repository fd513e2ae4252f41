import { expect, test } from "bun:test";
import { join } from "node:path";
import { guessFormat } from "../../../scripts/import/formats.ts";
import { newFolder } from "../../support.ts";

test("the format is recognised by how a file begins, or else by its name", async () => {
  const folder = await newFolder();
  const places = { type: "FeatureCollection", features: [{ id: "node/1" }] };
  // Its type may come last, and much before its places.
  const late = {
    crs: "x".repeat(2_000),
    features: [{ id: "x".repeat(70_000) }],
    type: "FeatureCollection",
  };
  const record = '{"sourceId":"1","name":"features","features":["FeatureCollection"]}';
  for (const [format, name, text] of [
    ["ndjson", "a.json", '{"sourceId":"1"}'],
    // What looks like OpenStreetMap's is within a record, since that is complete on its line.
    ["ndjson", "b.json", `${record}\n${record}\n`],
    ["ndjson", "c.json", `\n${record}\r\n{"sourceId":`],
    ["ndjson", "d.jsonl", ""],
    ["osm", "e.ndjson", `${JSON.stringify(places)}\n`],
    ["osm", "f.json", JSON.stringify(places, null, 2)],
    ["osm", "f.geojson", JSON.stringify(late, null, 2)],
    ["fhrs", "g.csv", '\ufeff<?xml version="1.0"?>'],
    ["csv", "h.txt", "sourceId,name\n"],
    ["csv", "h.tsv", "sourceId\tname\n"],
    ["csv", "i.csv", "sourceId"],
  ] as const) {
    const file = join(folder, name);
    await Bun.write(file, text);
    expect([name, await guessFormat(file)]).toEqual([name, format]);
  }
});
