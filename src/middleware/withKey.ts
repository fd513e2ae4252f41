import type { Admission } from "../access/admission.ts";
import type { Keyring, Resolved } from "../access/keyring.ts";
import type { ApiKey } from "../access/keys.ts";
import type { Answer } from "../http/answer.ts";
import { errorAnswer, tooManyRequests, unauthorized } from "../http/errors.ts";
import type { Context, Handler } from "../http/handler.ts";

/** Authenticates by the key in the Authorization header, and hands it on. Charges the key nothing. */
export function withKey(
  keyring: Keyring,
  admission: Admission,
  next: (key: ApiKey, request: Request, context: Context) => Answer | Promise<Answer>,
): Handler {
  return function withKey(request, context) {
    const header = request.headers.get("Authorization");
    if (header === null) return unauthorized(null);

    const found = keyring.resolve(presentedKey(header));
    return !(found instanceof Promise) && found.ok
      ? next(found.key, request, context)
      : awaitKey(found, request, context);
  };

  /** For a key that is not cached yet, or is refused. */
  async function awaitKey(found: Resolved | Promise<Resolved>, request: Request, context: Context) {
    const client = context.client();
    const resolved = await found;
    if (resolved.ok) return next(resolved.key, request, context);

    // A refused key counts as an open request of this client, since it may have cost a look-up.
    const retryAfterSeconds = await admission.admitClient(client);
    if (retryAfterSeconds > 0) return tooManyRequests(retryAfterSeconds);
    if (resolved.denied !== "invalid") return errorAnswer(resolved.denied);
    return unauthorized(request.headers.get("Authorization"));
  }
}

/** The key in an Authorization header, whose scheme is case-insensitive; "" when there is none. */
export function presentedKey(header: string): string {
  return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
}
