import { afterAll, expect, test } from "bun:test";
import { createKey, revokeKey } from "../../src/access/keys.ts";
import { compactListings } from "../../src/directory/compaction.ts";
import { checkLists } from "../../src/directory/list-check.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase } from "../support.ts";

// What operators do in SQL, in sessions of their own.

const database = await createDatabase();
const { sql } = database;
afterAll(() => database.drop());

const slugsIn = async (city: string) =>
  (await listBusinesses(sql, { city, offset: 0, limit: 100 })).businesses.map(({ slug }) => slug);

for (const [session, prepare] of [
  // What pg_dump writes begins with this.
  ["whose search_path is empty", "set local search_path = ''"],
  [
    "with temporary tables of the same names",
    `create temporary table businesses (like public.businesses including all) on commit drop;
     create temporary table categories (like public.categories) on commit drop;
     create temporary table cities (like public.cities) on commit drop;
     create temporary table listings (like public.listings) on commit drop;
     create temporary table listing_counts (like public.listing_counts including all) on commit drop;
     create temporary table search_changes (like public.search_changes including all) on commit drop;
     create temporary table search_renames (like public.search_renames including all) on commit drop;
     create temporary table keys_version (like public.keys_version) on commit drop`,
  ],
] as const) {
  test(`the directory follows what is changed in a session ${session}`, async () => {
    const city = `Pathless ${session.length}`;
    const citySlug = city.toLowerCase().replaceAll(" ", "-");
    const { slug: kept } = await addBusiness(sql, { city });
    const { slug: dropped } = await addBusiness(sql, { city });
    const [before] = await sql`select version from keys_version`;
    await sql`truncate search_changes, search_renames`;

    const added = `${kept}-copy`;
    await sql.begin(async (operator) => {
      await operator.unsafe(prepare);
      await operator`
        insert into public.businesses (
          slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
        select ${added}, name, status, category_id, city_id, address_line1, postcode, latitude, longitude
        from public.businesses where slug = ${kept}`;
      await operator`update public.businesses set is_premium = true where slug = ${kept}`;
      await operator`delete from public.businesses where slug = ${dropped}`;
      await operator`update public.cities set name = name || '!' where slug = ${citySlug}`;
      await operator`update public.categories set name = name || '!' where slug = 'plumbers'`;
      await operator`
        update public.categories set parent_id = null, is_active = true where slug = 'electricians'`;
      await operator`update public.tiers set name = name where slug = 'developer'`;
      const deletion = operator.savepoint(
        (savepoint) => savepoint`delete from public.cities where slug = ${citySlug}`,
      );
      await expect(deletion).rejects.toThrow(`there are businesses of ${citySlug} in cities`);
    });

    expect(await slugsIn(citySlug)).toEqual([kept, added]);
    const [recorded] = await sql`
      select (select count(distinct business_id)::integer from search_changes) as businesses,
        (select count(distinct coalesce(category_id, city_id))::integer from search_renames) as names`;
    expect(recorded).toEqual({ businesses: 3, names: 3 });
    const [after] = await sql`select version from keys_version`;
    expect(Number(after?.version)).toBe(Number(before?.version) + 1);
  });
}

test("no trigger function depends on the session's search_path", async () => {
  const dependent = await sql`
    select distinct proname from pg_trigger join pg_proc on pg_proc.oid = tgfoid
    where not tgisinternal
      and not coalesce('search_path=public, pg_temp' = any(proconfig), false)`;
  expect([...dependent]).toEqual([]);
});

test("businesses and keys can be changed while all tables are published, as when moving to a new PostgreSQL", async () => {
  const { slug } = await addBusiness(sql, { city: "Published" });
  await sql`create publication everything for all tables`;
  const { id } = await createKey(sql, {
    name: "Ada",
    email: "ada@client.example",
    tier: "starter",
  });
  expect(await revokeKey(sql, id)).toBe("changed");
  await sql`update businesses set is_premium = true where slug = ${slug}`;
  await compactListings(sql);
  await sql`update businesses set status = 'suspended' where slug = ${slug}`;
  await compactListings(sql);
  await sql`drop publication everything`;
  expect(await slugsIn("published")).toEqual([]);
});

test("deleting many cities or categories reads the businesses once", async () => {
  await addBusiness(sql, { city: "Stays" });
  for (const table of ["cities", "categories"]) {
    await sql`
      insert into ${sql(table)} (slug, name)
      select 'mistake-' || n, 'Mistake ' || n from generate_series(1, 50) as n`;
    const times = await sql.begin(async (operator) => {
      // Of this session, earlier transactions included.
      const reads = async () => {
        const [{ reads }] = await operator<[{ reads: number }]>`
          select (seq_scan + coalesce(idx_scan, 0))::integer as reads
          from pg_stat_xact_user_tables where relid = 'businesses'::regclass`;
        return reads;
      };
      const before = await reads();
      await operator`delete from ${operator(table)} where slug like 'mistake-%'`;
      return (await reads()) - before;
    });
    expect(times).toBe(1);
  }
});

test("a role with the rights listed in scripts/README.md may change the directory, and check its lists", async () => {
  const readme = await Bun.file("scripts/README.md").text();
  const name = new URL(database.url).pathname.slice(1);
  const [ofDatabase = ""] = /^grant .* on database DATABASE to NAME;/m.exec(readme) ?? [];
  const rights = [...readme.matchAll(/grant ([a-z, ]+) on (tables|sequences) to NAME/g)];
  const role = `limited_${crypto.randomUUID().replaceAll("-", "")}`;
  const { slug } = await addBusiness(sql, { city: "Limited" });
  await sql.unsafe(`create role ${role}`);
  for (const [, granted, kind] of rights) {
    await sql.unsafe(`grant ${granted} on all ${kind} in schema public to ${role}`);
  }
  await sql.unsafe(`revoke temporary on database ${name} from public`);
  await sql.unsafe(ofDatabase.replace("DATABASE", name).replace("NAME", role));
  await using limited = openPostgres(`${database.url}?role=${role}`, { max: 1 });
  await limited`update businesses set status = 'suspended' where slug = ${slug}`;
  expect((await checkLists(limited)).faults).toEqual([]);
  await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  expect(await slugsIn("limited")).toEqual([]);
});
