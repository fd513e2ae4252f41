import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, chmod, cp, mkdir, readdir, symlink, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importCategoryFile } from "../../scripts/import/categories.ts";
import { type FileOptions, importFile } from "../../scripts/import/file.ts";
import { readMapping } from "../../scripts/import/mapping.ts";
import { readOutcodes } from "../../scripts/import/outcodes.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { CommandError } from "../../scripts/terminal/command.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import {
  createDatabase,
  delayedBy,
  makeCommitsWait,
  newFolder,
  outputOf,
  runOnTerminal,
  runProgram,
  scriptCommand,
  storesEnvironment,
  untilBlocked,
} from "../support.ts";

const root = join(import.meta.dir, "..", "..");
const data = join(root, "../shared/data");

const database = await createDatabase();
const folder = await newFolder();
afterAll(async () => {
  await database.drop();
});
beforeEach(async () => {
  await database.sql`delete from businesses`;
  await database.sql`delete from cities`;
  await database.sql`delete from search_changes`;
});

interface Counts {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  pending: number;
  unusable: Record<string, number>;
}

const run = (args: string[]) => start(args).ended;

/** Imports without the command around it, where what it prints does not matter: that takes a tenth of the time. */
function load(file: string, options: Partial<FileOptions> = {}) {
  const none = { format: null, source: null, mapping: null, outcodes: undefined };
  const all = { ...none, status: "approved", dryRun: false, dropped: false, ...options } as const;
  return importFile(database.sql, file, all, () => {});
}
const loadCategories = (file: string) => importCategoryFile(database.sql, file, { dryRun: false });

