import type { Logger } from "pino";
import type { Admission } from "../access/admission.ts";
import { type ApplicationState, findApplication } from "../access/applications.ts";
import { usageOf } from "../access/usage-report.ts";
import { notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { withDeadline } from "../store/deadline.ts";
import { doBefore, type Sql } from "../store/postgres.ts";
import { writtenDay } from "../times.ts";
import { act, type Outcome } from "./application-actions.ts";
import { readForm } from "./form.ts";
import { KeyList, NewKey, Usage } from "./keys.tsx";
import { page } from "./page.tsx";

interface ApplicationParts {
  sql: Sql;
  admission: Admission;
  baseUrl: string;
  log: Logger;
}

/**
 * /developers/applications/{token}, the applicant's own page. GET shows the application and its keys; POST
 * reveals, rolls or revokes a key, by the field `action`, wherever the form comes from: whoever knows where to send it
 * has the secret address, and may do all of that anyway.
 */
export function application(parts: ApplicationParts): Handler {
  return async function application(request, { segment: token }) {
    const end = performance.now() + LONGEST_MS;
    const found = await findApplication(parts.sql, token);
    if (!found) return notFound();
    if (request.method !== "POST") return await show(parts, found);

    const form = await readForm(request, LONGEST_SENDING_MS);
    if (!form) return { ...(await show(parts, found, LATE)), status: 408 };
    // Nothing is done later than that, since a new key must be shown in time.
    const outcome = await doBefore(parts.sql, end - READING_MS, (transaction) =>
      act(transaction, token, found.keys, form),
    );
    const read = outcome.issued ? readIfPossible(parts.log, end) : readOrThrow;
    const changed = (await read(findApplication(parts.sql, token))) ?? found;
    return await show(parts, changed, outcome, read);
  };
}

/** Waits for what else the page shows; null when the page goes without. */
type Read = <Value>(reading: Promise<Value>) => Promise<Value | null>;

const readOrThrow: Read = (reading) => reading;

/** A new key must be shown whatever else fails: it cannot be shown later. */
function readIfPossible(log: Logger, end: number): Read {
  return (reading) =>
    // Half of the remaining time, since the page reads two things.
    withDeadline(reading, (end - performance.now()) / 2).catch((error) => {
      log.error({ err: error }, "a new key is shown without the rest of its page");
      return null;
    });
}

/** Milliseconds, less than the deadline of an answer: a new key must be shown in time. */
const LONGEST_MS = 3_500;
/** Of these, for reading what else the page shows. */
const READING_MS = 500;
/** Of these, for the form to arrive, which is short. */
const LONGEST_SENDING_MS = 1_000;

const LATE: Outcome = {
  title: "Nothing was changed",
  notice: "Nothing was changed: the form did not arrive in time. Please send it again.",
};

async function show(
  { admission, baseUrl }: ApplicationParts,
  application: ApplicationState,
  outcome?: Outcome,
  read = readOrThrow,
) {
  const { name, email, purpose, createdAt, status, keys } = application;
  const { issued, notice } = outcome ?? {};
  // Any working key will do, since all keys of an application share a meter. An old one may still work after
  // the new one was revoked.
  const usable = keys.find(({ state }) => state === "active");
  const reading = usable ? await read(admission.usage(usable)) : null;
  const usage = usable && reading ? usageOf(usable, reading) : null;
  const heading = keys.length > 0 ? "Your API key" : titles[status];
  return page(
    { title: outcome?.title ?? heading, isPrivate: true, hasScript: true },
    <div class="narrow">
      <h1>{heading}</h1>
      {notice && (
        // Focused, so that a screen reader starts here: it does not announce a status that is present from the
        // start.
        <p class="notice" role="status" tabindex={-1} autofocus>
          {notice}
        </p>
      )}
      {issued ? (
        <NewKey issued={issued} baseUrl={baseUrl} hasFocus={!notice} />
      ) : (
        <NextStep application={application} />
      )}
      <p>
        This page is yours alone, and its <strong>address is the only way back</strong> to it: treat
        it like a password.
      </p>
      {usage && <Usage usage={usage} />}
      {keys.length > 0 && <KeyList keys={keys} />}
      <section>
        <h2>What you sent</h2>
        <dl class="facts">
          <dt>Name</dt>
          <dd>{name}</dd>
          <dt>Email</dt>
          <dd>{email}</dd>
          <dt>Purpose</dt>
          <dd class="typed">{purpose}</dd>
          <dt>Sent</dt>
          <dd>
            <time datetime={createdAt.toISOString()}>{writtenDay(createdAt)}</time>
          </dd>
        </dl>
      </section>
    </div>,
  );
}

const titles = {
  waiting: "Your application is waiting",
  approved: "Your application is approved",
  declined: "Your application was declined",
};

/** What the applicant can do now. */
function NextStep({
  application: { status, declinedWhy, keys },
}: {
  application: ApplicationState;
}) {
  if (status === "waiting") {
    return (
      <div class="card">
        <p>Someone will review it. Come back to this page to see the decision.</p>
        <p data-waiting hidden>
          You can also leave it open: the decision will appear by itself.
        </p>
      </div>
    );
  }
  if (status === "declined") {
    return (
      <>
        <p>The reason:</p>
        <blockquote class="typed">{declinedWhy}</blockquote>
        <p>
          You can <a href="/developers#apply">apply again</a>.
        </p>
      </>
    );
  }
  if (keys.length > 0) return null;
  return (
    <form method="post" class="card">
      <p>
        Your key is created when you press the button, and shown <strong>only once</strong>: we
        store only its hash. Have a safe place ready for it.
      </p>
      <button type="submit" name="action" value="reveal">
        Reveal my key
      </button>
    </form>
  );
}
