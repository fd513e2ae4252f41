import { apply } from "../access/applications.ts";
import type { Window } from "../access/windows.ts";
import { type Answer, withHeaders } from "../http/answer.ts";
import { tryAgainIn } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { tooMany } from "../middleware/admitVisitor.ts";
import type { AwayLog } from "../middleware/catchErrors.ts";
import { isAway } from "../store/away.ts";
import { withDeadline } from "../store/deadline.ts";
import { doBefore, ping, type Sql } from "../store/postgres.ts";
import {
  type ApplicationFields,
  ApplicationForm,
  checkApplication,
  type Faults,
} from "./application-form.tsx";
import { isOurForm, readForm } from "./form.ts";
import { page, seeOther } from "./page.tsx";

interface ApplyParts {
  sql: Sql;
  baseUrl: string;
  /** Approves every application at once. */
  isAutomatic: boolean;
  admitApplication: Window;
  logAway: AwayLog;
}

/**
 * POST /developers/applications: accepts an application and redirects to its private page. Whatever goes
 * wrong, the form comes back with all that was typed, if it has arrived, and says what to do. GET redirects
 * to the form, for anyone who returns to the URL at which it came back.
 */
export function applyForKey(parts: ApplyParts): Handler {
  return async function applyForKey(request, context) {
    if (request.method !== "POST") return seeOther("/developers#apply");
    const client = context.client();
    const end = performance.now() + LONGEST_MS;
    const form = await readForm(request, LONGEST_SENDING_MS);
    const { fields, faults } = checkApplication(form ?? {});
    if (!isOurForm(request, parts.baseUrl)) {
      return again(403, fields, {
        form: "Not sent: the form must come from this page. Please send it again.",
      });
    }
    if (!form) {
      return again(408, fields, {
        form: `Not sent: the form did not arrive in time. ${STILL_THERE} Please send it again from there.`,
      });
    }
    if (Object.keys(faults).length > 0) return again(422, fields, faults);
    try {
      return await withDeadline(take(parts, client, fields, end), end - performance.now());
    } catch (error) {
      if (!isAway(error)) throw error;
      parts.logAway(error, request);
      const answer = again(503, fields, {
        form: "Not sent: part of the service is temporarily unavailable. What you typed is kept; please send it again in a minute.",
      });
      return withHeaders(answer, { "Retry-After": "60" });
    }
  };
}

/**
 * The answer beyond the limit on pages. A form comes back even then, so it is read although it is refused,
 * unless it is so large that returning it any number of times would hold up others.
 */
export async function refuseApplication(
  request: Request,
  retryAfterSeconds: number,
): Promise<Answer> {
  if (request.method !== "POST") return tooMany("pages")(request, retryAfterSeconds);
  // Browsers send the size of a form.
  const size = Number(request.headers.get("Content-Length") ?? Number.POSITIVE_INFINITY);
  const form = size <= LARGEST_REFUSED ? await readForm(request, LONGEST_SENDING_MS) : null;
  const { fields } = checkApplication(form ?? {});
  const answer = again(429, fields, {
    form: `Not sent: too many pages in a short time. ${form ? "What you typed is kept." : STILL_THERE} ${tryAgainIn(retryAfterSeconds)}`,
  });
  return withHeaders(answer, { "Retry-After": String(retryAfterSeconds) });
}

/** Milliseconds, less than the deadline of an answer, so that the form comes back in time. */
const LONGEST_MS = 3_500;
/** Of these, for the form to arrive, perhaps over a slow connection. */
const LONGEST_SENDING_MS = 2_000;

/** Bytes: more than a page of text. */
const LARGEST_REFUSED = 8 * 1024;

/** What has not arrived cannot be returned. */
const STILL_THERE = "What you typed should still be there when you go back in your browser.";

async function take(
  { sql, isAutomatic, admitApplication }: ApplyParts,
  client: string,
  fields: ApplicationFields,
  end: number,
): Promise<Answer> {
  // Before the application is counted: an outage of PostgreSQL must not use up one of the few that are
  // admitted.
  await ping(sql);
  const retryAfterSeconds = await admitApplication(client);
  if (retryAfterSeconds > 0) {
    const minutes = Math.ceil(retryAfterSeconds / 60);
    const answer = again(429, fields, {
      form: `Not sent: several applications have already come from your IP address. What you typed is kept; try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
    });
    return withHeaders(answer, { "Retry-After": String(retryAfterSeconds) });
  }
  const rights = isAutomatic ? { tier: "developer" } : undefined;
  const token = await doBefore(sql, end, (transaction) => apply(transaction, fields, rights));
  const answer = seeOther(`/developers/applications/${token}`);
  return withHeaders(answer, { "Referrer-Policy": "no-referrer" });
}

/** The form as it was sent. This needs no store, so the form comes back whichever of them is down. */
function again(status: number, fields: ApplicationFields, faults: Faults): Answer {
  return page(
    { title: "Not sent: get a free key", hasScript: true, hasTyped: true },
    <div class="narrow">
      <h1>Get a free key</h1>
      <ApplicationForm fields={fields} faults={faults} />
      <p>
        <a href="/developers">About the API</a>
      </p>
    </div>,
    status,
  );
}