function start(args: string[], env: Record<string, string | undefined> = {}) {
  const child = Bun.spawn(scriptCommand("import", args), {
    cwd: folder,
    env: { ...storesEnvironment(database.url), ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { pid } = child;
  return { pid, ended: outputOf(child), kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

async function importJson(args: string[]) {
  const { stdout, stderr, exitCode } = await run([...args, "--json"]);
  expect(stdout.trimEnd().split("\n").length).toBe(1);
  return { counts: JSON.parse(stdout) as Counts & { files: Counts[] }, stderr, exitCode };
}

let written = 0;
async function write(content: string | Uint8Array, extension = "ndjson"): Promise<string> {
  const file = join(folder, `${++written}.${extension}`);
  await Bun.write(file, content);
  return file;
}

const record = (sourceId: string, more: object = {}) =>
  JSON.stringify({
    sourceId,
    name: `Shop ${sourceId}`,
    category: "bakeries",
    city: "Leeds",
    address: { line1: "1 Briggate", postcode: "LS1 6HD" },
    coordinates: { lat: 53.8, lng: -1.5 },
    ...more,
  });

const count = async () =>
  (await database.sql`select count(*)::integer as count from businesses`)[0]?.count;

test("a summary on stdout, the counts on one line with --json, nothing new the second time", async () => {
  const file = await write([record("1"), record("2"), record("3", { city: "" })].join("\n"));
  const first = await run([file]);
  expect(first.stdout.trimEnd().split("\n").at(-1)).toBe(
    "  read 3, created 3, updated 0, unchanged 0, rejected 0, pending 1",
  );
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  const { counts, exitCode } = await importJson([file]);
  expect(counts).toMatchObject({
    read: 3,
    created: 0,
    updated: 0,
    unchanged: 3,
    rejected: 0,
    pending: 1,
  });
  expect(exitCode).toBe(0);
});

test("a city in our own formats is a display name: it stays as it is, and is no part of an address", async () => {
  const cities = ["Test City 12", "TestCity", "Zed town", "zedtown-1a", "Wood Street", "NEW ZED"];
  const columns = ["sourceId", "name", "city"];
  const rows = cities.map((city, place) => `${place},Shop,${city}`);
  await load(await write([columns, ...rows].join("\n"), "csv"), { source: "csv" });
  await load(await write(cities.map((city, place) => record(`${place}`, { city })).join("\n")));
  const named = await database.sql<{ source: string; name: string }[]>`
    select source, cities.name from businesses join cities on cities.id = city_id order by source_id`;
  const names = [...cities.slice(0, -1), "New Zed"];
  expect(named.filter(({ source }) => source === "csv").map(({ name }) => name)).toEqual(names);
  expect(named.filter(({ source }) => source !== "csv").map(({ name }) => name)).toEqual(names);
  await database.sql`delete from businesses`;
  await database.sql`delete from cities`;
  const header = true;
  const fields = { sourceId: "sourceId", name: "name", city: "city" };
  await load(await write([columns, ...rows].join("\n"), "csv"), { mapping: { header, fields } });
  expect(
    (await database.sql`select name from cities order by name`).map(({ name }) => name),
  ).toEqual(["City", "New Zed", "Zed Town"]);
});

test("an import that withdraws approved businesses says how many, also in a dry run", async () => {
  const before = await write([record("1"), record("2"), record("3", { city: "" })].join("\n"));
  await load(before, { source: "a" });
  const lost = ["1", "2", "3"].map((sourceId) => record(sourceId, { city: "" }));
  const file = await write(lost.join("\n"));
  const { stdout } = await run([file, "--source", "a", "--dry-run"]);
  expect(stdout.split("\n").slice(1)).toEqual([
    "  Businesses without a category, town, address line 1, postcode or coordinates are pending.",
    "  2 of those pending were approved before, and are no longer public.",
    "  read 3, created 0, updated 2, unchanged 1, rejected 0, pending 3",
    "",
  ]);
  const { counts } = await importJson([file, "--source", "a"]);
  // After a real run it says how to list them.
  expect((await run([file, "--source", "a"])).stdout).toContain("list` says what each of them");
  expect(counts).toMatchObject({ pending: 3, withdrawn: 2, files: [{ pending: 3, withdrawn: 2 }] });
});

test("of several files, only the first with pending businesses says what that means", async () => {
  const files = [
    await write(record("1")),
    await write(record("2", { city: "" })),
    await write(record("3", { city: "" })),
  ];
  const { stdout } = await run(files);
  const lines = stdout.split("\n").filter((line) => !line.startsWith("/"));
  expect(lines).toEqual([
    "  read 1, created 1, updated 0, unchanged 0, rejected 0, pending 0",
    "  Businesses without a category, town, address line 1, postcode or coordinates are pending.",
    "  `scripts/businesses.ts list` says what each of them lacks.",
    "  read 1, created 1, updated 0, unchanged 0, rejected 0, pending 1",
    "  read 1, created 1, updated 0, unchanged 0, rejected 0, pending 1",
    "All files: read 3, created 3, updated 0, unchanged 0, rejected 0, pending 2",
    "",
  ]);
});

test("rejected rows are written with line, reason and row; a clean run removes the file of an earlier one", async () => {
  const file = await write(`${record("1")}\n{"broken\n\n${record("3", { name: "" })}\n42\n`);
  const { stdout } = await run([file]);
  const rejects = await Bun.file(`${file}.rejects.ndjson`).text();
  const rows = rejects
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.toSorted((a, b) => a.line - b.line)).toEqual([
    { line: 2, reason: "the line is not JSON", row: '{"broken' },
    { line: 4, reason: "name is missing", row: JSON.parse(record("3", { name: "" })) },
    { line: 5, reason: "the row is not an object", row: 42 },
  ]);
  expect(stdout).toContain("read 4, created 1, updated 0, unchanged 0, rejected 3");
  expect(stdout).toContain("1  name is missing");
  expect(stdout).toContain(`${file}.rejects.ndjson`);

  await Bun.write(file, record("1"));
  await load(file);
  expect(existsSync(`${file}.rejects.ndjson`)).toBe(false);
});

test("when rejected rows cannot be written, nothing of the file is kept, and the others come in", async () => {
  const first = await write(`${record("1")}\nbroken\n`);
  const second = await write(record("2"));
  await mkdir(`${first}.rejects.ndjson`);
  const { stdout, stderr, exitCode } = await start([first, second]).ended;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^The rejected rows cannot be written: .+ Nothing of it was kept\.\n$/);
  expect(stdout).toContain("All files: read 1, created 1,");
  expect(await count()).toBe(1);
});

test("fields of a record that are not ours are told of, the most frequent first", async () => {
  const shop = (sourceId: string, more: object) =>
    record(sourceId, { coordinates: { latitude: 53.8, lng: null }, __proto: 1, ...more });
  const others = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x${i}\u001b`, i]));
  const file = await write(
    [shop("1", { constructor: 1 }), shop("2", others), shop("3", { phone: "ask Bob" })].join("\n"),
  );
  const { stdout } = await run([file]);
  expect(stdout).toContain(
    "  Unusable and left out: coordinates.latitude 3 (as in lines 1, 2, 3), __proto 3 (as in lines 1, 2, 3), ",
  );
  expect(stdout).toContain(", and more\n");
  expect(stdout).not.toContain("\u001b");
  const { unusable } = await load(file);
  const rows = Object.fromEntries(unusable.map(({ field, rows }) => [field, rows]));
  expect(rows).toMatchObject({ "coordinates.latitude": 3, constructor: 1 });
  // However many there are, what is ours is told of as well.
  expect(rows).toMatchObject({ phone: 1 });
  expect(unusable.length).toBe(101);
});

test("unusable values of a field are counted, and up to five are shown; a value of a wrong type is none of them", async () => {
  const places = [null, { lat: 0, lng: 0 }, { lat: 0, lng: 0 }, [1.29, 52.63]];
  const rows = places.map((coordinates, place) => record(`${place}`, { coordinates }));
  const file = await write(rows.join("\n"));
  const { counts } = await importJson([file]);
  expect(counts.files[0]).toMatchObject({ unusable: { coordinates: 2 }, rejected: 1 });
  const { stdout } = await run([file]);
  expect(stdout).toContain("  Unusable and left out: coordinates 2 (as in lines 2, 3)\n");

  // New ones are dealt with first, but shown in their place.
  const phones = Array.from({ length: 7 }, (_, place) => record(`${6 - place}`, { phone: "ask" }));
  await Bun.write(file, phones.join("\n"));
  const again = await run([file]);
  expect(again.stdout).toContain("  Unusable and left out: phone 7 (as in lines 1, 2, 3, 4, 5)\n");
});

test("in formats without a row per line, an example is named as the feature or establishment that it is", async () => {
  const places = [
    { name: "Café" },
    { name: "Pub", opening_hours: "when we like" },
    { name: "Books", shop: "books", disused: "yes" },
  ];
  const features = places.map((properties, place) => ({ id: `node/${place}`, properties }));
  const collection = { type: "FeatureCollection", features };
  const osm = await run([await write(JSON.stringify(collection, null, 1), "geojson")]);
  expect(osm.stdout).toContain("  Unusable and left out: openingHours 1 (as in feature 2)\n");
  expect(osm.stdout).toContain("  Marked as closed: 1 (as in feature 3); those that are new");
  const establishments = ["Pub/bar/nightclub", "Dragons"].map(
    (type, place) =>
      `<EstablishmentDetail>\n<FHRSID>${place}</FHRSID>\n<BusinessName>A</BusinessName>\n<BusinessType>${type}</BusinessType>\n</EstablishmentDetail>`,
  );
  const xml = `<FHRSEstablishment>\n${establishments.join("\n")}\n</FHRSEstablishment>`;
  const fhrs = await run([await write(xml, "xml")]);
  expect(fhrs.stdout).toContain("  Unusable and left out: category 1 (as in establishment 2)\n");
});

test("no text from a file sends control sequences to the terminal", async () => {
  const clear = "\u001b[2J";
  const hours = { name: "Café", amenity: "cafe", opening_hours: `Mo SH 10:00-12:00 "${clear}"` };
  const features = [{ id: "node/1", properties: hours }];
  const files = await run([
    await write(record("1", { category: `a${clear}` })),
    await write(`sourceId,a${clear}\n1,2\n`, "csv"),
    await write(JSON.stringify({ type: "FeatureCollection", features }), "geojson"),
  ]);
  expect(files.stdout).toContain("1  category a [2J is unknown");
  expect(files.stdout).toContain("openingHours 1");
  expect(files.stderr).toContain("unknown columns: a [2J.");
  expect(files.stderr.split("\n").length).toBe(2);
  const category = { slug: "b", name: "B", parent: `a${clear}` };
  const parent = await run(["--categories", await write(JSON.stringify(category))]);
  expect(parent.stderr).toContain("The parent a [2J of b is not a category.");
  const mapping = await write(JSON.stringify({ header: true, [`a${clear}`]: 1 }), "json");
  const field = await run(["a.csv", "--mapping", mapping]);
  expect(field.stderr).toContain("unknown fields: a [2J.");
  const all = files.stdout + files.stderr + parent.stderr + field.stderr;
  expect(all).not.toContain("\u001b");
});

test("no name of a file sends control sequences to the terminal", async () => {
  const title = "\u001b]0;title\u0007";
  const [file, other] = [join(folder, `shops${title}.ndjson`), join(folder, `shops${title}.csv`)];
  await Bun.write(file, "broken\n");
  await Bun.write(other, "sourceId,name\n");
  const written = await runOnTerminal(database.url, "import", [file, other, "--dry-run"]);
  expect(written).toContain(" are both of the source shops-0-title,");
  expect(written).toContain("shops ]0;title .ndjson (source shops-0-title)");
  expect(written).not.toContain("\u001b]");
});

test("no text from a file changes the direction of writing, and the rejects still hold it", async () => {
  const turned = "a\u202ecba\u2066\u009b2J\u007f";
  const file = await write(record("1", { category: turned }));
  const { stdout } = await run([file]);
  expect(stdout).toContain("1  category a cba  2J  is unknown");
  const counted = await run([file, "--json"]);
  expect(counted.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  const rejects = await Bun.file(`${file}.rejects.ndjson`).text();
  expect(rejects).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(JSON.parse(rejects).row.category).toBe(turned);
  const category = { slug: "b", name: "B", parent: turned };
  const parent = await run(["--categories", await write(JSON.stringify(category))]);
  expect(parent.stderr).toContain("The parent a cba  2J  of b is not a category.");
});

test("what an element of OpenStreetMap or an establishment no longer has is removed, what its kind never has stays", async () => {
  const cafe = async (tags: object) => {
    const properties = { name: "Café", amenity: "cafe", ...tags };
    const feature = { id: "node/1", properties, geometry: { coordinates: [-1.5, 53.8] } };
    await load(await write(JSON.stringify({ type: "FeatureCollection", features: [feature] })));
    return { ...(await database.sql`select * from businesses where source = 'osm'`)[0] };
  };
  const address = {
    "addr:housenumber": "1",
    "addr:street": "Briggate",
    "addr:city": "Leeds",
    "addr:postcode": "LS1 6HD",
  };
  const contacts = { phone: "0113 496 0123", email: "a@cafe.example", website: "cafe.example" };
  const words = { description: "Ask for Ann.", opening_hours: "24/7" };
  await cafe({ ...address, ...contacts, ...words });
  const photos = [{ url: "https://cafe.example/a.jpg" }];
  await load(await write(record("node/1", { photos })), { source: "osm" });
  expect(await cafe({})).toMatchObject({
    status: "approved",
    address_line1: "1 Briggate",
    postcode: "LS1 6HD",
    phone: "",
    email: "",
    website: "",
    short_description: "",
    opening_hours: "",
    photos,
  });

  const baker = async (place: string) => {
    const xml = `<FHRSEstablishment><EstablishmentDetail><FHRSID>1</FHRSID><BusinessName>Ann</BusinessName>${place}</EstablishmentDetail></FHRSEstablishment>`;
    await load(await write(xml, "xml"));
    return { ...(await database.sql`select * from businesses where source = 'fhrs'`)[0] };
  };
  const home =
    "<AddressLine1>2 Elm Row</AddressLine1><AddressLine2>Leeds</AddressLine2><PostCode>LS1 6HD</PostCode><Geocode><Longitude>-1.5</Longitude><Latitude>53.8</Latitude></Geocode>";
  expect(await baker(home)).toMatchObject({ status: "approved", address_line1: "2 Elm Row" });
  const nowhere = { status: "pending", address_line2: null, postcode: "", latitude: null };
  expect(await baker("<AddressLine2>Leeds</AddressLine2>")).toMatchObject(nowhere);
  await baker(home);
  expect(await baker("<AddressLine1/><PostCode/>")).toMatchObject({
    ...nowhere,
    address_line1: "",
  });
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
  const told = await importJson([short, good]);
  expect(told.counts).toMatchObject({
    read: 1,
    files: [
      { file: short, error: told.stderr.trimEnd() },
      { file: good, read: 1 },
    ],
  });
  expect(told.stderr).toContain("after feature 1.");
});

const faulty: [string, string | Uint8Array, string, string][] = [
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

test.each<[string, string, (file: string) => Promise<void>]>([
  ["grows", "has grown", (file) => appendFile(file, record("2"))],
  ["is cut short", "has shrunk", (file) => truncate(file, 0)],
])("a file that %s while it is read leaves nothing", async (_, message, change) => {
  // More than is read ahead of PostgreSQL.
  const file = await write(`${record("1")}\n${`{"pad":"${"x".repeat(150)}"}\n`.repeat(40_000)}`);
  const { ended } = await database.sql.begin(async (transaction) => {
    await transaction`lock table businesses in access exclusive mode`;
    const child = start([file]);
    await untilBlocked(database.sql);
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
    database.sql,
    (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    () => load(file),
    { meanwhile: () => appendFile(file, record("2")) },
  );
  expect(counts).toMatchObject({ read: 2, created: 2 });
});

test("more files with rejected rows are imported than may be open at a time", async () => {
  const files = await Promise.all(Array.from({ length: 100 }, () => write("broken\n")));
  const limited = 'ulimit -n 64; exec "$0" "$@"';
  const { stdout, stderr, exitCode } = await runProgram(
    ["bash", "-c", limited, ...scriptCommand("import", [...files, "--json"])],
    { cwd: folder, env: storesEnvironment(database.url) },
  );
  expect([stderr, exitCode]).toEqual(["", 0]);
  expect(JSON.parse(stdout)).toMatchObject({ read: 100, rejected: 100 });
});

test("a file whose import fails is named, and can be imported again with those after it", async () => {
  const [first, second] = [await write(record("1")), await write(record("2"))];
  const { sql } = database;
  await sql.begin(async (transaction) => {
    await transaction`lock table businesses in access exclusive mode`;
    const broken = run([first, second]);
    await until(async () => {
      const [waiting] = await sql`
        select pg_terminate_backend(pid) from pg_locks
        where relation = 'businesses'::regclass and not granted`;
      return waiting !== undefined;
    }, 10_000);
    const { stdout, stderr, exitCode } = await broken;
    expect(stdout).toStartWith("All files: read 0,");
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([
      `${first} failed. Import it and the files after it again.`,
      expect.stringContaining("The connection to PostgreSQL was broken off ("),
    ]);
  });
  const { counts, exitCode } = await importJson([first, second]);
  expect([counts.created, exitCode]).toEqual([2, 0]);
});

test("a full disk of PostgreSQL gets one clear line, and nothing of the file is kept", async () => {
  const file = await write(record("1"));
  const { sql } = database;
  await sql.unsafe(`
    create function fill_disk() returns trigger language plpgsql as $$
    begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger fill_disk before insert on businesses for each row execute function fill_disk()`);
  const { stderr, exitCode } = await run([file]);
  await sql`drop function fill_disk cascade`;
  expect(exitCode).toBe(1);
  expect(stderr.trimEnd().split("\n")).toEqual([
    `${file} failed. Import it and the files after it again.`,
    "PostgreSQL is out of disk space, memory or connections: could not extend file: No space left on device. Free some, then try again.",
  ]);
  expect((await importJson([file])).counts.created).toBe(1);
});

test("an import whose city is deleted meanwhile says in a line to try again", async () => {
  const file = await write(record("1"));
  await database.sql`insert into cities (slug, name) values ('leeds', 'Leeds')`;
  const { stderr, exitCode } = await delayedBy(
    database.sql,
    (operator) => operator`delete from cities where slug = 'leeds'`,
    () => run([file]),
  );
  expect([stderr, exitCode]).toEqual([
    `${file} failed. Import it and the files after it again.\nA concurrent change was in the way, and PostgreSQL cancelled this one: a business needs a city that exists. Try again.\n`,
    1,
  ]);
});

test.each<NodeJS.Signals>(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s ends an import: nothing is kept, and no part of the rejected rows",
  async (signal) => {
    const [first, second] = [
      await write(record("1")),
      await write(`${record("2")}\n${"broken\n".repeat(600)}`),
    ];
    // The first has nothing left to write, so it is the second that waits.
    await load(first);
    await database.sql.begin(async (transaction) => {
      await transaction`lock table businesses in exclusive mode`;
      const { ended, kill } = start([first, second, "--json"]);
      await untilBlocked(database.sql);
      expect(existsSync(`${second}.rejects.ndjson`)).toBe(true);
      kill(signal);
      const { stdout, stderr, exitCode } = await ended;
      expect([stderr, exitCode]).toEqual([`Interrupted: nothing of ${second} was kept.\n`, 1]);
      expect(JSON.parse(stdout)).toMatchObject({
        read: 1,
        files: [{ file: first }, { file: second, error: stderr.trimEnd() }],
      });
    });
    expect(existsSync(`${second}.rejects.ndjson`)).toBe(false);
    expect(await count()).toBe(1);
  },
);

test("an import that waits for another says so, and does not count that as its work", async () => {
  const [businesses, categories] = [
    await write(record("1")),
    await write('{"slug":"own-kind","name":"Own kind"}'),
  ];
  for (const args of [[businesses], ["--categories", categories]]) {
    let waitedUntil = 0;
    const { stdout, stderr, exitCode } = await delayedBy(
      database.sql,
      (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
      () => run(args),
      {
        async meanwhile() {
          await Bun.sleep(1_000);
          waitedUntil = performance.now();
        },
      },
    );
    const restSeconds = (performance.now() - waitedUntil) / 1_000;
    expect([stderr, exitCode]).toEqual([
      "Waiting for another import (or generate, or check-lists --repair) to finish.\n",
      0,
    ]);
    const [counts, , seconds = 0] =
      /^(.* \(source \d+\): (\d+\.\d) s, .*\n {2})?read 1, created 1, /.exec(stdout) ?? [];
    expect(counts).toBeString();
    // It is rounded.
    expect(Number(seconds)).toBeLessThan(restSeconds + 0.1);
  }
});

test("the import of a large file is started over with Bun's allocator set, as the same process", async () => {
  const file = await write(`${" ".repeat(5_000_000)}${record("1")}`);
  const { ended } = await database.sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
    const unset = { MIMALLOC_PURGE_DELAY: undefined, MIMALLOC_PURGE_HOLES: undefined };
    const started = start([file, "--json"], unset);
    await untilBlocked(database.sql);
    const environment = await Bun.file(`/proc/${started.pid}/environ`).text();
    expect(environment.split("\0")).toContain("MIMALLOC_PURGE_DELAY=1000");
    return started;
  });
  const { stdout, exitCode } = await ended;
  expect([JSON.parse(stdout), exitCode]).toMatchObject([{ read: 1, created: 1 }, 0]);
});

test("the import of a large file reads its outcodes also where that can be done only once", async () => {
  const file = await write(`${" ".repeat(5_000_000)}${record("1")}`);
  const outcodes = await write(`GB\tNR2\tNorwich${"\t".repeat(7)}52.62\t1.28\t4\n`, "txt");
  const env = {
    ...storesEnvironment(database.url),
    MIMALLOC_PURGE_DELAY: undefined,
    MIMALLOC_PURGE_HOLES: undefined,
  };
  for (const shell of [
    'file=$1; shift; cat "$file" | "$@" /dev/stdin',
    'file=$1; shift; "$@" /dev/fd/3 3< "$file"',
    'file=$1; shift; bun=$1; shift; here=$(basename "$PWD"); cd ..; "$bun" --cwd "$here" "$@" "$file"',
  ]) {
    const command = scriptCommand("import", [file, "--json", "--dry-run", "--outcodes"]);
    const all = ["sh", "-c", shell, "sh", outcodes, ...command];
    const { stdout, stderr, exitCode } = await runProgram(all, { cwd: folder, env });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ read: 1, created: 1 });
  }
});

test("an import that is interrupted while it waits for another leaves the rejected rows of that one", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await database.sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
    await Bun.write(`${file}.rejects.ndjson`, "of the other import");
    const { ended, kill } = start([file]);
    await untilBlocked(database.sql);
    kill("SIGINT");
    expect((await ended).stderr).toEndWith(`Interrupted: nothing of ${file} was kept.\n`);
  });
  expect(await Bun.file(`${file}.rejects.ndjson`).text()).toBe("of the other import");
});

test("on a terminal it shows its progress and its rate, and removes them at its end", async () => {
  const file = await write(
    Array.from({ length: 2_000 }, (_, number) =>
      number < 9 ? "broken" : record(`${number}`),
    ).join("\n"),
  );
  const written = await runOnTerminal(database.url, "import", [file, "--dry-run"]);
  const bars = written.matchAll(/ (\d+) % \| ([\d,]+) rows, ([\d,]+) a second \| /g);
  const steps = Array.from(bars, ([, ...texts]) => texts.map((text) => text.replace(",", "")));
  expect(steps.at(0)).toEqual(["0", "0", "0"]);
  expect(steps.at(-1)).toEqual(["100", "2000", expect.stringMatching(/^[1-9]/)]);
  const clearLine = "\u001b[2K";
  expect(written.split(clearLine).at(-1)).toStartWith(file);
});

test("an import that is interrupted while it commits does not say that nothing was kept", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await whileItCommits(file, async ({ ended, kill }) => {
    kill("SIGINT");
    expect(await ended).toEqual({
      stdout: "",
      stderr: `Interrupted: ${file} may have been kept. Import it and the files after it again.\n`,
      exitCode: 1,
    });
  });
  await until(async () => (await count()) === 1, 10_000);
  expect(await Bun.file(`${file}.rejects.ndjson`).json()).toMatchObject({ line: 2 });
});

test("an import that loses PostgreSQL while it commits leaves the rejected rows: it may have been kept", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await whileItCommits(file, async ({ ended }) => {
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const { stderr, exitCode } = await ended;
    expect(stderr).toStartWith(`${file} failed. Import it and the files after it again.\n`);
    expect(exitCode).toBe(1);
  });
  expect(await Bun.file(`${file}.rejects.ndjson`).json()).toMatchObject({ line: 2 });
});

/** Starts an import, and does something while PostgreSQL is about to commit it. */
async function whileItCommits(
  file: string,
  act: (importing: ReturnType<typeof start>) => Promise<void>,
): Promise<void> {
  const { sql } = database;
  await makeCommitsWait(sql);
  try {
    await sql.begin(async (transaction) => {
      await transaction`lock table commits`;
      const importing = start([file]);
      await untilBlocked(sql);
      await act(importing);
    });
  } finally {
    await sql.unsafe("drop table commits; drop function wait_for_commits() cascade");
  }
}

test("a file that is missing, an unknown option and wrong values are explained, exit code 1", async () => {
  const headless = await write('{"sourceId":1,"name":2}', "json");
  const fields = { header: true, sourceId: 1, name: 2 };
  const listed = await write(
    JSON.stringify({ ...fields, category: { column: ["a", "b"], values: {} } }),
    "json",
  );
  // A constant for the values that are not listed, which it would replace all.
  const withDefault = await write(
    JSON.stringify({ ...fields, category: { column: 3, values: {}, constant: "shops" } }),
    "json",
  );
  const circle = join(folder, "circle.csv");
  await symlink(circle, circle);
  const faults: [string[], ...string[]][] = [
    [
      ["missing.ndjson", "/dev/null", circle],
      "There is no file missing.ndjson.",
      "/dev/null is not a file.",
      `${circle} cannot be read: ELOOP`,
    ],
    [["--frobnicate", "a"], "Usage: npx bun scripts/import.ts"],
    [[], "Usage: npx bun scripts/import.ts"],
    [["a", "--format", "yaml"], "--format must be one of"],
    [["a", "--status", "open"], "--status must be approved or pending."],
    [["a", "--mapping", "missing.json"], "There is no file missing.json."],
    [["--categories", "a", "--status", "pending"], "--status is not for categories."],
  ];
  const answers = await Promise.all(faults.map(([args]) => run(args)));
  for (const [place, { stderr, exitCode }] of answers.entries()) {
    const [, ...messages] = faults[place] ?? [];
    for (const message of messages) expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect(exitCode).toBe(1);
  }
  // Without the command around them, which says this in the same way.
  for (const [read, message] of [
    [() => readMapping(tmpdir()), "is not a file."],
    [() => readMapping(headless), '"header" must be true or false.'],
    [() => readMapping(listed), "category is wrong: each field needs a column name"],
    [() => readMapping(withDefault), "category is wrong: each field needs a column name"],
    [() => readOutcodes(tmpdir()), "is not a file."],
    [() => loadCategories(tmpdir()), "is not a file."],
  ] as const) {
    const reading = read();
    await expect(reading).rejects.toThrow(CommandError);
    await expect(reading).rejects.toThrow(message);
  }
});

test("a mapping replaces the names of categories, and each one that it lacks is told of with its rows", async () => {
  const category = { column: "Type", values: { "Plumbers & Heating": "plumbers" } };
  const mapping = { header: true, sourceId: "Ref", name: "Title", category };
  const file = await write(
    "Ref,Title,Type\n1,A,Plumbers & Heating\n2,B,Sparks & Co\n3,C,Sparks & Co\n4,D,Fun\n",
    "csv",
  );
  const read = await readMapping(await write(JSON.stringify(mapping), "json"));
  const { counts, reasons } = await load(file, { mapping: read });
  expect(counts).toMatchObject({ created: 1, rejected: 3 });
  const otherwise =
    "is unknown: use a slug that /api/v1/categories lists, replace it in a mapping, or add it with --categories";
  expect(reasons).toEqual([
    [`category Sparks & Co ${otherwise}`, 2],
    [`category Fun ${otherwise}`, 1],
  ]);
});

test("two files whose source is the same name are said to be one feed, unless --source says so", async () => {
  const [first, second] = ["a/shops.ndjson", "b/shops.csv"];
  await Bun.write(join(folder, first), record("1"));
  await Bun.write(join(folder, second), "sourceId,name\n2,Another shop\n");
  // The ids of this format are unique, and a file that is given twice changes nothing.
  const places = ["a/shops.geojson", "b/shops.geojson"];
  for (const place of places) {
    await Bun.write(join(folder, place), '{"type":"FeatureCollection","features":[]}');
  }
  const { stderr, exitCode } = await run([first, second]);
  expect(stderr).toContain(`${first} and ${second} are both of the source shops`);
  expect(exitCode).toBe(0);
  for (const others of [
    [first, `./${first}`, ...places],
    [first, second, "--source", "shops"],
  ]) {
    expect((await run(others)).stderr).not.toContain("are both of the source");
  }
});

test("--dropped lists the approved businesses that a feed lacks, unless a rejected row may be of any", async () => {
  const ids = ["1", "2", "3", "4 a"];
  const all = [...ids.map((id) => record(id)), record("5", { city: "" })];
  const feed = await write(all.join("\n"));
  await load(feed, { source: "a" });
  await load(feed, { source: "b" });
  const list = async (rows: string[], ...more: string[]) =>
    await run([await write(rows.join("\n")), "--source", "b", "--dropped", ...more]);
  // An id is cleaned, and a record that is rejected is not lacking.
  const rest = [record(" 4\u00a0 a"), record("3", { category: "none" })];
  const some = await list(rest);
  expect(some).toMatchObject({ stdout: "shop-1-leeds-ls1\nshop-2-leeds-ls1\n", exitCode: 0 });
  expect(some.stderr).toContain(
    "  Approved businesses of this source that the file lacks or marks as vacant: 2.\n",
  );
  const tried = await list([...rest, record("1")], "--json", "--dry-run");
  expect(JSON.parse(tried.stdout)).toMatchObject({ files: [{ dropped: ["shop-2-leeds-ls1"] }] });
  // Rows that hold no record, but whose ids are known.
  const csv = "sourceId,name,openingHours\n1,A,9-5\n2,B,\n";
  const features = ["1", "2"].map((id) => ({ id, properties: {} }));
  const osm = JSON.stringify({ type: "FeatureCollection", features });
  for (const file of [await write(csv, "csv"), await write(osm, "geojson")]) {
    const { dropped } = await load(file, { source: "b", dropped: true, dryRun: true });
    expect(dropped).toEqual(["shop-3-leeds-ls1", "shop-4-a-leeds-ls1"]);
  }
  // A shop that has closed stays in OpenStreetMap.
  const closed = osm.replace("{}", JSON.stringify({ shop: "vacant", name: "Shop 1" }));
  const { dropped } = await load(await write(closed, "geojson"), { source: "b", dropped: true });
  expect(dropped).toEqual(["shop-1-leeds-ls1", "shop-3-leeds-ls1", "shop-4-a-leeds-ls1"]);
  for (const row of ["broken", record(" ")]) {
    const none = await list([...rest, row]);
    expect(none).toMatchObject({ stdout: "", exitCode: 0 });
    expect(none.stderr).toContain("rejected rows may be of any of them.\n");
  }
  expect(await run(["a", "b", "--dropped"])).toMatchObject({
    stderr: "--dropped is for one file, which has the whole feed.\n",
    exitCode: 1,
  });
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

test("--dry-run, --source, --status and --outcodes do what they say", async () => {
  const file = await write(record("1", { coordinates: null }));
  const outcodes = await write(
    "GB\tLS1\tA\t\t\t\t\t\t\t53\t-1\t4\nGB\tLS1\tB\t\t\t\t\t\t\t54\t-2\t4\n",
    "txt",
  );
  expect((await importJson([file, "--dry-run"])).counts).toMatchObject({ created: 1, pending: 1 });
  expect(await count()).toBe(0);
  const broken = await write("broken\n");
  await load(broken, { dryRun: true });
  expect(await Bun.file(`${broken}.rejects.ndjson`).json()).toMatchObject({ line: 1 });

  const pending = ["--source", "feed-7", "--status", "pending", "--outcodes", outcodes];
  const toApprove = "  New businesses are pending until an operator approves them.\n";
  expect((await run([file, ...pending])).stdout).toContain(toApprove);
  expect((await run([file, ...pending])).stdout).not.toContain(toApprove);
  expect([
    ...(await database.sql`select source, status, latitude, longitude from businesses`),
  ]).toEqual([{ source: "feed-7", status: "pending", latitude: 53.5, longitude: -1.5 }]);
});

test("--categories: parents may come later, what is absent stays, all or nothing", async () => {
  const good = await write(
    '{"slug":"cobblers","name":"Cobblers","parent":"leather"}\n{"slug":"leather","name":"Leather","isActive":false}\n',
  );
  const tried = await run(["--categories", good, "--dry-run"]);
  expect(tried.stdout).toStartWith("Dry run, nothing was kept: read 2, created 2, ");
  expect((await importJson(["--categories", good])).counts).toMatchObject({
    read: 2,
    created: 2,
    updated: 0,
  });
  expect(await loadCategories(good)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
  const renamed = await write('{"slug":"cobblers","name":"Menders"}');
  expect(await loadCategories(renamed)).toMatchObject({ updated: 1 });
  const swapped = await write(
    '{"slug":"leather","name":"Leather","parent":"cobblers"}\n{"slug":"cobblers","name":"Menders","parent":null}',
  );
  expect(await loadCategories(swapped)).toMatchObject({ updated: 2 });

  const faults: [string, string][] = [
    [
      '{"slug":"a-new-one","name":"A"}\n{"slug":"b","name":"B","parent":"nowhere"}',
      "The parent nowhere of b is not a category.",
    ],
    [
      '{"slug":"a-new-one","name":"A"}\n{"slug":"cobblers","name":"M","parent":"leather"}',
      "is a cycle of categories",
    ],
    ['{"slug":"a-new-one","name":"A"}\n{"slug":"Bad Slug","name":"B"}', "line 2: slug must be"],
    ['{"slug":"a-new-one","name":"A"}\n{"slug":"b"}', "line 2: name is missing"],
    [
      '{"slug":"a-new-one","name":"A","parentSlug":"leather"}',
      "line 1: parentSlug is not a field of a category: the fields are slug, name, parent and isActive.",
    ],
    [
      '{"slug":"a-new-one","name":"A"}\n{"slug":"a-new-one","name":"B"}',
      "Two rows of a-new-one contradict each other.",
    ],
  ];
  for (const [content, message] of faults) {
    const loading = loadCategories(await write(content));
    await expect(loading).rejects.toThrow(CommandError);
    await expect(loading).rejects.toThrow(message);
  }
  const { stderr, exitCode } = await run(["--categories", await write(faults[0]?.[0] ?? "")]);
  expect([stderr, exitCode]).toEqual([expect.stringContaining(faults[0]?.[1] ?? ""), 1]);
  const rows = await database.sql`
    select c.slug, c.name, c.is_active, parent.slug as parent
    from categories as c left join categories as parent on parent.id = c.parent_id
    where c.slug in ('cobblers', 'leather', 'a-new-one') order by c.slug`;
  expect([...rows]).toEqual([
    { slug: "cobblers", name: "Menders", is_active: true, parent: null },
    { slug: "leather", name: "Leather", is_active: false, parent: "cobblers" },
  ]);
});

interface Reject {
  reason: string;
  row: { properties?: Record<string, string>; geometry?: object };
}

test.skipIf(!existsSync(data))(
  "real files: every named and placed shop comes in, a second import changes nothing",
  async () => {
    const copies = join(folder, "data");
    await cp(join(data, "osm-norwich"), copies, { recursive: true });
    await chmod(copies, 0o755);
    const osm = (await readdir(copies))
      .filter((name) => name.endsWith(".geojson"))
      .map((name) => join(copies, name));
    const fhrs = join(folder, "fhrs.xml");
    await cp(join(data, "fsa-fhrs/FHRS232en-GB.norwich.xml"), fhrs);

    const first = await importJson([...osm, fhrs]);
    const { counts } = first;
    expect(first.exitCode).toBe(0);
    expect(counts).toMatchObject({ read: 2_794 + 1_563, updated: 0, unchanged: 12 });
    expect(counts.created + counts.unchanged + counts.rejected).toBe(counts.read);

    const rejects = (
      await Promise.all(
        osm.map((file) =>
          Bun.file(`${file}.rejects.ndjson`)
            .text()
            .catch(() => ""),
        ),
      )
    )
      .join("")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Reject);
    expect(rejects.length).toBe(counts.rejected);
    const wronged = rejects.filter(({ row: { properties = {}, geometry } }) => {
      const { name, shop = "", amenity = "" } = properties;
      return name && geometry && (shop || amenity) && !/^(vacant|no|disused:.*)$/.test(shop);
    });
    expect(wronged).toEqual([]);
    const [vacant] = await database.sql`
      select from businesses where name in ('Buddha Collection', 'Ellingham Soaps')`;
    expect(vacant).toBeUndefined();

    const second = await importJson([...osm, fhrs]);
    expect(second.counts).toMatchObject({
      read: counts.read,
      created: 0,
      updated: 0,
      rejected: counts.rejected,
      pending: counts.pending,
    });
  },
  120_000,
);

test.skipIf(!existsSync(data))(
  "real files: the pharmacies of England with the mapping that comes with the project",
  async () => {
    const file = join(folder, "pharmacy.csv");
    await cp(join(data, "nhs-pharmacies-england/pharmacy.csv"), file);
    const args = [
      file,
      "--mapping",
      join(root, "scripts/import/nhs-pharmacies.mapping.json"),
      "--outcodes",
      join(data, "uk-places/geonames_GB.txt"),
    ];
    const { counts } = await importJson(args);
    expect(counts).toMatchObject({ read: 11_206, created: 11_206, rejected: 0 });
    expect(counts.pending).toBeLessThan(30);
    const cities = await database.sql<{ name: string }[]>`
      select name from cities
      where name ~ '[0-9]' or name in ('Kent', 'Essex', 'West', 'West Midlands', 'Middlesex')
        or name ~* ' (road|avenue)$'`;
    expect([...cities]).toEqual([]);
    expect((await importJson(args)).counts).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 11_206,
    });
  },
  120_000,
);
