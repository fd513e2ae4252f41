import { withDeadline } from "../store/deadline.ts";

/**
 * Whether a form was sent from no page of another site: browsers say where a form comes from in Origin,
 * and most in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/). What says neither is a program,
 * such as curl, which nobody can be lured into; Go's CrossOriginProtection decides the same.
 * @param options.isSecretAddress the form's own address is a secret, so whoever sends it has been on our
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
  if (origin === null) return true;
  if (origin === "null") return site === "same-origin" || isSecretAddress;
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  return origin === new URL(baseUrl).origin || host === request.headers.get("Host");
}

/**
 * The first fields of a sent form, trimmed and with plain line ends; none for anything else. Null when the
 * form does not arrive whole within so many milliseconds, which is no failure of ours.
 */
export async function readForm(
  request: Request,
  milliseconds: number,
): Promise<Record<string, string> | null> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return {};
  const text = await withDeadline(request.text(), milliseconds).catch(() => null);
  if (text === null) return null;
  const fields = new URLSearchParams(text).entries().take(MOST_FIELDS);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value.replaceAll("\r\n", "\n").trim()]),
  );
}

/** More than any form of ours has. Thousands would take longer to read than all else takes together. */
const MOST_FIELDS = 20;
