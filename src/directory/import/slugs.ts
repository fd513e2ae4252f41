import { LRUCache } from "lru-cache";
import type { Transaction } from "../../store/postgres.ts";
import { makeSlug } from "../slug.ts";
import { outcodeOf } from "./contacts.ts";

interface SlugWish {
  /** The slug to be used as it is, if the record gives one. */
  slug: string | null;
  name: string;
  citySlug: string | undefined;
  /** "" when there is none. */
  postcode: string;
}

/**
 * Gives free slugs to new businesses: readable ones first (boots-norwich, then boots-norwich-nr2), then
 * numbered ones (boots-norwich-nr2-2). Costs index probes, the number of which does not grow with the
 * directory. Only one transaction at a time may allocate.
 */
export class SlugAllocator {
  // The number to try next after a slug; one that was evicted is searched for again.
  readonly #next = new LRUCache<string, number>({ max: 100_000 });

  /** @returns a slug for each wish; null when it asks for a particular one, which is taken */
  async allocate(
    transaction: Transaction,
    wishes: readonly SlugWish[],
  ): Promise<(string | null)[]> {
    const candidates = wishes.map(({ slug, ...wish }) => (slug ? [slug] : readableSlugs(wish)));
    const taken = await takenOf(transaction, candidates.flat());
    const slugs = new Array<string | null>(wishes.length).fill(null);
    const take = (index: number, slug: string | undefined) => {
      if (slug === undefined || taken.has(slug)) return false;
      taken.add(slug);
      slugs[index] = slug;
      return true;
    };

    // Those that ask for a particular slug choose first.
    for (const [index, { slug }] of wishes.entries()) if (slug) take(index, slug);
    let waiting = wishes.flatMap(({ slug }, index) =>
      slug || candidates[index]?.some((candidate) => take(index, candidate)) ? [] : [index],
    );
    while (waiting.length > 0) {
      const bases = waiting.map((index) => candidates[index]?.at(-1) ?? "");
      const numbered = await this.#number(transaction, bases);
      for (const slug of await takenOf(transaction, numbered)) taken.add(slug);
      waiting = waiting.filter((index, place) => !take(index, numbered[place]));
    }
    return slugs;
  }

  /** The next number after each base. */
  async #number(transaction: Transaction, bases: readonly string[]): Promise<string[]> {
    const unknown = [...new Set(bases)].filter((base) => !this.#next.has(base));
    const next = new Map(await freeNumbers(transaction, unknown));
    return bases.map((base) => {
      const number = next.get(base) ?? this.#next.get(base) ?? 2;
      next.set(base, number + 1);
      this.#next.set(base, number + 1);
      return `${base}-${number}`;
    });
  }
}

/** Longest part of a slug that comes from the name; leaves room for town, outcode and number. */
const LONGEST_NAME = 70;
const LONGEST_TOWN = 34;

/** Candidates for the slug of a business, the shortest first; at most 110 characters. */
export function readableSlugs({ name, citySlug, postcode }: Omit<SlugWish, "slug">): string[] {
  const fromName = shorten(makeSlug(name), LONGEST_NAME) || "business";
  const town = shorten(citySlug ?? "", LONGEST_TOWN);
  const isTownNamed = town === "" || fromName === town || fromName.endsWith(`-${town}`);
  const base = isTownNamed ? fromName : `${fromName}-${town}`;
  return postcode === "" ? [base] : [base, `${base}-${outcodeOf(postcode).toLowerCase()}`];
}

/** Cuts at a hyphen. */
function shorten(slug: string, longest: number): string {
  if (slug.length <= longest) return slug;
  const cut = slug.slice(0, longest + 1);
  return cut.includes("-") ? cut.slice(0, cut.lastIndexOf("-")) : cut.slice(0, longest);
}

async function takenOf(transaction: Transaction, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await transaction<{ slug: string }[]>`
    select slug from businesses where slug = any(${slugs}::text[])`;
  return new Set(rows.map(({ slug }) => slug));
}

/**
 * A number for each base such that base-number is free and the number below is not: by doubling, then
 * bisection, so that the thousandth "boots-london-e1" costs twenty probes.
 */
async function freeNumbers(
  transaction: Transaction,
  bases: readonly string[],
): Promise<[string, number][]> {
  if (bases.length === 0) return [];
  const rows = await transaction<{ base: string; number: number }[]>`
    with recursive search (base, low, high, is_bounded) as (
      select base, 1, 2, false from unnest(${bases}::text[]) as base
      union all
      select base,
        case when is_taken then probe else low end,
        case when not is_taken then probe when is_bounded then high else probe * 2 end,
        is_bounded or not is_taken
      from (
        select search.*, probe,
          exists (select from businesses where slug = base || '-' || probe) as is_taken
        from search
          cross join lateral (values (case when is_bounded then (low + high) / 2 else high end))
            as next (probe)
        where not (is_bounded and high - low = 1)
        offset 0 -- so that each slug is looked up once, not in each use of is_taken
      ) as probed
    )
    select base, high as number from search where is_bounded and high - low = 1`;
  return rows.map(({ base, number }) => [base, number]);
}
