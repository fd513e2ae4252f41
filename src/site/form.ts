import { withDeadline } from "../store/deadline.ts";

/**
 * Whether a form was sent from a page of ours: browsers say where a form comes from in Origin, and
 * most in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/). What neither says is refused.
 * @param options.isSecretAddress the form's own address is a secret, so who sends it has been on our
 *   page. Such a page sends no referrer, and browsers then call its origin "null".
 */
export function isOurForm(
  request: Request,
  baseUrl: string,
  { isSecretAddress = false }: { isSecretAddress?: boolean } = {},
): boolean {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return false;
  if (origin === null || origin === "null") return site === "same-origin" || isSecretAddress;
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  return origin === new URL(baseUrl).origin || host === request.headers.get("Host");
}

/**
 * The fields of a sent form; none of anything else, nor of one that does not arrive whole and soon,
 * which is no fault of ours. Each value with usual line ends and trimmed.
 */
export async function readForm(request: Request): Promise<Record<string, string>> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return {};
  const text = await withDeadline(request.text(), LONGEST_SENDING_MS).catch(() => "");
  const fields = new URLSearchParams(text);
  return Object.fromEntries(
    Array.from(fields, ([name, value]) => [name, value.replaceAll("\r\n", "\n").trim()]),
  );
}

/** Less than any answer may take, or the sender's slowness would pass for that of a store. */
const LONGEST_SENDING_MS = 3_000;
