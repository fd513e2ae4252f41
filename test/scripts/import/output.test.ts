import { expect, test } from "bun:test";
import { join } from "node:path";
import { IMPORT_LOCK } from "../../../src/store/locks.ts";
import { delayedBy, runOnTerminal } from "../../support.ts";
import { openDirectory, record } from "./directory.ts";

// What the command prints.

const { sql, url, folder, run, runJson, load, write } = await openDirectory();

test("a summary on stdout, the counts on one line with --json, nothing new the second time", async () => {
  const file = await write([record("1"), record("2"), record("3", { city: "" })].join("\n"));
  const first = await run([file]);
  expect(first.stdout.trimEnd().split("\n").at(-1)).toBe(
    "  read 3, created 3, updated 0, unchanged 0, rejected 0, pending 1",
  );
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  const { counts, exitCode } = await runJson([file]);
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
  const { counts } = await runJson([file, "--source", "a"]);
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
  const { counts } = await runJson([file]);
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

test("an import that waits for another says so, and does not count that as its work", async () => {
  const businesses = await write(record("1"));
  const categories = await write('{"slug":"own-kind","name":"Own kind"}');
  for (const [args, summary] of [
    [[businesses], /^.* \(source \d+\): (\d+\.\d) s, .*\n {2}read 1, created 1, /],
    [["--categories", categories], /^read 1, created 1, /],
  ] as const) {
    let waitedUntil = 0;
    const { stdout, stderr, exitCode } = await delayedBy(
      sql,
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
    expect(stdout).toMatch(summary);
    const [, seconds = 0] = summary.exec(stdout) ?? [];
    // It is rounded.
    expect(Number(seconds)).toBeLessThan(restSeconds + 0.1);
  }
});

test("on a terminal it shows its progress and its rate, and removes them at its end", async () => {
  const file = await write(
    Array.from({ length: 2_000 }, (_, number) =>
      number < 9 ? "broken" : record(`${number}`),
    ).join("\n"),
  );
  const written = await runOnTerminal(url, "import", [file, "--dry-run"]);
  const bars = written.matchAll(/ (\d+) % \| ([\d,]+) rows, ([\d,]+) a second \| /g);
  const steps = Array.from(bars, ([, ...texts]) => texts.map((text) => text.replace(",", "")));
  expect(steps.at(0)).toEqual(["0", "0", "0"]);
  expect(steps.at(-1)).toEqual(["100", "2000", expect.stringMatching(/^[1-9]/)]);
  const clearLine = "\u001b[2K";
  expect(written.split(clearLine).at(-1)).toStartWith(file);
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
  const written = await runOnTerminal(url, "import", [file, other, "--dry-run"]);
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
