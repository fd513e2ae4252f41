import { type Category, listCategories } from "../directory/categories.ts";
import { type City, findCity, largestCities } from "../directory/cities.ts";
import { makeSlug } from "../directory/import/slugs.ts";
import { invalidParameter } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { parseQuery } from "../http/parameters.ts";
import { type Search, searchBusinesses } from "../search/query.ts";
import { highlightWords } from "./highlight.tsx";
import { BusinessList, counted, Paging, pathWith } from "./listing.tsx";
import { page } from "./page.tsx";
import { optionalPage, optionalText, PAGE_SIZE } from "./parameters.ts";

const parameters = {
  q: optionalText,
  city: optionalText,
  category: optionalText,
  page: optionalPage,
};

/** Ranking deep pages costs search more and more, and nobody reads them. */
const LAST_PAGE = 50;

/** GET /search: what the API's search answers, in the same order. */
export function searchPage(directory: Search): Handler {
  return async function searchPage(_request, { query }) {
    const parsed = parseQuery(query, parameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { q, city: cityText, category } = parsed.value;
    const number = Math.min(parsed.value.page, LAST_PAGE);
    const { sql } = directory;

    const [categories, cities, city] = await Promise.all([
      listCategories(sql),
      largestCities(sql, { limit: MOST_SUGGESTIONS }),
      findCity(sql, makeSlug(cityText)),
    ]);
    const isUnknownCity = cityText !== "" && !city;
    const found =
      q === "" || isUnknownCity
        ? { items: [], total: 0 }
        : await searchBusinesses(directory, {
            text: q,
            limit: PAGE_SIZE,
            offset: (number - 1) * PAGE_SIZE,
            city: city?.slug,
            category: category || undefined,
          });
    const pages = Math.min(LAST_PAGE, Math.ceil(found.total / PAGE_SIZE));
    const linkTo = (to: number) => pathWith("/search", { q, city: city?.slug, category, page: to });

    return page(
      { title: q === "" ? "Search" : `${q}: search`, hidesSearch: true },
      <>
        <h1>{q === "" ? "Search" : `Results for “${q}”`}</h1>
        <SearchForm
          q={q}
          cityText={city?.name ?? cityText}
          category={category}
          categories={categories}
          cities={cities}
        />
        {q === "" && <p>By name, trade or place, in your own words: “plumber in leeds” will do.</p>}
        {isUnknownCity && (
          <p role="status" class="notice">
            There is no town called “{cityText}” in the directory. Choose one from the list, or
            leave the field empty.
          </p>
        )}
        {q !== "" && !isUnknownCity && (
          <p role="status" class="lead">
            {found.total === 0
              ? "Nothing was found. Try fewer or other words, or leave out a filter."
              : counted(found.total, "business", "businesses")}
            {number > 1 && found.total > 0 && `, page ${number}`}
          </p>
        )}
        <BusinessList
          businesses={found.items}
          categories={categories}
          highlight={highlightWords(q)}
        />
        <Paging page={number} pages={pages} linkTo={linkTo} />
      </>,
    );
  };
}

function SearchForm({
  q,
  cityText,
  category,
  categories,
  cities,
}: {
  q: string;
  cityText: string;
  category: string;
  categories: readonly Category[];
  cities: readonly City[];
}) {
  const branches = categories.filter(({ parent }) => parent === null);
  const inUse = categories.filter(({ businessCount }) => businessCount > 0);
  return (
    <search>
      <form class="filters" action="/search">
        <p class="field grows">
          <label for="q">What</label>
          <input id="q" type="search" name="q" value={q} maxLength={200} required />
        </p>
        <p class="field">
          <label for="city">Town</label>
          <input
            id="city"
            name="city"
            value={cityText}
            maxLength={200}
            list="cities"
            autoComplete="off"
          />
          <datalist id="cities">
            {cities.map(({ slug, name }) => (
              <option key={slug} value={name} />
            ))}
          </datalist>
        </p>
        <p class="field">
          <label for="category">Category</label>
          <select id="category" name="category">
            <option value="">All</option>
            {branches.map((branch) => (
              <optgroup key={branch.slug} label={branch.name}>
                {inUse
                  .filter(({ slug, parents }) => (parents[0]?.slug ?? slug) === branch.slug)
                  .map(({ slug, name, parent }) => (
                    <option key={slug} value={slug} selected={slug === category}>
                      {parent ? name : `${name} (all)`}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </p>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

const MOST_SUGGESTIONS = 300;
