import { searchWords } from "../../src/search/words.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { createRandom, type Random } from "../generate/random.ts";

/** Distinct search queries: for a trade in a town, for a business, for a business in its town. */
export async function drawSearches(sql: Sql, different: number): Promise<string[]> {
  const businesses = await sql<{ name: string; city: string }[]>`
    select b.name, cities.name as city
    from businesses as b
      join cities on cities.id = b.city_id
    where b.status = 'approved' order by b.id limit ${different * 2}`;
  const categories = await sql<{ name: string }[]>`select name from categories order by id`;
  const cities = await sql<{ name: string }[]>`select name from cities order by id`;
  const random = createRandom(3);
  const pick = (rows: { name: string }[]) => random.pick(rows).name;
  const draw = () => {
    const kind = random.fraction();
    if (kind < 0.35) return `${pick(categories)} ${pick(cities)}`;
    const { name, city } = random.pick(businesses);
    return kind < 0.7 ? name : `${name} ${city}`;
  };

  const queries = new Set<string>();
  for (let drawn = 0; queries.size < different && drawn < different * 20; drawn++) {
    const words = searchWords(draw());
    const query = random.chance(0.15) ? misspell(random, words) : words;
    queries.add(query.join(" "));
  }
  return [...queries];
}

/** Swaps two letters of one word, as happens when typing. */
function misspell(random: Random, words: string[]): string[] {
  const chosen = random.between(0, words.length - 1);
  return words.map((word, place) => {
    if (place !== chosen || word.length < 5) return word;
    const slip = random.between(1, word.length - 2);
    return word.slice(0, slip) + word[slip + 1] + word[slip] + word.slice(slip + 2);
  });
}
