import * as v from "valibot";
import type { ParameterFault } from "./errors.ts";

/** Values read from a request, or the first thing that is wrong with them. */
type Parsed<Value> = { ok: true; value: Value } | { ok: false; fault: ParameterFault };

/**
 * A schema for each parameter, which gets its decoded text, or undefined when it is absent. A message
 * completes a sentence that begins with the parameter's name. The reference is generated from these too.
 */
export type Parameters = Record<string, v.GenericSchema<string | undefined, unknown>>;

export type Values<Given extends Parameters> = {
  [Name in keyof Given]: v.InferOutput<Given[Name]>;
};

/** Reads the parameters of a query string that `parameters` names; others are ignored. */
export function parseQuery<Given extends Parameters>(
  query: string,
  parameters: Given,
): Parsed<Values<Given>> {
  const given = new Map<string, string>();
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === null || !Object.hasOwn(parameters, name)) continue;
    if (given.has(name)) return fault(name, "is given twice; give it once.");
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (value === null) return fault(name, NOT_DECODED);
    given.set(name, value);
  }
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(parameters)) {
    const parsed = read(name, schema, given.get(name));
    if (!parsed.ok) return parsed;
    values[name] = parsed.value;
  }
  return { ok: true, value: values as Values<Given> };
}

/** The canonical query string: in the order of `parameters`, without defaults. */
export function writeQuery<Given extends Parameters>(
  values: Values<Given>,
  parameters: Given,
): string {
  return Object.entries(parameters)
    .filter(([name, schema]) => values[name] !== v.parse(schema, undefined))
    .map(([name]) => `${name}=${encodeURIComponent(String(values[name]))}`)
    .join("&");
}

/** Reads the slug at the end of a path. */
export function parseSlug(segment: string): Parsed<string> {
  const slug = decode(segment.replaceAll("+", "%2B"));
  return slug === null ? fault("slug", NOT_DECODED) : read("slug", slugInPath, slug);
}

const LONGEST_SLUG = 120;
/** Characters. */
export const LONGEST_SEARCH_TEXT = 200;
const LAST_PAGE = 999_999_999;
/** What decode() lets through. Escapes in patterns are in capitals: Go's kin-openapi converts no others. */
const DECODED = "^[^\\uFFFD]*$";

const NOT_DECODED = "must be percent-encoded UTF-8 without U+FFFD, the replacement character.";

const pageMessage = `must be a whole number from 1 to ${LAST_PAGE}.`;

/** A page number from 1; at most nine digits. */
export const pageNumber = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, pageMessage),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(1, pageMessage),
    v.maxValue(LAST_PAGE),
    v.description("Which page. A page past the end is empty, with the true totals."),
  ),
  "1",
);

/** How many results are wanted, by default 20, capped at the maximum. */
export function resultCount(maximum: number) {
  const message = `must be a whole number from 1 to ${maximum}.`;
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^0*[1-9]\d*$/, message),
      v.transform((text) => Math.min(Number(text), maximum)),
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(maximum),
      v.description("How many results at most. A value above the maximum is lowered to it."),
    ),
    "20",
  );
}

/** The slug of a city or category to filter by. Whether it exists is not checked here. */
export function slugFilter({ description, example }: { description: string; example: string }) {
  return v.optional(
    v.pipe(
      v.string(),
      v.minLength(1, "is empty; leave it out to get all."),
      atMost(LONGEST_SLUG),
      v.metadata({ description, examples: [example], maxLength: LONGEST_SLUG, pattern: DECODED }),
    ),
  );
}

/** At most 200 characters once trimmed; "" when it is absent. Control characters count as spaces. */
export const typedText = v.pipe(
  v.optional(v.string(), ""),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  v.transform((text) => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()),
  v.string(),
  atMost(LONGEST_SEARCH_TEXT),
);

/** What to search for: a typed text that is not empty. */
export const searchText = v.pipe(
  typedText,
  v.minLength(1, "is missing or blank; say what to search for, such as q=plumber+in+leeds."),
  v.metadata({
    description: "What to search for. Words are separated by plus signs or encoded spaces.",
    examples: ["plumber in leeds"],
    maxLength: LONGEST_SEARCH_TEXT,
    // Requires that something is left after trimming.
    pattern: "^[^\\uFFFD]*[^\\s\\u0000-\\u001F\\u007F\\uFFFD][^\\uFFFD]*$",
  }),
);

export const slugInPath = v.pipe(
  v.string(),
  atMost(LONGEST_SLUG),
  v.metadata({
    description: "The business's slug.",
    examples: ["barraclough-plumbing-and-heating-leeds"],
    maxLength: LONGEST_SLUG,
    pattern: DECODED,
  }),
);

/** Counts characters as JSON Schema's `maxLength` does, by code points; `length` counts UTF-16 units. */
function atMost(most: number) {
  const message = `is too long; it may have at most ${most} characters.`;
  return v.check<string, string>((text) => [...text].length <= most, message);
}

function read<Value>(
  name: string,
  schema: v.GenericSchema<never, Value> | v.GenericSchema<string | undefined, Value>,
  text: string | undefined,
): Parsed<Value> {
  const result = v.safeParse(schema, text);
  return result.success
    ? { ok: true, value: result.output }
    : fault(name, result.issues[0].message);
}

/**
 * Decodes form encoding, where plus is a space. Null when a percent escape is malformed, or when raw bytes
 * are not UTF-8: Bun turns those into `%EF%BF%BD`, a U+FFFD, which nobody sends on purpose.
 */
function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "));
    return decoded.includes("\ufffd") ? null : decoded;
  } catch {
    return null;
  }
}

const fault = (parameter: string, predicate: string): Parsed<never> => ({
  ok: false,
  fault: { parameter, message: `${parameter} ${predicate}` },
});
