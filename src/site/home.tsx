import { listCategories } from "../directory/categories.ts";
import { largestCities } from "../directory/cities.ts";
import type { Handler } from "../http/handler.ts";
import type { Sql } from "../store/postgres.ts";
import { CountedLinks, countedBusinesses } from "./listing.tsx";
import { page, SearchBox } from "./page.tsx";

/** GET /: search, and links to the largest categories and towns. */
export function home(sql: Sql, baseUrl: string): Handler {
  return async function home() {
    const [categories, cities] = await Promise.all([
      listCategories(sql),
      largestCities(sql, { limit: 24 }),
    ]);
    const inUse = categories.filter(({ businessCount }) => businessCount > 0);
    const parents = new Set(categories.map(({ parent }) => parent?.slug));
    const popular = inUse
      .filter(({ slug }) => !parents.has(slug))
      .sort((one, other) => other.businessCount - one.businessCount)
      .slice(0, 12);
    const branches = inUse.filter(({ parent }) => parent === null);
    const linkToCategory = (slug: string) => `/categories/${slug}`;
    return page(
      {
        title: "UK business directory",
        description: "Find shops, trades and services in towns and cities across the UK.",
        canonical: `${baseUrl}/`,
        hidesSearch: true,
      },
      <>
        <div class="hero">
          <h1>Find a local business</h1>
          <p class="lead">Shops, trades and services in towns and cities across the UK.</p>
          <SearchBox isLarge />
        </div>
        {cities.length === 0 && <p>{countedBusinesses(0)}.</p>}
        {popular.length > 0 && (
          <section>
            <h2>Popular categories</h2>
            <CountedLinks links={popular} linkTo={linkToCategory} />
          </section>
        )}
        {cities.length > 0 && (
          <section>
            <h2>Popular towns and cities</h2>
            <CountedLinks links={cities} linkTo={(slug) => `/cities/${slug}`} />
            <p>
              <a href="/cities">All towns and cities</a>
            </p>
          </section>
        )}
        {branches.length > 0 && (
          <section>
            <h2>All categories</h2>
            <CountedLinks links={branches} linkTo={linkToCategory} />
          </section>
        )}
      </>,
    );
  };
}
