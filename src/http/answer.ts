import { Representation } from "./representation.ts";

/** What a handler answers: a value, turned into a Response at the very end. */
export interface Answer {
  status: number;
  headers: HeaderFields;
  /** Headers of this answer alone, whereas `headers` may be shared. Never Vary. */
  own?: HeaderFields | undefined;
  /** Text, or a reusable representation of it, or null for no body. */
  body: string | Representation | null;
}

export interface TextAnswer extends Answer {
  body: string;
}

/** An answer that can be sent again and again. */
export interface FinishedAnswer extends Answer {
  body: Representation;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** 200 with a JSON body. */
export function ok(value: unknown): TextAnswer {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** A JSON body with any status. */
export function json(status: number, value: unknown, headers: HeaderFields): TextAnswer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(value) };
}

// Frozen, so that what is derived from it is cached: see `memoizedByHeaders`.
const JSON_HEADERS = Object.freeze({ "Content-Type": "application/json; charset=utf-8" });

/** The same answer, for sending again and again. */
export function finished({ status, headers, body }: TextAnswer): FinishedAnswer {
  return { status, headers: Object.freeze(headers), body: Representation.of(body) };
}

/** 200 with a JSON body that is sent again and again. */
export function okFinished(body: Representation): FinishedAnswer {
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The same answer with further headers of its own. */
export function withHeaders({ status, headers, own, body }: Answer, further: HeaderFields): Answer {
  return { status, headers, own: own ? { ...own, ...further } : further, body };
}

export const NO_HEADERS: HeaderFields = Object.freeze({});

/** Adds the same headers to any others. */
export function addingHeaders(headers: HeaderFields): (before: HeaderFields) => HeaderFields {
  return memoizedByHeaders((before) => ({ ...before, ...headers }));
}

/** Caches what is made from frozen headers, which all answers of a kind share, but not from others. */
export function memoizedByHeaders<Made>(
  make: (headers: HeaderFields) => Made,
): (headers: HeaderFields) => Made {
  const made = new WeakMap<HeaderFields, Made>();
  return (headers) => {
    const known = made.get(headers);
    if (known) return known;
    if (!Object.isFrozen(headers)) return make(headers);
    const first = Object.freeze(make(headers));
    made.set(headers, first);
    return first;
  };
}
