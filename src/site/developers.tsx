import { listTiers, type Tier } from "../access/keys.ts";
import { largestCategoriesOf } from "../directory/categories.ts";
import { largestCities } from "../directory/cities.ts";
import type { Handler } from "../http/handler.ts";
import { grouped } from "../numbers.ts";
import type { Sql } from "../store/postgres.ts";
import { ApplicationForm } from "./application-form.tsx";
import { Code } from "./code.tsx";
import { Errors, type Example, Limits, Paging, Samples } from "./guide.tsx";
import { page } from "./page.tsx";
import { unmarked } from "./unmarked.ts";

interface DevelopersParts {
  sql: Sql;
  baseUrl: string;
  openAccess: boolean;
  /** Whether applications are approved at once, without review. */
  isAutomatic: boolean;
}

/** GET /developers: what the API offers, how to call it, and how to get a key. */
export function developers({ sql, baseUrl, openAccess, isAutomatic }: DevelopersParts): Handler {
  return async function developers() {
    const [tiers, example] = await Promise.all([listTiers(sql), findExample(sql)]);
    return page(
      {
        title: "Developers",
        description: openAccess
          ? "The directory's API: make a first call without a key, and get a free key."
          : "The directory's API: how to call it, and how to get a free key.",
        canonical: `${baseUrl}/developers`,
        hasScript: true,
      },
      <>
        <div class="hero">
          <h1>The directory as an API</h1>
          <p class="lead narrow">
            UK businesses as JSON: lists by town and category with exact totals, full records with
            opening hours and photos, and the same search as this site. Free, without an account.
          </p>
          <p class="actions">
            <a class="button" href="#apply">
              Get a free key
            </a>{" "}
            <a class="button quiet" href="/developers/reference">
              API reference
            </a>
          </p>
        </div>
        <div class="guide">
          <Contents openAccess={openAccess} />
          <div>
            {openAccess && (
              <FirstCall baseUrl={baseUrl} path={`/api/v1/businesses?${example.query}&limit=2`} />
            )}
            <section>
              <h2 id="samples">A call with a key</h2>
              <p>
                <a href="#apply">A free key</a> unlocks everything: search, categories, cities, up
                to 100 businesses a page, and every field of a business. Send it in the{" "}
                <code>Authorization</code> header. Keep it on your server: anyone who has it can use
                up your quota, and web pages cannot send it. The samples read it from the
                environment: <code>export HIGHSTREET_KEY=hs_live_…</code>
              </p>
              <Samples baseUrl={baseUrl} />
            </section>
            <section>
              <h2 id="tiers">Tiers</h2>
              <Tiers tiers={tiers} />
            </section>
            <Limits openAccess={openAccess} />
            <Paging example={example} openAccess={openAccess} />
            <Errors />
            <section>
              <h2 id="reference">Reference</h2>
              <p>
                The <a href="/developers/reference">reference</a> has every operation, field and
                error, with calls to try. It is rendered from{" "}
                <a href="/api/v1/openapi.json">openapi.json</a>, from which you can generate
                clients; <a href="/llms.txt">llms.txt</a> describes the API to language models.
              </p>
              <p>
                Send the <code>ETag</code> of a response back in <code>If-None-Match</code> to get a
                304 without a body if nothing has changed. Responses are compressed with gzip or
                zstd if <code>Accept-Encoding</code> allows it. Version 1 may gain fields, so ignore
                those you do not know; breaking changes would be <code>/api/v2</code>, alongside
                version 1.
              </p>
            </section>
            <section id="apply" aria-labelledby="apply-title">
              <h2 id="apply-title">Get a free key</h2>
              <p>
                No account and no password: you get a private page, where your key is shown
                {isAutomatic ? " once" : ", once, after someone has reviewed your application"}.
                Keep the key, and the page's address, which you need to roll or revoke it.
              </p>
              <ApplicationForm />
            </section>
          </div>
        </div>
      </>,
    );
  };
}

function Contents({ openAccess }: { openAccess: boolean }) {
  const parts = {
    ...(openAccess && { "first-call": "A first call" }),
    samples: "A call with a key",
    tiers: "Tiers",
    limits: "Limits and charging",
    paging: "Paging",
    errors: "Errors",
    reference: "Reference",
    apply: "Get a free key",
  };
  return (
    <nav class="contents" aria-label="On this page">
      <ul {...unmarked}>
        {Object.entries(parts).map(([id, name]) => (
          <li key={id}>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function FirstCall({ baseUrl, path }: { baseUrl: string; path: string }) {
  return (
    <section>
      <h2 id="first-call">A first call, without a key</h2>
      <Code id="first-call-command" label="curl without a key" code={`curl '${baseUrl}${path}'`} />
      <p class="actions">
        <button type="button" data-run={path} aria-controls="answer" hidden>
          Run it here
        </button>{" "}
        <a class="button quiet" href={path}>
          Open the response
        </a>
      </p>
      {/* No live region: the script moves focus here, so it would be read out twice. */}
      <section id="answer" tabindex={0} aria-label="The response" hidden>
        <pre />
      </section>
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

/** The largest list of a category in the largest city, so that the example has something to show. */
async function findExample(sql: Sql): Promise<Example> {
  const [city] = await largestCities(sql, { limit: 1 });
  const [category] = city ? await largestCategoriesOf(sql, { city: city.slug, limit: 1 }) : [];
  const query = new URLSearchParams({
    city: city?.slug ?? "leeds",
    category: category?.slug ?? "plumbers",
  });
  return { query: query.toString(), total: category?.businessCount ?? 0 };
}
