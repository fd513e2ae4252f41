import { largestCities } from "../directory/cities.ts";
import type { Handler } from "../http/handler.ts";
import { counted } from "../numbers.ts";
import type { Sql } from "../store/postgres.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { byName, CountedLinks } from "./listing.tsx";
import { page } from "./page.tsx";
import { unmarked } from "./unmarked.ts";

/** GET /cities: every town in which there is something, by letter. */
export function cities(sql: Sql, baseUrl: string): Handler {
  return async function cities() {
    const links = (await largestCities(sql)).sort(byName);
    const letters = [...Map.groupBy(links, initial)];
    const towns = counted(links.length, "town or city", "towns and cities");
    return page(
      {
        title: "Towns and cities",
        ...(links.length > 0 && {
          description: `Shops, trades and services in ${towns} across the UK.`,
          canonical: `${baseUrl}/cities`,
        }),
      },
      <>
        <Breadcrumbs />
        <h1>Towns and cities</h1>
        <p class="lead">{links.length > 0 ? towns : "No town is listed here at the moment"}</p>
        {letters.length > 1 && (
          <nav class="paging" aria-label="Letters">
            <ol {...unmarked}>
              {letters.map(([letter]) => (
                <li key={letter}>
                  <a href={`#${letter}`}>{letter}</a>
                </li>
              ))}
            </ol>
          </nav>
        )}
        {letters.map(([letter, under]) => (
          <section key={letter}>
            <h2 id={letter}>{letter}</h2>
            <CountedLinks links={under} linkTo={(slug) => `/cities/${slug}`} />
          </section>
        ))}
      </>,
    );
  };
}

/** The letter of A to Z that a name begins with, accent or not. */
function initial({ name }: { name: string }): string {
  const first = name.normalize("NFD").charAt(0).toUpperCase();
  return /[A-Z]/.test(first) ? first : "Others";
}
