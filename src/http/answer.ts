import { Representation } from "./representation.ts";

/** What a handler answers: a value, turned into a Response at the very end. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Text, or a representation of it that is sent again and again, or null for no body. */
  body: string | Representation | null;
}

/** 200 with a JSON body. */
export function ok(value: unknown): Answer {
  return json(200, value);
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** The same answer, whose body's forms are kept from the first time that they are sent. */
export function finished(answer: Answer): Answer {
  const { body } = answer;
  return typeof body === "string" ? { ...answer, body: new Representation(body) } : answer;
}

/** The same answer with further headers. */
export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
