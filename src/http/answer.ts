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

/**
 * Adds the same headers to any answer. To one that is given again and again it adds them once, so
 * that in the end it is the same object each time.
 */
export function addingHeaders(headers: Record<string, string>): (answer: Answer) => Answer {
  const extended = new WeakMap<Answer, Answer>();
  return (answer) => {
    if (!isFinished(answer)) return withHeaders(answer, headers);
    let known = extended.get(answer);
    if (!known) {
      known = withHeaders(answer, headers);
      extended.set(answer, known);
    }
    return known;
  };
}

/** Whether this very answer may be given again. */
export function isFinished(answer: Answer): boolean {
  return answer.body instanceof Representation;
}
