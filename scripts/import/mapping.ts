import * as v from "valibot";
import { CommandError } from "../terminal/command.ts";
import { type FieldName, fieldNames, isFieldName } from "./fields.ts";
import { readText } from "./text.ts";

/** How the columns of another table become our fields. */
export interface Mapping {
  /** Whether the first line names the columns. */
  header: boolean;
  fields: Partial<Record<FieldName, Source>>;
}

/**
 * A column by name or number (from 1), a list of columns of which the first that fits is used, a constant, or a
 * column some of whose values are replaced.
 */
export type Source = Column | Column[] | { constant: Value } | { column: Column; values: Values };
export type Column = string | number;
export type Value = string | number | boolean;
type Values = Readonly<Record<string, Value>>;

/**
 * Reads a mapping: JSON with "header" (true or false) and our field names.
 * @throws CommandError that says what is wrong with it
 */
export async function readMapping(file: string): Promise<Mapping> {
  const text = (await Array.fromAsync(readText(file))).join("");
  const parsed = v.safeParse(mapping, text);
  if (!parsed.success) throw new CommandError(`${file}: ${describeFault(parsed.issues[0])}.`);
  const { header, ...fields } = parsed.output;
  const unknown = Object.keys(fields).filter((name) => !isFieldName(name));
  if (unknown.length > 0) {
    throw new CommandError(
      `${file} maps unknown fields: ${unknown.join(", ")}. Known fields: ${fieldNames.join(", ")}.`,
    );
  }
  for (const needed of ["sourceId", "name"]) {
    if (!Object.hasOwn(fields, needed)) throw new CommandError(`${file} does not map ${needed}.`);
  }
  return { header, fields };
}

/** For a fault inside a field, names only the field. */
function describeFault({ path, message }: v.BaseIssue<unknown>): string {
  const field = path?.[0]?.key;
  if (field === "header") return HEADER;
  return field === undefined ? message : `${field} is wrong: ${SHAPE}`;
}

const HEADER = '"header" must be true or false';
const SHAPE =
  'each field needs a column name, a column number from 1, a list of those, {"constant": …}, or {"column": …, "values": {"theirs": "ours", …}}';
const column = v.union([
  v.pipe(v.string(), v.nonEmpty()),
  v.pipe(v.number(), v.integer(), v.minValue(1)),
]);
const value = v.union([v.string(), v.number(), v.boolean()]);
const source = v.union(
  [
    column,
    v.pipe(v.array(column), v.nonEmpty()),
    v.strictObject({ constant: value }),
    v.strictObject({ column, values: v.record(v.string(), value) }),
  ],
  SHAPE,
);
const mapping = v.pipe(
  v.string(),
  v.parseJson(undefined, "the mapping is not JSON"),
  v.objectWithRest({ header: v.boolean(HEADER) }, source, SHAPE),
);
