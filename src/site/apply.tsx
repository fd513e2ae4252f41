import { apply } from "../access/applications.ts";
import type { Window } from "../access/windows.ts";
import type { Handler } from "../http/handler.ts";
import { checkApplication } from "./application-form.tsx";
import { type DevelopersParts, developersPage } from "./developers.tsx";
import { isOurForm, readForm } from "./form.ts";

/**
 * POST /developers/applications: takes an application and leads to its private page. What is wrong
 * is said on the page with the form, where everything typed still stands.
 */
export function applyForKey(
  parts: DevelopersParts & { isAutomatic: boolean; admitApplication: Window },
): Handler {
  return async function applyForKey(request, { client }) {
    const { fields, faults } = checkApplication(await readForm(request));
    const again = (status: number, form?: string) =>
      developersPage(parts, { fields, faults: form ? { form } : faults, status });

    if (!isOurForm(request, parts.baseUrl)) {
      return await again(403, "Not sent: the form must come from this page. Please send it again.");
    }
    if (Object.keys(faults).length > 0) return await again(422);
    // Asked last, so that typing errors use nothing up.
    const retryAfterSeconds = await parts.admitApplication(client);
    if (retryAfterSeconds > 0) {
      const minutes = Math.ceil(retryAfterSeconds / 60);
      const answer = await again(
        429,
        `Not sent: there were several applications from your address already. Try again in ${minutes} minutes.`,
      );
      return {
        ...answer,
        headers: { ...answer.headers, "Retry-After": String(retryAfterSeconds) },
      };
    }
    const token = await apply(parts.sql, fields, {
      rights: parts.isAutomatic ? { tier: "developer" } : undefined,
    });
    return {
      status: 303,
      headers: {
        Location: `/developers/applications/${token}`,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
      },
      body: null,
    };
  };
}
