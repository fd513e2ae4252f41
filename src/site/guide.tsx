import { pageMeta } from "../directory/shapes.ts";
import { type ErrorCase, errorCases } from "../reference/errors.ts";
import { Code } from "./code.tsx";

/** The explanatory parts of the developers' page. */

/** A list to call as an example, and how many businesses it has. */
export interface Example {
  /** The list's parameters, such as `city=leeds&category=plumbers`. */
  query: string;
  total: number;
}

export function Samples({ baseUrl }: { baseUrl: string }) {
  const url = `${baseUrl}/api/v1/search?q=plumber+in+leeds&limit=5`;
  const samples = [
    {
      name: "curl",
      code: `curl '${url}' \\
  -H "Authorization: Bearer $HIGHSTREET_KEY"`,
    },
    {
      name: "JavaScript",
      code: `const response = await fetch("${url}", {
  headers: { Authorization: \`Bearer \${process.env.HIGHSTREET_KEY}\` },
});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
const { data, meta } = await response.json();
console.log(meta.total);
for (const { name, postcode } of data) console.log(name, postcode);`,
    },
    {
      name: "Python",
      code: `import os, requests

response = requests.get(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['HIGHSTREET_KEY']}"},
    timeout=10,
)
response.raise_for_status()
answer = response.json()
print(answer["meta"]["total"])
for business in answer["data"]:
    print(business["name"], business["postcode"])`,
    },
  ];
  return (
    <fieldset class="tabs">
      <legend class="unseen">Language of the sample</legend>
      {samples.map(({ name }, place) => (
        <label key={name}>
          <input type="radio" name="language" checked={place === 0} /> {name}
        </label>
      ))}
      {samples.map(({ name, code }) => (
        <Code key={name} id={`sample-${name.toLowerCase()}`} label={name} code={code} />
      ))}
    </fieldset>
  );
}

export function Limits({ openAccess }: { openAccess: boolean }) {
  return (
    <section>
      <h2 id="limits">Limits and charging</h2>
      <ul>
        {openAccess && (
          <li>
            Without a key: 60 requests in any 60 seconds per address, fewer fields, 20 businesses a
            page.
          </li>
        )}
        <li>
          With a key: a token bucket that holds your tier's requests a minute and refills
          continuously, and a quota per calendar month in UTC.
        </li>
        <li>
          <code>GET /api/v1/usage</code> shows what you have left, free of charge, and so does each
          response: <code>RateLimit: "permin";r=59;t=1, "month";r=959;t=777600</code> means 59
          requests now, one more in 1 second, and 959 this month, which ends in 777,600 seconds.
        </li>
        <li>
          Every response costs one request, including a 304 and the 404 of a business. Refusals
          (401, 403, 405, 429) cost a key nothing, and failures on our side (5xx) are refunded to
          it.
        </li>
        <li>Refused keys are limited by address: 60 requests in any 60 seconds.</li>
        <li>
          On 429, wait for the number of seconds in <code>Retry-After</code>; an earlier request is
          refused again, at no cost. For <code>quota_exceeded</code>, that is until the first of the
          next month, so a program should stop and alert someone instead of sleeping.
        </li>
      </ul>
    </section>
  );
}

export function Errors() {
  return (
    <section>
      <h2 id="errors">Errors</h2>
      <p>
        Every error is JSON with a code in <code>error</code>:
      </p>
      <Code
        id="error-example"
        label="Example of an error"
        code={JSON.stringify(bodyOf(errorCases.InvalidParameter), null, 2)}
      />
      <table class="meanings">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code and meaning</th>
          </tr>
        </thead>
        <tbody>
          {Object.values(errorCases).map((each) => (
            <tr key={each.when}>
              <td>{each.answer.status}</td>
              <td>
                {/* One error of the API has a sentence where the others have a code. */}
                <code>{bodyOf(each).error.replace(/:.*/, "…")}</code>
                <br />
                {each.when}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const bodyOf = ({ answer }: ErrorCase) => JSON.parse(String(answer.body)) as { error: string };

export function Paging({ example, openAccess }: { example: Example; openAccess: boolean }) {
  const { query, total } = example;
  return (
    <section>
      <h2 id="paging">Paging</h2>
      <p>
        Lists have an exact <code>total</code> and no depth cap: page 50,000 is as fast as page 1.
        Request pages until <code>has_more</code> is false
        {openAccess && (
          <>
            , or without a key until <code>page</code> reaches <code>pages</code>
          </>
        )}
        . If the directory changes meanwhile, a business may move to another page, and so appear
        twice or be missed: deduplicate by <code>slug</code>, and read the list again for what was
        missed.
      </p>
      <p>
        <code>city</code> and <code>category</code> are slugs, not names. With a key,{" "}
        <code>/api/v1/cities</code> and <code>/api/v1/categories</code> list them; the URLs of this
        site's pages end with them, and a business has its own as <code>citySlug</code> and{" "}
        <code>categorySlug</code>. An unknown one gives an empty page.
      </p>
      <Code
        id="paging-example"
        label="Example of a page"
        code={`GET /api/v1/businesses?${query}&page=1&per_page=100

{"data":[ … ],"meta":${JSON.stringify(pageMeta(1, 100, total))}}`}
      />
    </section>
  );
}
