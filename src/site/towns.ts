import { type CityName, findCity, largestCities, largestCitiesNamed } from "../directory/cities.ts";
import { makeSlug } from "../directory/slug.ts";
import { namesOfTowns } from "../search/names-of-towns.ts";
import { closest } from "../search/typos.ts";
import type { Sql } from "../store/postgres.ts";

/**
 * The result of looking up a town as typed: the one of that name, the only one that can be meant, or those
 * that may be.
 */
type TownMatch = { city: CityName; isGuessed: boolean } | { city: null; similar: CityName[] };

/**
 * Finds a town by its name, however it is written. If there is none, the town that also goes by that name
 * (Derry: Londonderry; Caerdydd: Cardiff) is meant, or the only one whose name has all the words (Hull: Kingston
 * upon Hull; Saint Albans: St Albans; Gt Yarmouth: Great Yarmouth). Otherwise the similar towns are those that have
 * them or, if there are none, those of the larger towns that are one or two typos away; among equals the largest come
 * first.
 */
export async function findTown(sql: Sql, text: string): Promise<TownMatch> {
  const slug = makeSlug(text);
  if (slug === "") return { city: null, similar: [] };
  const city = await findCity(sql, slug);
  if (city) return { city, isGuessed: false };
  for (const other of slugsOfTowns.find((slugs) => slugs.includes(slug)) ?? []) {
    const named = await findCity(sql, other);
    if (named) return { city: named, isGuessed: true };
  }
  const holding = await largestCitiesNamed(sql, { words: slug.split("-"), limit: MOST_SIMILAR });
  const [only, ...others] = holding;
  if (only && others.length === 0) return { city: only, isGuessed: true };
  if (holding.length > 0) return { city: null, similar: holding };
  // Short names tolerate no typos: there, a different letter makes a different town.
  const similar = closest(
    await largestCities(sql, { limit: MOST_COMPARED }),
    (town) => town.slug,
    slug,
  );
  return { city: null, similar: similar.slice(0, MOST_SIMILAR) };
}

const slugsOfTowns = namesOfTowns.map((names) => names.map(makeSlug));

const MOST_SIMILAR = 5;

/** Comparing names letter by letter blocks other requests. Search itself tolerates typos in all names. */
const MOST_COMPARED = 2_000;
