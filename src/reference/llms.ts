import { file } from "../http/files.ts";
import type { Handler } from "../http/handler.ts";
import { type Deployment, operationsOf, parametersOf } from "./document.ts";
import { errorCases } from "./errors.ts";
import { introduction } from "./introduction.ts";
import type { Operation } from "./operations.ts";
import { servicePaths } from "./service.ts";

/** GET /llms.txt: what a language model needs to call the API, in the format of https://llmstxt.org. */
export function llms(deployment: Deployment): Handler {
  const answer = file("text/plain", textFor(deployment), "no-cache");
  return () => answer;
}

function textFor({ baseUrl, openAccess }: Deployment): string {
  const operations = operationsOf(openAccess);
  return `# Highstreet API

> A directory of UK businesses over HTTP: lists, details, categories, cities and ranked search, as JSON. GET only, under ${baseUrl}/api/v1.

${introduction(openAccess)}

## Calls

${operations.map(describe).join("\n")}
${Object.entries(servicePaths(openAccess))
  .map(([path, { get }]) => `- \`GET ${path}\` (no key): ${get.summary}. ${get.description}`)
  .join("\n")}

## Errors

${Object.values(errorCases)
  .map(({ when, answer }) => `- ${answer.status} \`${answer.body}\`: ${when}`)
  .join("\n")}

## Examples

\`\`\`sh
${openAccess ? `curl '${baseUrl}/api/v1/businesses?city=leeds&category=plumbers&limit=5'\n` : ""}curl -H 'Authorization: Bearer <key>' '${baseUrl}/api/v1/search?q=plumber+in+leeds&limit=5'
\`\`\`

## Links

- [OpenAPI 3.1 document](${baseUrl}/api/v1/openapi.json): every field, parameter, header and error
- [Free API key](${baseUrl}/developers): a person applies, and the key is shown once
`;
}

function describe(operation: Operation): string {
  const { path, summary, description, open, keyed } = operation;
  const key = open ? "key optional" : "key required";
  const examples = open
    ? `Example without a key: \`${JSON.stringify(open.example)}\`, with one: \`${JSON.stringify(keyed.example)}\``
    : `Example: \`${JSON.stringify(keyed.example)}\``;
  const parameters = parametersOf(operation).map(describeParameter).join("");
  return `- \`GET ${path}\` (${key}): ${summary}. ${description} ${examples}${parameters}`;
}

function describeParameter({
  name,
  required,
  description,
  schema: { type, minimum, maximum, minLength = 1, maxLength, default: standard },
}: ReturnType<typeof parametersOf>[number]): string {
  const values =
    type === "integer" ? `${minimum} to ${maximum}` : `${minLength} to ${maxLength} characters`;
  const absence = required
    ? "required"
    : standard === undefined
      ? "optional"
      : `${standard} by default`;
  return `\n  - \`${name}\` (${values}, ${absence}): ${description}`;
}
