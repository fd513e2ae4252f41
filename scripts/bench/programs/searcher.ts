import { openPostgres } from "../../../src/store/postgres.ts";
import { createRandom } from "../../generate/random.ts";

/**
 * Gives businesses unique names, one after the other, until its stdin ends, and measures how long search
 * takes to find each. Prints a line once it has started, and its figures at the end. Arguments: URL of
 * the server, file of keyed callers.
 */

export interface Found {
  /** From the return of a commit to the end of the first search response with the name, or until we gave up. */
  foundMs: number[];
  /** How many names we gave up on. */
  unfound: number;
}

const [url = "", callersFile = ""] = process.argv.slice(2);
/** Between two searches for a name: each is work for Meilisearch, which is to index the name meanwhile. */
const PAUSE_MS = 50;
/** Then we give up: longer than any target. */
const LONGEST_MS = 60_000;

const sql = openPostgres(process.env.DATABASE_URL ?? "", { max: 1 });
const random = createRandom(11);
const [caller = ""] = (await Bun.file(callersFile).text()).split("\n", 1);
const headers = { Authorization: caller.replace("Authorization: ", "") };
const businesses = await sql<{ id: string; name: string }[]>`
  select id, name from businesses where status = 'approved' order by id limit 1000`;

let isOver = false;
const foundMs: number[] = [];
let unfound = 0;
const work = keepRenaming();
console.log("searching");
// Nothing is ever sent: stdin ends when our parent closes it or is gone.
await Bun.stdin.text();
isOver = true;
await work;
for (const { id, name } of businesses) {
  await sql`update businesses set name = ${name} where id = ${id} and name <> ${name}`;
}
await sql.end();
console.log(JSON.stringify({ foundMs, unfound } satisfies Found));

async function keepRenaming(): Promise<void> {
  while (!isOver) {
    const { id } = random.pick(businesses);
    // Letters only, and too different for typo tolerance to confuse them.
    const word = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      String.fromCharCode(97 + (byte % 26)),
    ).join("");
    await sql`update businesses set name = ${word} where id = ${id}`;
    const committed = performance.now();
    while (!(await isFound(word))) {
      await Bun.sleep(PAUSE_MS);
      if (performance.now() - committed < LONGEST_MS) continue;
      unfound += 1;
      break;
    }
    foundMs.push(performance.now() - committed);
  }
}

async function isFound(word: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/search?q=${word}`, { headers });
  // If Meilisearch is too busy to answer in time, the name counts as not found.
  if (response.status === 503) return false;
  if (response.status !== 200) throw new Error(`a search was answered with ${response.status}`);
  const { data } = (await response.json()) as { data: unknown[] };
  return data.length > 0;
}
