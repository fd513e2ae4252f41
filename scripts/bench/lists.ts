import type { Sql } from "../../src/store/postgres.ts";
import { createRandom, type Random } from "../generate/random.ts";
import { writeRequests } from "./requests.ts";
import type { Bench } from "./scenario.ts";
import { zipf } from "./zipf.ts";

/** The filter of a list (null: any), and how many businesses match it. */
interface Scope {
  category: string | null;
  city: string | null;
  total: number;
}

const ROWS_A_PAGE = 20;

/** Writes list requests to a file of the benchmark. */
export async function recordLists({ directory, different, file }: Bench) {
  const paths = await drawLists(directory.sql, different);
  return await writeRequests(
    file("lists.txt"),
    paths.map((path) => ({ path })),
  );
}

/**
 * Paths of list requests, skewed as in real traffic: without a filter, by town, by category or by
 * both; large towns and categories more often than small ones, early pages more often than late ones.
 * Draws until `different` distinct ones have come up, or twenty times as many in all.
 */
export async function drawLists(sql: Sql, different: number): Promise<string[]> {
  const scopes = await readScopes(sql);
  const random = createRandom(1);
  const paths: string[] = [];
  const seen = new Set<string>();
  while (seen.size < different && paths.length < different * 20) {
    const { category, city, total } = pickScope(random, scopes);
    const page = zipf(random, Math.ceil(total / ROWS_A_PAGE), 1.6);
    const query = new URLSearchParams({
      ...(city !== null && { city }),
      ...(category !== null && { category }),
      ...(page > 1 && { page: `${page}` }),
    });
    const path = `/api/v1/businesses${query.size > 0 ? `?${query}` : ""}`;
    seen.add(path);
    paths.push(path);
  }
  return paths;
}

type Scopes = Awaited<ReturnType<typeof readScopes>>;

/** Each kind sorted by size, the largest first. */
async function readScopes(sql: Sql) {
  const scopes = await sql<Scope[]>`
    select c.slug as category, t.slug as city, sum(k.change)::integer as total
    from listing_counts as k
      left join categories as c on c.id = k.category_id
      left join cities as t on t.id = k.city_id
    group by c.slug, t.slug
    having sum(k.change) > 0
    order by total desc, c.slug, t.slug`;
  const [all] = scopes.filter(({ category, city }) => category === null && city === null);
  if (!all) throw new Error("the directory is empty");
  return {
    all,
    cities: scopes.filter(({ category, city }) => category === null && city !== null),
    categories: scopes.filter(({ category, city }) => category !== null && city === null),
    byNames: new Map(scopes.map((scope) => [`${scope.category} ${scope.city}`, scope])),
  };
}

function pickScope(random: Random, { all, cities, categories, byNames }: Scopes): Scope {
  const kind = random.fraction();
  if (kind < 0.15) return all;
  const city = cities[zipf(random, cities.length, 1.2) - 1] as Scope;
  if (kind < 0.45) return city;
  const category = categories[zipf(random, categories.length, 1.2) - 1] as Scope;
  if (kind < 0.7) return category;
  return byNames.get(`${category.category} ${city.city}`) ?? city;
}
