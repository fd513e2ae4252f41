import type { Logger } from "pino";
import type { Admission } from "../access/admission.ts";
import { type ApplicationState, findApplication } from "../access/applications.ts";
import { keyState } from "../access/keys.ts";
import { usageOf } from "../access/usage-report.ts";
import { notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { withDeadline } from "../store/deadline.ts";
import { doBefore, type Sql } from "../store/postgres.ts";
import { writtenDay } from "../times.ts";
import { act, type Outcome } from "./application-actions.ts";
import { SAME_ADDRESS } from "./errors.tsx";
import { isOurForm, readForm } from "./form.ts";
import { KeyList, NewKey, Usage } from "./keys.tsx";
import { page } from "./page.tsx";

interface ApplicationParts {
  sql: Sql;
  admission: Admission;
  baseUrl: string;
  log: Logger;
}

/**
 * /developers/applications/{token}, the applicant's own page. GET shows how things stand; POST
 * reveals the key, rolls or revokes one, by the field `action`.
 */
export function application(parts: ApplicationParts): Handler {
  return async function application(request, { segment: token }) {
    const end = performance.now() + LONGEST_MS;
    const found = await findApplication(parts.sql, token);
    if (!found) return notFound();
    if (request.method !== "POST") return await show(parts, found);
    if (!isOurForm(request, parts.baseUrl, { isSecretAddress: true })) return foreignForm();

    const form = await readForm(request, LONGEST_SENDING_MS);
    if (!form) return { ...(await show(parts, found, LATE)), status: 408 };
    // Later than that nothing is done, since a key that is made must be shown.
    const outcome = await doBefore(parts.sql, end - READING_MS, (transaction) =>
      act(transaction, { token, application: found, form }),
    );
    const read = outcome.issued ? readIfPossible(parts.log, end) : readOrThrow;
    const changed = (await read(findApplication(parts.sql, token))) ?? found;
    return await show(parts, changed, outcome, read);
  };
}

/** Waits for what else the page shows; null when it does without. */
type Read = <Value>(reading: Promise<Value>) => Promise<Value | null>;

const readOrThrow: Read = (reading) => reading;

/** A key that has just been made must be shown, whatever else fails: nobody can show it later. */
function readIfPossible(log: Logger, end: number): Read {
  return (reading) =>
    // Half of what is left, since the page reads two things.
    withDeadline(reading, (end - performance.now()) / 2).catch((error) => {
      log.error({ err: error }, "a new key is shown without all that belongs beside it");
      return null;
    });
}

/** Less than any answer may take: a key that is made must be shown in time. */
const LONGEST_MS = 3_500;
/** Of that, to read what else the page shows. */
const READING_MS = 500;
/** And for the form to arrive, which is a few words. */
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
  // Any key that works will do, since all of an application share a meter. An old one may still work when
  // the new one was revoked.
  const usable = keys.find((key) => keyState(key) === "active");
  const reading = usable ? await read(admission.usage(usable)) : null;
  const usage = usable && reading ? usageOf(usable, reading) : null;
  const heading = keys.length > 0 ? "Your API key" : titles[status];
  return page(
    { title: outcome?.title ?? heading, isPrivate: true, hasScript: true },
    <div class="narrow">
      <h1>{heading}</h1>
      {notice && (
        // With the focus, a screen reader begins here. It does not read out a status that is there from the
        // beginning.
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
        This page is yours alone, and its <strong>address is the only way back</strong> to it: keep
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
        <p>Somebody will look at it. Come back to this page to see what was decided.</p>
        <p data-waiting hidden>
          You may also leave it open: it shows the decision by itself.
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
          You may <a href="/developers#apply">apply again</a>.
        </p>
      </>
    );
  }
  if (keys.length > 0) return null;
  return (
    <form method="post" class="card">
      <p>
        Your key is made when you press the button, and shown <strong>one single time</strong>: we
        keep only a fingerprint of it. Have a place ready to keep it.
      </p>
      <button type="submit" name="action" value="reveal">
        Reveal my key
      </button>
    </form>
  );
}

const foreignForm = () =>
  page(
    { title: "Nothing was changed", isPrivate: true },
    <div class="narrow">
      <h1>Nothing was changed</h1>
      <p>
        The form was sent from another site, or your browser does not say from where. Please send it
        from your own page.
      </p>
      <p>
        <a class="button" href={SAME_ADDRESS}>
          Back to your application
        </a>
      </p>
    </div>,
    403,
  );
