import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { IMPORT_LOCK } from "../../../src/store/locks.ts";
import { delayedBy, untilBlocked } from "../../support.ts";
import { openDirectory, record } from "./directory.ts";

// Files that cannot be read, or change while they are.

const { sql, folder, start, run, runJson, load, write, count } = await openDirectory();

const faulty: [what: string, content: string | Uint8Array, extension: string, message: string][] = [
  [
    "that is not UTF-8",
    new Uint8Array([...Buffer.from('{"sourceId":"1","name":"Caf'), 0xe9, 0x22]),
    "ndjson",
    "is not UTF-8",
  ],
  ["that is compressed", Bun.gzipSync("sourceId,name\n1,A\n"), "csv.gz", "is compressed"],
  ["that is a spreadsheet", Buffer.from("PK\u0003\u0004sheet"), "xlsx", "save it as CSV"],
  ["that is one list", `[\n${record("1")}]`, "json", "put each record on its own line"],
  ["over several lines", `{\n  "sourceId": "1"\n}\n`, "json", "with jq -c '.'."],
  [
    "of OpenStreetMap in its binary format",
    Buffer.from("\0\0\0\r\n\tOSMHeader\x18\xa2\x01", "latin1"),
    "osm.pbf",
    "with osmium export",
  ],
  [
    "of OpenStreetMap in XML",
    '<?xml version="1.0"?>\n<osm version="0.6"><node id="1"/></osm>\n',
    "osm",
    "with osmium export",
  ],
  ["of Overpass", `{\n"osm3s": {},\n"elements": [\n]}`, "json", "with osmtogeojson"],
  ["of features", `{"type":"Feature","id":"node/1"}\n`, "geojson", `'{type: "FeatureCollection"`],
  [
    "of features as osmium writes them",
    '\u001e{"type":"Feature","properties":{"name":"A, B"}}\n',
    "geojsonseq",
    "has one GeoJSON feature per line",
  ],
  ["of rejected rows", `{"line":1}\n`, "csv.rejects.ndjson", "again under the same --source."],
  ["with an endless line", `\n${"x".repeat(1e7 + 1)}`, "ndjson", "Line 2 is longer than"],
  ["of XML cut short", "<FHRSEstablishment><EstablishmentDetail>", "xml", "cut short"],
  ["of broken XML", "<a>\n<b></c></a>", "xml", "line 2, column 7: unexpected close tag. Nothing"],
  ["in no known format", "hello there", "txt", "no known format"],
  ["with nothing in it", "\n", "geojson", "is empty. Nothing"],
  ["without even a header", "\n", "csv", "The file has no header: it is empty. Nothing"],
  ["of columns we do not know", "a,b\n1,2\n", "csv", "--mapping"],
];

describe("a file", () => {
  // All in one run, since starting the command takes far longer than reading such a file.
  let files: string[];
  let failing: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    files = [];
    for (const [, content, extension] of faulty) files.push(await write(content, extension));
    failing = await run(files);
  });

  test.each(faulty.map(([what, , , message], place) => [what, message, place] as const))(
    "%s fails with one clear line",
    (_, message, place) => {
      const lines = failing.stderr.trimEnd().split("\n");
      expect(lines.length).toBe(faulty.length);
      expect(lines[place]).toContain(`${files[place]}`);
      expect(lines[place]).toContain(message);
      expect(failing.stdout).toMatch(/^All files: read 0, created 0, .*\n$/);
      expect(failing.exitCode).toBe(1);
    },
  );
});

test("a file that cannot be read to its end leaves nothing, and does not stop the others", async () => {
  // More than a batch, so that PostgreSQL has taken some of them.
  const features = Array.from({ length: 10_001 }, (_, i) =>
    JSON.stringify({ id: `node/${i}`, properties: { name: `Shop ${i}` }, geometry: null }),
  );
  const cut = (count: number) =>
    write(
      `{"type":"FeatureCollection","features":[${features.slice(0, count).join(",")}`,
      "geojson",
    );
  const [long, short, good] = [await cut(10_001), await cut(1), await write(record("1"))];
  const { stdout, stderr, exitCode } = await run([long, good]);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    `${long}: The GeoJSON is cut short after feature 10001. Nothing of it was kept.\n`,
  );
  expect(stdout).toContain("All files: read 1, created 1");
  expect(await count()).toBe(1);
  const told = await runJson([short, good]);
  expect(told.counts).toMatchObject({
    read: 1,
    files: [
      { file: short, error: told.stderr.trimEnd() },
      { file: good, read: 1 },
    ],
  });
  expect(told.stderr).toContain("after feature 1.");
});

test.each<[string, string, (file: string) => Promise<void>]>([
  ["grows", "has grown", (file) => appendFile(file, record("2"))],
  ["is cut short", "has shrunk", (file) => truncate(file, 0)],
])("a file that %s while it is read leaves nothing", async (_, message, change) => {
  // More than is read ahead of PostgreSQL.
  const file = await write(`${record("1")}\n${`{"pad":"${"x".repeat(150)}"}\n`.repeat(40_000)}`);
  const { ended } = await sql.begin(async (transaction) => {
    await transaction`lock table businesses in access exclusive mode`;
    const child = start([file]);
    await untilBlocked(sql);
    await change(file);
    return child;
  });
  expect(await ended).toEqual({
    stdout: "",
    stderr: `${file} ${message} while it was read: import it again once it is complete. Nothing of it was kept.\n`,
    exitCode: 1,
  });
  expect(await count()).toBe(0);
  expect(existsSync(`${file}.rejects.ndjson`)).toBe(false);
});

test("a file that grows while its import waits for another is imported as it is then", async () => {
  const file = await write(`${record("1")}\n`);
  const { counts } = await delayedBy(
    sql,
    (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    () => load(file),
    { meanwhile: () => appendFile(file, record("2")) },
  );
  expect(counts).toMatchObject({ read: 2, created: 2 });
});

test("a pipe is told apart from a file", async () => {
  const pipe = join(folder, "pipe.csv");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  expect(await run([pipe])).toEqual({
    stdout: "",
    stderr: `${pipe} is a pipe: save it as a file, which can be read twice. Nothing of it was kept.\n`,
    exitCode: 1,
  });
});
