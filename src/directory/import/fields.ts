import * as v from "valibot";

// The kinds of fields that records have. Each says in its messages which field is wrong, and why.

/** A required text; the result of `clean` is what is kept, and checked. */
export const required = (field: string, longest: number, clean = (text: string) => text.trim()) =>
  v.optional(
    v.pipe(
      v.string(`${field} must be text`),
      v.transform(clean),
      v.nonEmpty(`${field} is missing`),
      v.maxLength(longest, `${field} is longer than ${longest} characters`),
    ),
    // Never valid, and hidden from the type: for an absent key, valibot reports the object's message.
    "",
  ) as v.GenericSchema<string>;

/** A text that may be absent or null. */
export const text = (field: string, longest: number) =>
  v.nullish(
    v.pipe(
      v.string(`${field} must be text`),
      v.maxLength(longest, `${field} is longer than ${longest} characters`),
    ),
  );

/** A field that may be absent, and then stays so; null becomes `none`. */
export const orNone = <Schema extends v.GenericSchema>(
  schema: Schema,
  none: v.InferInput<Schema>,
) => v.optional(v.nullable(schema, () => none));

/** True or false; null is false. */
export const flag = (field: string) => orNone(v.boolean(`${field} must be true or false`), false);

/** A number; `unit` ends the message about one that is out of range. */
export const between = (field: string, least: number, most: number, unit = "") => {
  const reason = `${field} must be a number between ${least} and ${most}${unit}`;
  return v.pipe(
    v.number(reason),
    v.minValue(least, reason),
    v.maxValue(most, reason),
    // -0 becomes 0: PostgreSQL does not keep it, so each import would see a change.
    v.transform((value) => value + 0),
  );
};

/** An object but not a list, which valibot would accept as an object without any of these fields. */
export const objectOf = <Entries extends v.ObjectEntries>(entries: Entries, reason: string) =>
  v.pipe(
    v.custom<v.InferInput<v.ObjectSchema<Entries, string>>>(
      (value) => !Array.isArray(value),
      reason,
    ),
    v.object(entries, reason),
  );
