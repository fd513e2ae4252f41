import { listCategories } from "../directory/categories.ts";
import { largestCities } from "../directory/cities.ts";
import type { Answer } from "../http/answer.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery, typedText } from "../http/parameters.ts";
import { counted, grouped } from "../numbers.ts";
import { namesPlace } from "../search/place.ts";
import type { Search } from "../search/query.ts";
import { isPostcode } from "../search/words.ts";
import type { Sql } from "../store/postgres.ts";
import { asTyped } from "./as-typed.ts";
import { highlightWords } from "./highlight.tsx";
import { BusinessList, ofPage, PAGE_SIZE, Paging, pathWith } from "./listing.tsx";
import { page, seeOther } from "./page.tsx";
import { GuessedTown, SearchForm, UnknownTown } from "./search-form.tsx";
import { findTown } from "./towns.ts";

const parameters = {
  q: typedText,
  city: typedText,
  category: typedText,
  page: pageNumber,
};

/**
 * GET /search: the results of the API's search, in the same order. A town that is not found is searched for
 * as words: it may be a district, a postcode, or a town and its county. A town or a category without words
 * redirects to its own page.
 */
export function searchPage(sql: Sql, searchBusinesses: Search): Handler {
  return async function searchPage(_request, { query }) {
    const parsed = parseQuery(query, parameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { q, city: cityText, category, page: number } = parsed.value;

    const [categories, cities, town] = await Promise.all([
      listCategories(sql),
      largestCities(sql, { limit: MOST_SUGGESTIONS }),
      cityText === "" ? null : findTown(sql, cityText),
    ]);
    const unknown = town?.city === null ? town : null;
    const city = town?.city?.slug;
    if (q === "" && !unknown && (city || category)) return seeList(city, category);
    if (number > LAST_PAGE) return notFound();

    const text = unknown ? `${q} ${cityText}`.trim() : q;
    const found = await searchBusinesses({
      text,
      limit: PAGE_SIZE,
      offset: (number - 1) * PAGE_SIZE,
      city,
      category: category || undefined,
    });
    const pages = Math.min(LAST_PAGE, Math.ceil(found.total / PAGE_SIZE));
    if (number > Math.max(1, pages)) return notFound();
    const lacksPlace = !city && NEAR_ME.test(text) && !(await namesPlace(sql, text));
    const linkTo = (to: number) =>
      pathWith("/search", { q, city: city ?? cityText, category, page: to });
    const isOfPostcode = unknown !== null && isPostcode(cityText);
    const place = town?.city?.name ?? (isOfPostcode ? cityText.toUpperCase() : null);
    const inTown = place ? ` in ${place}` : "";
    const withoutWords = place ? `Businesses in ${place}` : "Search";
    const title = q === "" ? withoutWords : `${q}${inTown}: search`;

    return page(
      { title: title + ofPage(number), hidesSearch: true },
      <>
        <h1>{q === "" ? withoutWords : `Results for “${q}”${inTown}`}</h1>
        <SearchForm
          q={q}
          cityText={town?.city?.name ?? cityText}
          isUnknownTown={unknown !== null && !isOfPostcode}
          category={category}
          categories={categories}
          cities={cities}
        />
        {text === "" && (
          <p>
            Search by name, trade or place, in your own words, such as “plumber in Leeds”, or{" "}
            <a href="/">browse towns and categories</a>.
          </p>
        )}
        {town?.city && town.isGuessed && <GuessedTown text={cityText} name={town.city.name} />}
        {unknown && !isOfPostcode && (
          <UnknownTown
            text={cityText}
            similar={unknown.similar}
            linkTo={(slug) => pathWith("/search", { q, city: slug, category })}
          />
        )}
        {lacksPlace && (
          <p class="notice">
            This site does not know where you are: add a town or a postcode to find what is near
            you.
          </p>
        )}
        {text !== "" && (
          <p role="status" class="lead">
            {found.total === 0 ? (
              <NothingFound q={q} isNarrowed={q !== "" && (cityText !== "" || category !== "")} />
            ) : (
              counted(found.total, "business", "businesses")
            )}
            {found.instead &&
              ` for “${asTyped(found.instead, text)}”, as none${category && " of this category"}${inTown} matches all your words`}
            {ofPage(number)}
          </p>
        )}
        <BusinessList
          businesses={found.items}
          categories={categories}
          isSearch
          highlight={highlightWords(found.instead ?? text)}
        />
        {number === LAST_PAGE && (
          <p class="notice">
            These are the first {grouped(LAST_PAGE * PAGE_SIZE)} results. Add a word, a town or a
            category to find fewer.
          </p>
        )}
        <Paging page={number} pages={pages} linkTo={linkTo} />
      </>,
    );
  };
}

/** Deeper pages cost ever more to search, and nobody reads them. */
const LAST_PAGE = 50;

/** Words that search cannot act on, since it does not know where the visitor is. */
const NEAR_ME =
  /\b(near ?by|nearest|closest|(near|around|close to) (me|here)|(near|around|in) my area)\b/i;

/** Suggests what else to try, with a link. */
function NothingFound({ q, isNarrowed }: { q: string; isNarrowed: boolean }) {
  return (
    <>
      No businesses found. Try fewer or different words, or{" "}
      {isNarrowed ? (
        <a href={pathWith("/search", { q })}>search all towns and categories</a>
      ) : (
        <a href="/">browse towns and categories</a>
      )}
      .
    </>
  );
}

/** Redirects to the list of a category, of a town, or of a category in a town. */
function seeList(city: string | undefined, category: string): Answer {
  if (category === "") return seeOther(`/cities/${city}`);
  return seeOther(pathWith(`/categories/${encodeURIComponent(category)}`, { city }));
}

const MOST_SUGGESTIONS = 300;
