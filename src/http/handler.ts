import type { Answer, HeaderFields } from "./answer.ts";

/** What is known of a request before any middleware runs. */
export interface Context {
  /**
   * Headers of whatever the answer will be, errors included. Middleware sets them on the way in, so that it
   * need not wait for the answer. Frozen.
   */
  headers: HeaderFields;
  /**
   * The caller: an IPv4 address or an IPv6 /64 network. The first call looks it up, and must come before any
   * await: a connection that has closed meanwhile no longer has an address.
   */
  client(): string;
  /** The raw query string, without the question mark. */
  readonly query: string;
  /** The path's last segment as sent, still percent-encoded. */
  readonly segment: string;
}

export type Handler = (request: Request, context: Context) => Answer | Promise<Answer>;

/** Wraps a handler: may answer by itself, or change what goes in and what comes out. */
export type Middleware = (next: Handler) => Handler;

/** A stack of middleware around a handler; the first one is the outermost. */
export function chain(stack: readonly Middleware[], handler: Handler): Handler {
  return stack.reduceRight((next, middleware) => middleware(next), handler);
}
