import { countCitiesByInitial, listCities } from "../directory/cities.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery } from "../http/parameters.ts";
import { counted } from "../numbers.ts";
import type { Sql } from "../store/postgres.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { CountedLinks, ofPage, Paging, pathWith } from "./listing.tsx";
import { page } from "./page.tsx";
import { unmarked } from "./unmarked.ts";

/** GET /cities: every town that has businesses, by initial letter. */
export function cities(sql: Sql, baseUrl: string): Handler {
  return async function cities(_request, { query }) {
    const parsed = parseQuery(query, { page: pageNumber });
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { page: number } = parsed.value;

    const offset = (number - 1) * TOWNS_ON_PAGE;
    const [initials, { cities: shown, total }] = await Promise.all([
      countCitiesByInitial(sql),
      listCities(sql, { offset, limit: TOWNS_ON_PAGE }),
    ]);
    const letters = firstOfLetters(initials);
    const pages = Math.ceil(total / TOWNS_ON_PAGE);
    if (number > Math.max(1, pages)) return notFound();

    const linkTo = (to: number) => pathWith("/cities", { page: to });
    const towns = counted(total, "town or city", "towns and cities");
    return page(
      {
        title: `Towns and cities${ofPage(number)}`,
        ...(total > 0 && {
          description: `Shops, trades and services in ${towns} across the UK.`,
          canonical: baseUrl + linkTo(number),
        }),
      },
      <>
        <Breadcrumbs />
        <h1>Towns and cities</h1>
        <p class="lead">
          {total > 0 ? towns : "No towns are listed here at the moment"}
          {ofPage(number)}
        </p>
        {letters.size > 1 && (
          <nav class="paging" aria-label="Letters">
            <ol {...unmarked}>
              {[...letters].map(([letter, first]) => {
                const to = Math.floor(first / TOWNS_ON_PAGE) + 1;
                return (
                  <li key={letter}>
                    <a href={`${to === number ? "" : linkTo(to)}#${letter}`}>{letter}</a>
                  </li>
                );
              })}
            </ol>
          </nav>
        )}
        {[...Map.groupBy(shown, ({ slug }) => letterOf(slug))].map(([letter, under]) => (
          <section key={letter}>
            <h2 id={letter}>{letter}</h2>
            <CountedLinks links={under} linkTo={(slug) => `/cities/${slug}`} />
          </section>
        ))}
        <Paging page={number} pages={pages} linkTo={linkTo} />
      </>,
    );
  };
}

/** Towns on a page. Rendering it blocks other requests: with all towns of the UK, for too long. */
const TOWNS_ON_PAGE = 500;

/** How many towns come before the first of each letter. */
function firstOfLetters(initials: readonly { initial: string; cities: number }[]) {
  const letters = new Map<string, number>();
  let before = 0;
  for (const { initial, cities } of initials) {
    letters.getOrInsert(letterOf(initial), before);
    before += cities;
  }
  return letters;
}

/** The letter, A to Z, that a slug begins with; slugs that begin otherwise share a heading. */
function letterOf(slug: string): string {
  const first = slug.charAt(0).toUpperCase();
  return /[A-Z]/.test(first) ? first : "Others";
}
