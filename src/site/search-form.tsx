import type { CityName } from "../directory/cities.ts";
import type { Category } from "../directory/schemas.ts";
import { LONGEST_SEARCH_TEXT } from "../http/parameters.ts";

/** What to search for, where and in which category. */
export function SearchForm({
  q,
  cityText,
  isUnknownTown,
  category,
  categories,
  cities,
}: {
  q: string;
  cityText: string;
  isUnknownTown: boolean;
  category: string;
  categories: readonly Category[];
  cities: readonly CityName[];
}) {
  const inUse = categories.filter(({ businessCount }) => businessCount > 0);
  const branches = inUse.filter(({ parent }) => parent === null);
  return (
    <search>
      <form class="filters" action="/search">
        <p class="field grows">
          <label for="q">What</label>
          <input id="q" type="search" name="q" value={q} maxLength={LONGEST_SEARCH_TEXT} />
        </p>
        <p class="field">
          <label for="city">Town or postcode</label>
          <input
            id="city"
            name="city"
            value={cityText}
            maxLength={LONGEST_SEARCH_TEXT}
            list="cities"
            aria-invalid={isUnknownTown ? "true" : undefined}
            aria-describedby={isUnknownTown ? UNKNOWN_TOWN : undefined}
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
                {[branch, ...inUse.filter(({ parents }) => parents[0]?.slug === branch.slug)].map(
                  ({ slug, name }) => (
                    <option key={slug} value={slug} selected={slug === category}>
                      {slug === branch.slug ? `${name} (all)` : name}
                    </option>
                  ),
                )}
              </optgroup>
            ))}
          </select>
        </p>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** Says which town the text was taken to mean. */
export function GuessedTown({ text, name }: { text: string; name: string }) {
  return (
    <p role="status" class="notice">
      “{text}” was taken to mean {name}, the only town in the directory that matches.
    </p>
  );
}

/** Says that the text was added to the search words, and which towns may have been meant. */
export function UnknownTown({
  text,
  similar,
  linkTo,
}: {
  text: string;
  similar: readonly CityName[];
  linkTo: (city: string) => string;
}) {
  return (
    <p role="status" class="notice" id={UNKNOWN_TOWN}>
      There is no town called “{text}” in the directory, so it was added to the search words.{" "}
      {similar.length > 0 ? (
        "Did you mean "
      ) : (
        <>
          Choose one of <a href="/cities">all towns and cities</a>, or leave the field empty.
        </>
      )}
      {similar.map(({ slug, name }, place) => (
        <span key={slug}>
          {place > 0 && (place === similar.length - 1 ? " or " : ", ")}
          <a href={linkTo(slug)}>{name}</a>
        </span>
      ))}
      {similar.length > 0 && "?"}
    </p>
  );
}

const UNKNOWN_TOWN = "unknown-town";
