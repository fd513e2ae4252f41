/** What a handler answers: a value, turned into a Response at the very end. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Text, or null for no body. */
  body: string | null;
  /** Of a body that stays the same: its coded forms, kept once made. */
  encodings?: Map<string, Uint8Array<ArrayBuffer>>;
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

/** The same answer with further headers. */
export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
