import * as v from "valibot";
import { emailPattern } from "../directory/email.ts";
import { grouped } from "../numbers.ts";
import { unmarked } from "./unmarked.ts";

export type ApplicationFields = Record<"name" | "email" | "purpose", string>;
export type Faults = Partial<Record<keyof ApplicationFields | "form", string>>;

/** What was typed, and what is wrong with each field. */
export function checkApplication(form: Record<string, string>): {
  fields: ApplicationFields;
  faults: Faults;
} {
  const { name = "", email = "", purpose = "" } = form;
  const fields = { name, email, purpose };
  // A text that is too long is not checked any further.
  const result = v.safeParse(schema, fields, { abortPipeEarly: true });
  const faults: Faults = {};
  for (const issue of result.issues ?? []) {
    const field = issue.path?.[0]?.key as keyof ApplicationFields;
    faults[field] ??= issue.message;
  }
  if (form[TRAP]) {
    faults.form =
      "The field that must stay empty was filled in. Please clear it and send the form again.";
  }
  return { fields, faults };
}

/** A honeypot: bots fill in every field; people do not see this one. */
const TRAP = "homepage";

/** Characters. The fields have no maxlength, with which browsers would cut off the rest of what is pasted, unsaid. */
const longest = { name: 200, email: 254, purpose: 2_000 };

const atMost = (most: number) =>
  v.maxLength<string, number, string>(most, `At most ${grouped(most)} characters, please.`);

const UNPRINTABLE = "This contains a character that cannot be shown.";

const line = (what: string, most: number) =>
  v.pipe(
    v.string(),
    v.nonEmpty(`Please enter ${what}.`),
    atMost(most),
    // PostgreSQL cannot store NUL, and nobody types the other control characters.
    v.regex(/^\P{Cc}*$/u, UNPRINTABLE),
  );

const schema = v.object({
  name: line("your name or company", longest.name),
  email: v.pipe(
    line("your email address", longest.email),
    v.regex(emailPattern, "That is not an email address; it should look like ann@shop.example."),
  ),
  purpose: v.pipe(
    v.string(),
    v.nonEmpty("Please say in a sentence what you want to build."),
    atMost(longest.purpose),
    v.regex(/^(?:\P{Cc}|[\n\t])*$/u, UNPRINTABLE),
  ),
});

/** The form for a key, with what was typed and what is wrong with it. */
export function ApplicationForm({
  fields = { name: "", email: "", purpose: "" },
  faults = {},
}: {
  fields?: ApplicationFields;
  faults?: Faults;
}) {
  const number = Object.keys(faults).length;
  return (
    <form class="stack" action="/developers/applications" method="post" noValidate>
      {number > 0 && (
        // Focused, so that a screen reader starts here, even without a script.
        <div class="notice" role="alert" tabindex={-1} autofocus>
          {faults.form ?? "Not sent: please check the marked fields. What you typed is kept."}
          <FaultyFields faults={faults} />
        </div>
      )}
      <Field name="name" fault={faults.name}>
        {(attributes) => <input {...attributes} value={fields.name} autoComplete="name" />}
      </Field>
      <Field name="email" fault={faults.email}>
        {(attributes) => (
          <input {...attributes} type="email" value={fields.email} autoComplete="email" />
        )}
      </Field>
      <Field name="purpose" fault={faults.purpose}>
        {(attributes) => <textarea {...attributes} rows={4} value={fields.purpose} />}
      </Field>
      <p class="unseen" aria-hidden="true">
        <label for={TRAP}>Leave this empty</label>
        <input id={TRAP} name={TRAP} tabindex={-1} autoComplete="off" />
      </p>
      <button type="submit">Apply for a key</button>
    </form>
  );
}

const labels: Record<keyof ApplicationFields, string> = {
  name: "Your name or company",
  email: "Email",
  purpose: "What do you want to build?",
};

/** Links to the marked fields. Each field itself says what is wrong. */
function FaultyFields({ faults }: { faults: Faults }) {
  const names = (Object.keys(labels) as (keyof ApplicationFields)[]).filter((name) => faults[name]);
  if (names.length === 0) return null;
  return (
    <ul class="row" {...unmarked}>
      {names.map((name) => (
        <li key={name}>
          <a href={`#${name}`}>{labels[name]}</a>
        </li>
      ))}
    </ul>
  );
}

function Field({
  name,
  fault,
  children,
}: {
  name: keyof ApplicationFields;
  fault: string | undefined;
  children: (attributes: {
    id: string;
    name: string;
    required: true;
    "aria-invalid"?: "true";
    "aria-describedby"?: string;
  }) => preact.JSX.Element;
}) {
  const faultId = `${name}-fault`;
  return (
    <p class="field">
      <label for={name}>{labels[name]}</label>
      {children({
        id: name,
        name,
        required: true,
        ...(fault && { "aria-invalid": "true", "aria-describedby": faultId }),
      })}
      {fault && (
        <span class="fault" id={faultId}>
          {fault}
        </span>
      )}
    </p>
  );
}
