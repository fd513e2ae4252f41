import { openPostgres } from "../../../src/store/postgres.ts";
import { createRandom } from "../../generate/random.ts";
import { readRequests } from "../requests.ts";

/**
 * Commits changes to single businesses at a steady rate until its stdin ends, and measures how long
 * the server still shows the old state. Prints a line once it has started, and its figures at
 * the end. Arguments: URL of the server, file of list requests, changes per second, seed.
 */

export interface Written {
  perSecond: number;
  /** From the return of a commit to the end of the first response without the old state. */
  staleMs: number[];
}

const [url = "", requestsFile = "", rate = "", seed = ""] = process.argv.slice(2);
const INTERVAL_MS = 1000 / Number(rate);
/** Enough that one slow commit does not hold up the others. */
const CONNECTIONS = 8;
/** Between measurements of staleness. */
const PAUSE_MS = 50;
/** Between two requests for the same list: polling faster would cost the server more than the changes do. */
const LOOK_MS = 10;

const sql = openPostgres(process.env.DATABASE_URL ?? "", { max: CONNECTIONS + 1 });
const random = createRandom(Number(seed));
const ids = await readSomeIds();
const paths = (await readRequests(requestsFile)).slice(0, 2_000).map(({ path }) => path);
/** Suspended businesses wait here to be approved again, so that the directory keeps its size. */
const suspended: string[] = [];

let isOver = false;
let changes = 0;
const staleMs: number[] = [];

// Excludes from the measurement what PostgreSQL does once per connection.
await Promise.all(Array.from({ length: CONNECTIONS }, () => change(random.pick(ids))));
const began = performance.now();
console.log("writing");
const work = [...Array.from({ length: CONNECTIONS }, keepChanging), keepLooking()];
// Nothing is ever sent: stdin ends when our parent closes it or is gone.
await Bun.stdin.text();
isOver = true;
await Promise.all(work);
const seconds = (performance.now() - began) / 1000;
for (const id of suspended) await setStatus(id, "approved");
await sql.end();
console.log(JSON.stringify({ perSecond: changes / seconds, staleMs } satisfies Written));

async function keepChanging(): Promise<void> {
  while (!isOver) {
    const due = began + changes++ * INTERVAL_MS;
    await Bun.sleep(Math.max(0, due - performance.now()));
    await change(random.pick(ids));
  }
}

/** Six in ten are new ratings, three are edits, and one is a change of status. */
async function change(id: string): Promise<void> {
  const kind = random.fraction();
  if (kind < 0.6) {
    await sql`
      update businesses set
        rating = round((rating * review_count + ${random.between(1, 5)}) / (review_count + 1), 2),
        review_count = review_count + 1
      where id = ${id}`;
  } else if (kind < 0.9) {
    await sql`
      update businesses set
        short_description = 'Under new management.',
        website = ${`https://www.edited-${random.between(0, 999_999)}.example/`}
      where id = ${id}`;
  } else if (suspended.length > 0) {
    await setStatus(suspended.pop() as string, "approved");
  } else {
    suspended.push(id);
    await setStatus(id, "suspended");
  }
}

async function setStatus(id: string, status: "approved" | "suspended"): Promise<void> {
  await sql`update businesses set status = ${status} where id = ${id}`;
}

/** Changes the website of a business on a list, then requests that list until it no longer shows the old one. */
async function keepLooking(): Promise<void> {
  while (!isOver) {
    await Bun.sleep(PAUSE_MS);
    const path = random.pick(paths);
    const shown = await readList(path);
    if (shown.length === 0) continue;
    const chosen = random.pick(shown);
    const website = `https://www.changed-${crypto.randomUUID()}.example/`;
    await sql`update businesses set website = ${website} where slug = ${chosen.slug}`;
    changes += 1;
    const committed = performance.now();
    const isAsBefore = (item: Item) => item.slug === chosen.slug && item.website === chosen.website;
    // A page without the business is fresh, too: another change may have moved it.
    while ((await readList(path)).some(isAsBefore)) await Bun.sleep(LOOK_MS);
    staleMs.push(performance.now() - committed);
  }
}

interface Item {
  slug: string;
  website: string;
}

async function readList(path: string): Promise<Item[]> {
  const octets = [random.between(0, 255), random.between(0, 255), random.between(1, 255)];
  const response = await fetch(url + path, {
    headers: { "X-Forwarded-For": `11.${octets.join(".")}` },
  });
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
  return ((await response.json()) as { businesses: Item[] }).businesses;
}

/** Samples blocks from all over the table, whatever its size. */
async function readSomeIds(): Promise<string[]> {
  const [{ percent }] = await sql<[{ percent: number }]>`
    select least(100, 100 * 20000 / greatest(reltuples, 1)) as percent
    from pg_class where oid = 'businesses'::regclass`;
  const rows = await sql<{ id: string }[]>`
    select id from businesses tablesample system (${percent}::real) where status = 'approved'`;
  return rows.map(({ id }) => id);
}
