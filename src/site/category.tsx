import { largestCategoriesOf, listCategories } from "../directory/categories.ts";
import { type CityName, findCity, largestCities } from "../directory/cities.ts";
import { listBusinesses } from "../directory/listing.ts";
import type { Category } from "../directory/schemas.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery, parseSlug, typedText } from "../http/parameters.ts";
import { counted } from "../numbers.ts";
import type { Sql } from "../store/postgres.ts";
import { Breadcrumbs, type Crumb } from "./breadcrumbs.tsx";
import {
  BusinessList,
  byName,
  CountedLinks,
  countedBusinesses,
  ofPage,
  PAGE_SIZE,
  Paging,
  pathWith,
} from "./listing.tsx";
import { page } from "./page.tsx";

/** GET /categories/{slug}: its businesses in list order, with `?city=` only those of a city. */
export function category(sql: Sql, baseUrl: string): Handler {
  return async function category(_request, { segment, query }) {
    const slug = parseSlug(segment);
    const parsed = parseQuery(query, { city: typedText, page: pageNumber });
    if (!slug.ok) return notFound();
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { city: citySlug, page: number } = parsed.value;

    const categories = await listCategories(sql);
    const shown = categories.find((each) => each.slug === slug.value);
    const city = citySlug === "" ? null : await findCity(sql, citySlug);
    if (!shown || (citySlug !== "" && !city)) return notFound();
    const scope = { category: shown.slug, city: city?.slug };
    const [{ total, businesses }, cities, counts] = await Promise.all([
      listBusinesses(sql, { ...scope, offset: (number - 1) * PAGE_SIZE, limit: PAGE_SIZE }),
      city ? [] : largestCities(sql, { category: shown.slug, limit: MOST_TOWNS }),
      city ? largestCategoriesOf(sql, { city: city.slug }) : categories,
    ]);
    const isBelow = new Set(
      categories.filter(({ parent }) => parent?.slug === shown.slug).map(({ slug }) => slug),
    );
    // The direct subcategories that are not empty.
    const below = counts.filter(
      ({ slug, businessCount }) => isBelow.has(slug) && businessCount > 0,
    );
    const pages = Math.ceil(total / PAGE_SIZE);
    if (number > Math.max(1, pages)) return notFound();

    const path = `/categories/${shown.slug}`;
    const linkTo = (to: number) => pathWith(path, { city: city?.slug, page: to });
    const title = city ? `${shown.name} in ${city.name}` : shown.name;
    return page(
      {
        title: title + ofPage(number),
        ...(total > 0 && {
          description: `${title}: ${counted(total, "business", "businesses")} with addresses, opening hours and ratings.`,
          canonical: baseUrl + linkTo(number),
        }),
      },
      <>
        <Breadcrumbs crumbs={crumbsOf(shown, city)} />
        <h1>{title}</h1>
        <p class="lead">
          {countedBusinesses(total)}
          {ofPage(number)}
          {city && (
            <>
              {". "}
              <a href={path}>{shown.name} in all towns</a>
            </>
          )}
        </p>
        {number === 1 && below.length > 0 && (
          <nav aria-label="Subcategories">
            <CountedLinks
              links={below}
              linkTo={(slug) => pathWith(`/categories/${slug}`, { city: city?.slug })}
            />
          </nav>
        )}
        {number === 1 && cities.length > 1 && (
          <details class="more">
            <summary>Choose a town</summary>
            <CountedLinks
              links={cities.toSorted(byName)}
              linkTo={(slug) => pathWith(path, { city: slug })}
            />
            {cities.length === MOST_TOWNS && (
              <p>
                These are the towns with the most businesses. For any other, see{" "}
                <a href="/cities">all towns and cities</a>.
              </p>
            )}
          </details>
        )}
        <BusinessList
          businesses={businesses}
          categories={categories.filter(({ slug }) => slug !== shown.slug)}
        />
        <Paging page={number} pages={pages} linkTo={linkTo} />
      </>,
    );
  };
}

/** Towns to choose from. Rendering a page with many thousands would block other requests. */
const MOST_TOWNS = 300;

function crumbsOf({ parents }: Category, city: CityName | null): Crumb[] {
  return [
    ...(city ? [{ name: city.name, href: `/cities/${city.slug}` }] : []),
    ...parents.map(({ slug, name }) => ({
      name,
      href: pathWith(`/categories/${slug}`, { city: city?.slug }),
    })),
  ];
}
