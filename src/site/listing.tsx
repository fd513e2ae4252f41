import type { ListedBusiness } from "../directory/listed.ts";
import type { Category } from "../directory/schemas.ts";
import { counted, grouped } from "../numbers.ts";
import { Credit } from "./credit.tsx";
import type { Highlight } from "./highlight.tsx";
import { unmarked } from "./unmarked.ts";

/** Businesses on a page. */
export const PAGE_SIZE = 20;

/** Businesses as cards, in the order given, with a note on it and the credits that their data requires. */
export function BusinessList({
  businesses,
  categories,
  isSearch = false,
  highlight = (text) => text,
}: {
  businesses: readonly ListedBusiness[];
  /** For the names of categories. A category that is missing here, such as the page's own, is not named. */
  categories: readonly Category[];
  /** Whether they are ranked by a text first. */
  isSearch?: boolean;
  highlight?: Highlight;
}) {
  const names = new Map(categories.map(({ slug, name }) => [slug, name]));
  const categoryOf = ({ categorySlug }: ListedBusiness) => {
    const name = names.get(categorySlug);
    return name && <>{highlight(name)} · </>;
  };
  return (
    <>
      {/* Why a business may come before one that is rated better. */}
      {businesses.some(({ isPremium }) => isPremium) && (
        <p class="small">
          {isSearch
            ? "The best matches come first; of equal ones, featured businesses, then the best rated."
            : "Featured businesses come first, then the best rated."}
        </p>
      )}
      <ol class="cards" {...unmarked}>
        {businesses.map((business) => (
          <li key={business.id}>
            <h2>
              <a href={`/businesses/${business.slug}`}>{highlight(business.name)}</a>
            </h2>
            <Badges business={business} />
            <p class="where">
              {categoryOf(business)}
              <bdi>{highlight(business.addressLine1)}</bdi>, {highlight(business.cityName)}{" "}
              {highlight(business.postcode.replace(" ", NO_BREAK))}
            </p>
            {business.shortDescription && <p>{highlight(business.shortDescription)}</p>}
          </li>
        ))}
      </ol>
      <Credit sources={businesses.map(({ source }) => source)} />
    </>
  );
}

const NO_BREAK = "\u00a0";

/** What visitors look for first: the rating, and whether the business is verified or featured. */
export function Badges({
  business: { rating, reviewCount, isVerified, isPremium },
}: {
  business: Pick<ListedBusiness, "rating" | "reviewCount" | "isVerified" | "isPremium">;
}) {
  const isRated = rating > 0 && reviewCount > 0;
  if (!isRated && !isVerified && !isPremium) return null;
  return (
    <p class="badges">
      {isRated && (
        <span class="rating">
          <span aria-hidden="true">★ </span>
          {rating.toFixed(1)} <span class="unseen">out of 5 from </span>
          <span class="count">{counted(reviewCount, "review", "reviews")}</span>
        </span>
      )}{" "}
      {isVerified && <span class="badge">Verified</span>}{" "}
      {isPremium && <span class="badge premium">Featured</span>}
    </p>
  );
}

/** Links to the pages around this one; nothing when there is only one. */
export function Paging({
  page,
  pages,
  linkTo,
}: {
  page: number;
  pages: number;
  linkTo: (page: number) => string;
}) {
  if (pages <= 1) return null;
  const near = [page - 2, page - 1, page, page + 1, page + 2];
  const shown = [...new Set([1, ...near, pages])].filter((n) => n >= 1 && n <= pages);
  return (
    <nav class="paging" aria-label="Pages">
      {page > 1 && (
        <a href={linkTo(page - 1)} rel="prev">
          Previous<span class="unseen"> page</span>
        </a>
      )}
      <ol {...unmarked}>
        {shown.map((number, place) => (
          <li key={number} class={number - (shown[place - 1] ?? 0) > 1 ? "gap" : ""}>
            <a href={linkTo(number)} aria-current={number === page ? "page" : undefined}>
              <span class="unseen">Page </span>
              {grouped(number)}
            </a>
          </li>
        ))}
      </ol>
      {page < pages && (
        <a href={linkTo(page + 1)} rel="next">
          Next<span class="unseen"> page</span>
        </a>
      )}
    </nav>
  );
}

/** Links to cities or categories, with the number of businesses behind each. */
export function CountedLinks({
  links,
  linkTo,
}: {
  links: readonly { slug: string; name: string; businessCount: number }[];
  linkTo: (slug: string) => string;
}) {
  return (
    <ul class="counted" {...unmarked}>
      {links.map(({ slug, name, businessCount }) => (
        <li key={slug}>
          <a href={linkTo(slug)}>{name}</a> <span class="count">{grouped(businessCount)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The alphabetical order that people expect: É sorts with E, unlike in PostgreSQL's order. */
export const byName = (one: { name: string }, other: { name: string }) =>
  alphabetical.compare(one.name, other.name);

const alphabetical = new Intl.Collator("en-GB");

/** A path with the parameters that have a value; page 1 is omitted. */
export function pathWith(path: string, parameters: Record<string, string | number | undefined>) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    const isStandard = name === "page" && value === 1;
    if (value !== undefined && value !== "" && !isStandard) query.set(name, `${value}`);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The end of the title of a list's page; empty on the first. */
export const ofPage = (page: number) => (page > 1 ? `, page ${page}` : "");

/** How many businesses a list has, for its heading. */
export const countedBusinesses = (total: number) =>
  total === 0
    ? "No businesses are listed here at the moment"
    : counted(total, "business", "businesses");
