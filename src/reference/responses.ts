import type { Answer } from "../http/answer.ts";
import { casesOf, type ErrorCase, type ErrorName, errorCases, errorsOf } from "./errors.ts";
import { type HeaderName, headers } from "./headers.ts";
import type { Operation } from "./operations.ts";

export const openHeaders: HeaderName[] = [
  "x-ratelimit-limit",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];
const keyedHeaders: HeaderName[] = ["RateLimit-Policy", "RateLimit"];

/** The responses of an operation by status: 200, 304, and every error. */
export function responsesOf(operation: Operation): Record<string, unknown> {
  const { open, keyed, result } = operation;
  const variants = open ? [open, keyed] : [keyed];
  const { always, sometimes } = limitHeaders(operation);
  const description = open
    ? `${result} Without a key it is an ${open.answer}, with a key a ${keyed.answer}.`
    : result;
  const content = json(
    variants.map(({ answer }) => answer),
    Object.fromEntries(variants.map(({ answer, example }) => [answer, { value: example }])),
  );
  return {
    ...successResponses(description, content, always, sometimes),
    ...errorResponses(operation),
  };
}

/** A 200 and its 304, with these headers besides those that all of them have. */
export function successResponses(
  description: string,
  content: unknown,
  required: HeaderName[] = [],
  optional: HeaderName[] = [],
) {
  const headers = describeHeaders(["ETag", "Vary", "Cache-Control", ...required], optional);
  const unchanged = "Nothing has changed since the response whose ETag was sent in If-None-Match.";
  return { 200: { description, headers, content }, 304: { description: unchanged, headers } };
}

/** Responses that any path may give, even one without an operation. */
export function sharedResponses(openAccess: boolean) {
  const sometimes = openAccess ? openHeaders : [];
  return {
    MethodNotAllowed: errorResponse(["MethodNotAllowed"], [], sometimes),
    NoSuchPath: errorResponse(["NotFound"], [], sometimes),
    ...(!openAccess && { NoHeader: errorResponse(["Missing"]) }),
  };
}

function errorResponses(operation: Operation): Record<string, unknown> {
  const byStatus = Map.groupBy(errorsOf(operation), (name) => errorCases[name].answer.status);
  const { always, sometimes } = limitHeaders(operation);
  const response = (status: number, names: ErrorName[]) => {
    // No rate limit headers: there is no valid key to charge, and the request is not open either.
    if (status === 401 || status === 403) return errorResponse(names);
    // A 5xx is refunded to the key, so the response does not say what the key has left.
    if (status >= 500) return errorResponse(names, [], operation.open ? openHeaders : []);
    return status < 429
      ? errorResponse(names, always, sometimes, casesOf(operation))
      : errorResponse(names, [], [...always, ...sometimes]);
  };
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, response(status, names)]),
  );
}

/**
 * The response for these errors, which share a status.
 * @param required headers that all of them have besides their own
 * @param optional headers that only some of them have
 * @param cases the errors as they are answered here
 */
export function errorResponse(
  names: ErrorName[],
  required: HeaderName[] = [],
  optional: HeaderName[] = [],
  cases: Record<ErrorName, ErrorCase> = errorCases,
) {
  // The same for all of them, since they share a status.
  const own = [...new Set(names.flatMap((name) => headersOf(cases[name].answer)))];
  return {
    description: names.map((name) => cases[name].when).join(" Or: "),
    headers: describeHeaders([...own, ...required], ["Vary", ...optional]),
    content: json(
      names.map((name) => `${name}Error`),
      Object.fromEntries(
        names.map((name) => [
          name,
          {
            summary: cases[name].when,
            value: JSON.parse(String(cases[name].answer.body)),
          },
        ]),
      ),
    ),
  };
}

/** The rate limit headers: where there are two variants, those of each are sent only sometimes. */
function limitHeaders({ open, isFree }: Operation): Record<"always" | "sometimes", HeaderName[]> {
  const keyed = isFree ? [] : keyedHeaders;
  return open
    ? { always: [], sometimes: [...openHeaders, ...keyed] }
    : { always: keyed, sometimes: [] };
}

/** The headers of an answer that the document describes. */
function headersOf({ headers: given }: Answer): HeaderName[] {
  return (Object.keys(headers) as HeaderName[]).filter((name) => name in given);
}

/** The headers of a response: those that are always sent, and those that are sent only sometimes. */
function describeHeaders(required: HeaderName[], optional: HeaderName[]) {
  return Object.fromEntries([
    ...required.map((name) => [name, { ...headers[name], required: true }]),
    ...optional.map((name) => [name, headers[name]]),
  ]);
}

/** A JSON body that matches one of these schemas of the document. */
export function json(names: string[], examples: Record<string, unknown>) {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schema = references.length === 1 ? references[0] : { oneOf: references };
  return { "application/json": { schema, examples } };
}
