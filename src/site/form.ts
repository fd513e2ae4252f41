import { withDeadline } from "../store/deadline.ts";

/**
 * Protects from cross-site request forgery: false for a form from a page of another site. Browsers say where
 * a form comes from in Origin, and most also in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/). A
 * request with neither comes from a program such as curl, which cannot be tricked into sending it; Go's
 * CrossOriginProtection decides the same.
 */
export function isOurForm(request: Request, baseUrl: string): boolean {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return false;
  if (origin === null) return true;
  if (origin === "null") return site === "same-origin";
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  return origin === new URL(baseUrl).origin || host === request.headers.get("Host");
}

/**
 * The first fields of a form, trimmed and with LF line endings, and the last of those with the same name; none
 * for any other content type. Null when the form does not arrive completely within so many milliseconds, which
 * is not our failure.
 */
export async function readForm(
  request: Request,
  milliseconds: number,
): Promise<Record<string, string> | null> {
  const type = request.headers.get("Content-Type")?.toLowerCase() ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return {};
  const text = await withDeadline(request.text(), milliseconds).catch(() => null);
  if (text === null) return null;
  const fields = new URLSearchParams(text).entries().take(MOST_FIELDS);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value.replaceAll("\r\n", "\n").trim()]),
  );
}

/** More than any of our forms has. Parsing thousands would take longer than everything else together. */
const MOST_FIELDS = 20;
