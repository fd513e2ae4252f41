import { listTiers, type Tier } from "../access/keys.ts";
import { largestCategoriesOf, largestCities } from "../directory/cities.ts";
import type { Answer } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import type { Sql } from "../store/postgres.ts";
import { type ApplicationFields, ApplicationForm, type Faults } from "./application-form.tsx";
import { Errors, Limits, Paging, Samples } from "./guide.tsx";
import { grouped } from "./listing.tsx";
import { page } from "./page.tsx";

/** What the page needs beside its form. */
export interface DevelopersParts {
  sql: Sql;
  baseUrl: string;
  openAccess: boolean;
}

/** GET /developers: what the API gives, how to call it, and how to get a key. */
export function developers(parts: DevelopersParts): Handler {
  return function developers() {
    return developersPage(parts);
  };
}

/** The page, with a form as it was sent when that is to be put right. */
export async function developersPage(
  { sql, baseUrl, openAccess }: DevelopersParts,
  {
    fields,
    faults,
    status = 200,
  }: { fields?: ApplicationFields; faults?: Faults; status?: number } = {},
): Promise<Answer> {
  const [tiers, example] = await Promise.all([listTiers(sql), findExample(sql)]);
  return page(
    {
      title: "Developers",
      description: "The API of the directory: a first call without a key, and a free key.",
      canonical: `${baseUrl}/developers`,
      hasExamples: true,
    },
    <div class="prose">
      <h1>The directory as an API</h1>
      <p class="lead">
        UK businesses as JSON: lists by town and category with exact totals, full records with
        opening hours and photos, and the search of this site. Free, without an account.
      </p>
      <p>
        <a href="#apply">Get a key</a> · <a href="/developers/reference">Reference</a> ·{" "}
        <a href="/api/v1/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a>
      </p>
      {openAccess && <FirstCall baseUrl={baseUrl} path={`/api/v1/businesses?${example}&limit=2`} />}
      <h2 id="samples">With a key</h2>
      <p>
        A key opens everything: search, categories, up to 100 businesses a page, and every field.
        Send it in the <code>Authorization</code> header. Keep it on your server: who has the key
        can use up your quota, and no web page may send it.
      </p>
      <Samples baseUrl={baseUrl} example={example} />
      <h2 id="tiers">Tiers</h2>
      <Tiers tiers={tiers} />
      <Limits openAccess={openAccess} />
      <Errors />
      <Paging example={example} />
      <section id="apply" aria-labelledby="apply-title">
        <h2 id="apply-title">Get a free key</h2>
        <p>
          No account and no password: you get a private page with your key on it. Keep its address.
        </p>
        <ApplicationForm {...(fields && { fields })} {...(faults && { faults })} />
      </section>
    </div>,
    status,
  );
}

function FirstCall({ baseUrl, path }: { baseUrl: string; path: string }) {
  return (
    <section>
      <h2 id="first-call">A first call, without a key</h2>
      <section class="scroll" tabindex={0} aria-label="A first call with curl">
        <pre>
          <code id="first-call-command">{`curl '${baseUrl}${path}'`}</code>
        </pre>
      </section>
      <p class="actions">
        <button type="button" data-run={path} aria-controls="answer" hidden>
          Run it here
        </button>
        <button type="button" class="quiet" data-copy="first-call-command" hidden>
          Copy
        </button>
        <a href={path}>Open the answer</a>
      </p>
      <pre id="answer" tabindex={0} role="status" aria-label="The answer" hidden />
    </section>
  );
}

function Tiers({ tiers }: { tiers: readonly Tier[] }) {
  return (
    <section class="scroll" tabindex={0} aria-labelledby="tiers">
      <table>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Requests a month</th>
            <th scope="col">Requests a minute</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map(({ slug, name, monthlyQuota, perMinute }) => (
            <tr key={slug}>
              <th scope="row">{name}</th>
              <td>
                {perMinute === null ? `${grouped(monthlyQuota)} or more` : grouped(monthlyQuota)}
              </td>
              <td>{perMinute === null ? "as agreed" : grouped(perMinute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A city and one of its categories of which there is something to show, as a query. */
async function findExample(sql: Sql): Promise<string> {
  const [city] = await largestCities(sql, { limit: 1 });
  const [category] = city ? await largestCategoriesOf(sql, { city: city.slug, limit: 1 }) : [];
  return new URLSearchParams({
    city: city?.slug ?? "leeds",
    category: category?.slug ?? "plumbers",
  }).toString();
}
