import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileOptions } from "../../../scripts/import/file.ts";
import { readMapping } from "../../../scripts/import/mapping.ts";
import { IMPORT_LOCK } from "../../../src/store/locks.ts";
import { runProgram, scriptCommand, storesEnvironment, untilBlocked } from "../../support.ts";
import { openDirectory, record } from "./directory.ts";

// What comes in from each format, from large files and from real data.

const root = join(import.meta.dir, "..", "..", "..");
const data = join(root, "../shared/data");

const { sql, url, folder, start, runJson, load, write } = await openDirectory();

test("a city in our own formats is a display name: it stays as it is, and is no part of an address", async () => {
  const cities = ["Test City 12", "TestCity", "Zed town", "zedtown-1a", "Wood Street", "NEW ZED"];
  const rows = cities.map((city, place) => `${place},Shop,${city}`);
  const csv = await write(["sourceId,name,city", ...rows].join("\n"), "csv");
  const records = cities.map((city, place) => record(`${place}`, { city }));
  const ndjson = await write(records.join("\n"));
  const mapping = {
    header: true,
    fields: { sourceId: "sourceId", name: "name", city: "city" },
  };
  const citiesFrom = async (file: string, options: Partial<FileOptions> = {}) => {
    // A name that is known would be found.
    await sql`delete from businesses`;
    await sql`delete from cities`;
    await load(file, options);
    const kept = await sql<{ name: string | null }[]>`
      select cities.name from businesses left join cities on cities.id = city_id
      order by source_id`;
    return kept.map(({ name }) => name);
  };
  const names = [...cities.slice(0, -1), "New Zed"];
  expect(await citiesFrom(csv)).toEqual(names);
  expect(await citiesFrom(ndjson)).toEqual(names);
  expect(await citiesFrom(csv, { mapping })).toEqual([
    null,
    "City",
    "Zed Town",
    null,
    null,
    "New Zed",
  ]);
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

test("what an element of OpenStreetMap or an establishment no longer has is removed, what its kind never has stays", async () => {
  const cafe = async (tags: object) => {
    const properties = { name: "Café", amenity: "cafe", ...tags };
    const feature = { id: "node/1", properties, geometry: { coordinates: [-1.5, 53.8] } };
    await load(await write(JSON.stringify({ type: "FeatureCollection", features: [feature] })));
    return { ...(await sql`select * from businesses where source = 'osm'`)[0] };
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
    return { ...(await sql`select * from businesses where source = 'fhrs'`)[0] };
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

test("the import of a large file is started over with Bun's allocator set, as the same process", async () => {
  const file = await write(`${" ".repeat(5_000_000)}${record("1")}`);
  const { ended } = await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
    const unset = { MIMALLOC_PURGE_DELAY: undefined, MIMALLOC_PURGE_HOLES: undefined };
    const started = start([file, "--json"], unset);
    await untilBlocked(sql);
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
    ...storesEnvironment(url),
    MIMALLOC_PURGE_DELAY: undefined,
    MIMALLOC_PURGE_HOLES: undefined,
  };
  // Each gets the file of outcodes first, then the command.
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

    const first = await runJson([...osm, fhrs]);
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
    const [vacant] = await sql`
      select from businesses where name in ('Buddha Collection', 'Ellingham Soaps')`;
    expect(vacant).toBeUndefined();

    const second = await runJson([...osm, fhrs]);
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
    const { counts } = await runJson(args);
    expect(counts).toMatchObject({ read: 11_206, created: 11_206, rejected: 0 });
    expect(counts.pending).toBeLessThan(30);
    const cities = await sql<{ name: string }[]>`
      select name from cities
      where name ~ '[0-9]' or name in ('Kent', 'Essex', 'West', 'West Midlands', 'Middlesex')
        or name ~* ' (road|avenue)$'`;
    expect([...cities]).toEqual([]);
    expect((await runJson(args)).counts).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 11_206,
    });
  },
  120_000,
);
