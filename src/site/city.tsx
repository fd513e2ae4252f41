import { largestCategoriesOf, listCategories } from "../directory/categories.ts";
import { findCity } from "../directory/cities.ts";
import { listBusinesses } from "../directory/listing.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery, parseSlug } from "../http/parameters.ts";
import { counted } from "../numbers.ts";
import type { Sql } from "../store/postgres.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
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

/** GET /cities/{slug}: its businesses in list order. */
export function city(sql: Sql, baseUrl: string): Handler {
  return async function city(_request, { segment, query }) {
    const slug = parseSlug(segment);
    const parsed = parseQuery(query, { page: pageNumber });
    if (!slug.ok) return notFound();
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { page: number } = parsed.value;

    const shown = await findCity(sql, slug.value);
    if (!shown) return notFound();
    const [{ total, businesses }, categories, inUse] = await Promise.all([
      listBusinesses(sql, {
        city: shown.slug,
        offset: (number - 1) * PAGE_SIZE,
        limit: PAGE_SIZE,
      }),
      listCategories(sql),
      largestCategoriesOf(sql, { city: shown.slug }),
    ]);
    const pages = Math.ceil(total / PAGE_SIZE);
    if (number > Math.max(1, pages)) return notFound();

    const others = inUse.slice(MOST_AT_ONCE).sort(byName);
    const linkToCategory = (slug: string) => pathWith(`/categories/${slug}`, { city: shown.slug });
    const path = `/cities/${shown.slug}`;
    const linkTo = (to: number) => pathWith(path, { page: to });
    const title = `Businesses in ${shown.name}`;
    return page(
      {
        title: title + ofPage(number),
        ...(total > 0 && {
          description: `${counted(total, "business", "businesses")} in ${shown.name}, with addresses, opening hours and ratings.`,
          canonical: baseUrl + linkTo(number),
        }),
      },
      <>
        <Breadcrumbs crumbs={[{ name: "Towns and cities", href: "/cities" }]} />
        <h1>{title}</h1>
        <p class="lead">
          {countedBusinesses(total)}
          {ofPage(number)}
        </p>
        {number === 1 && inUse.length > 0 && (
          <nav aria-label={`Categories in ${shown.name}`}>
            <CountedLinks links={inUse.slice(0, MOST_AT_ONCE)} linkTo={linkToCategory} />
            {others.length > 0 && (
              <details class="more">
                <summary>{counted(others.length, "more category", "more categories")}</summary>
                <CountedLinks links={others} linkTo={linkToCategory} />
              </details>
            )}
          </nav>
        )}
        <BusinessList businesses={businesses} categories={categories} />
        <Paging page={number} pages={pages} linkTo={linkTo} />
      </>,
    );
  };
}

/** Categories that are shown before the list is expanded: whole rows of two, three or four. */
const MOST_AT_ONCE = 12;
