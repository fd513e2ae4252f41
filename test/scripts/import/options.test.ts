import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importCategoryFile } from "../../../scripts/import/categories.ts";
import { readMapping } from "../../../scripts/import/mapping.ts";
import { readOutcodes } from "../../../scripts/import/outcodes.ts";
import { CommandError } from "../../../scripts/terminal/command.ts";
import { openDirectory, record } from "./directory.ts";

const { sql, folder, run, runJson, load, write, count } = await openDirectory();

const loadCategories = (file: string) => importCategoryFile(sql, file, { dryRun: false });

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
  await Promise.all(
    faults.map(async ([args, ...messages]) => {
      const { stderr, exitCode } = await run(args);
      for (const message of messages) expect(stderr).toContain(message);
      expect(stderr).not.toContain("    at ");
      expect(exitCode).toBe(1);
    }),
  );
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

test("--dry-run, --source, --status and --outcodes do what they say", async () => {
  const file = await write(record("1", { coordinates: null }));
  const outcodes = await write(
    "GB\tLS1\tA\t\t\t\t\t\t\t53\t-1\t4\nGB\tLS1\tB\t\t\t\t\t\t\t54\t-2\t4\n",
    "txt",
  );
  expect((await runJson([file, "--dry-run"])).counts).toMatchObject({ created: 1, pending: 1 });
  expect(await count()).toBe(0);
  const broken = await write("broken\n");
  await load(broken, { dryRun: true });
  expect(await Bun.file(`${broken}.rejects.ndjson`).json()).toMatchObject({ line: 1 });

  const pending = ["--source", "feed-7", "--status", "pending", "--outcodes", outcodes];
  const toApprove = "  New businesses are pending until an operator approves them.\n";
  expect((await run([file, ...pending])).stdout).toContain(toApprove);
  expect((await run([file, ...pending])).stdout).not.toContain(toApprove);
  expect([...(await sql`select source, status, latitude, longitude from businesses`)]).toEqual([
    { source: "feed-7", status: "pending", latitude: 53.5, longitude: -1.5 },
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

test("--categories: parents may come later, what is absent stays, all or nothing", async () => {
  const good = await write(
    '{"slug":"cobblers","name":"Cobblers","parent":"leather"}\n{"slug":"leather","name":"Leather","isActive":false}\n',
  );
  const tried = await run(["--categories", good, "--dry-run"]);
  expect(tried.stdout).toStartWith("Dry run, nothing was kept: read 2, created 2, ");
  expect((await runJson(["--categories", good])).counts).toMatchObject({
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

  const lost: [content: string, message: string] = [
    '{"slug":"a-new-one","name":"A"}\n{"slug":"b","name":"B","parent":"nowhere"}',
    "The parent nowhere of b is not a category.",
  ];
  const faults: [content: string, message: string][] = [
    lost,
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
  const { stderr, exitCode } = await run(["--categories", await write(lost[0])]);
  expect([stderr, exitCode]).toEqual([expect.stringContaining(lost[1]), 1]);
  const rows = await sql`
    select c.slug, c.name, c.is_active, parent.slug as parent
    from categories as c left join categories as parent on parent.id = c.parent_id
    where c.slug in ('cobblers', 'leather', 'a-new-one') order by c.slug`;
  expect([...rows]).toEqual([
    { slug: "cobblers", name: "Menders", is_active: true, parent: null },
    { slug: "leather", name: "Leather", is_active: false, parent: "cobblers" },
  ]);
});
