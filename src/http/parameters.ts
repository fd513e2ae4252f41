import type { ParameterFault } from "./errors.ts";

/** Values read from a request, or the first thing that is wrong with them. */
export type Parsed<Value> = { ok: true; value: Value } | { ok: false; fault: ParameterFault };

/** Reads one parameter: undefined when it was not given, otherwise its decoded text. */
export type Parser<Value> = (text: string | undefined, name: string) => Parsed<Value>;

type Values<Parsers> = {
  [Name in keyof Parsers]: Parsers[Name] extends Parser<infer Value> ? Value : never;
};

/** Reads the parameters of a query string that `parsers` names; others are ignored. */
export function parseQuery<Parsers extends Record<string, Parser<unknown>>>(
  query: string,
  parsers: Parsers,
): Parsed<Values<Parsers>> {
  const given = new Map<string, string>();
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === null || !Object.hasOwn(parsers, name)) continue;
    if (given.has(name)) return fault(name, `${name} is given twice; give it once.`);
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (value === null) return fault(name, `${name} is not percent-encoded UTF-8.`);
    given.set(name, value);
  }
  const values: Record<string, unknown> = {};
  for (const [name, parse] of Object.entries(parsers)) {
    const parsed = parse(given.get(name), name);
    if (!parsed.ok) return parsed;
    values[name] = parsed.value;
  }
  return { ok: true, value: values as Values<Parsers> };
}

/** A page number from 1; at most nine digits. */
export const pageNumber: Parser<number> = (text, name) => {
  if (text === undefined) return value(1);
  return /^\d{1,9}$/.test(text) && Number(text) > 0
    ? value(Number(text))
    : fault(name, `${name} must be a whole number from 1 to 999999999.`);
};

/** How many results are wanted; what is above the maximum is lowered to it. */
export function resultCount({
  standard,
  maximum,
}: {
  standard: number;
  maximum: number;
}): Parser<number> {
  return (text, name) => {
    if (text === undefined) return value(standard);
    return /^\d+$/.test(text) && /[1-9]/.test(text) && text.length <= LONGEST_NUMBER
      ? value(Math.min(Number(text), maximum))
      : fault(name, `${name} must be a whole number from 1 to ${maximum}.`);
  };
}

const LONGEST_NUMBER = 100;
const LONGEST_SLUG = 120;
const LONGEST_SEARCH_TEXT = 200;

/** The slug of a city or category to filter by. Whether there is such a one is not decided here. */
export const optionalSlug: Parser<string | undefined> = (text, name) => {
  if (text === undefined) return value(undefined);
  if (text === "") return fault(name, `${name} is empty; leave it out to get all.`);
  if (text.length > LONGEST_SLUG) {
    return fault(name, `${name} is too long; a slug has at most ${LONGEST_SLUG} characters.`);
  }
  return value(text);
};

/** What to search for: 1 to 200 characters once trimmed. Control characters count as spaces. */
export const searchText: Parser<string> = (text, name) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const trimmed = (text ?? "").replace(/[\u0000-\u001f\u007f]+/g, " ").trim();
  if (trimmed === "") {
    return fault(
      name,
      `${name} is missing; say what to search for, such as ${name}=plumber+in+leeds.`,
    );
  }
  return [...trimmed].length <= LONGEST_SEARCH_TEXT
    ? value(trimmed)
    : fault(name, `${name} is too long; it may have ${LONGEST_SEARCH_TEXT} characters.`);
};

/** The slug at the end of a path. */
export function parseSlug(segment: string): Parsed<string> {
  const slug = decode(segment.replaceAll("+", "%2B"));
  if (slug === null) return fault("slug", "slug is not percent-encoded UTF-8.");
  return slug.length <= LONGEST_SLUG
    ? value(slug)
    : fault("slug", `slug is too long; it has at most ${LONGEST_SLUG} characters.`);
}

/** Form encoding: plus is a space. Null when a percent sign or the bytes behind it are malformed. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

const value = <Value>(value: Value): Parsed<Value> => ({ ok: true, value });

const fault = (parameter: string, message: string): Parsed<never> => ({
  ok: false,
  fault: { parameter, message },
});
