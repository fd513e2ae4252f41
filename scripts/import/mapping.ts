import * as v from "valibot";
import {
  readEmail,
  readPhone,
  readPostcode,
  readWebsite,
} from "../../src/directory/import/contacts.ts";
import { isCounty, isIsland, readTown } from "../../src/directory/import/towns.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import { CommandError } from "../terminal/command.ts";
import { type FieldName, fieldNames, isFieldName } from "./fields.ts";
import { separateLocality } from "./localities.ts";
import { isHouseNumber } from "./row.ts";
import { readText } from "./text.ts";

/** How the columns of another table become our fields. */
export interface Mapping {
  /** Whether the first line names the columns. */
  header: boolean;
  fields: Partial<Record<FieldName, Source>>;
}

/** A column by name or number (from 1), a list of columns of which the first that fits is used, or a constant. */
type Source = Column | Column[] | { constant: string | number | boolean };
type Column = string | number;

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
  'each field needs a column name, a column number from 1, a list of those, or {"constant": …}';
const column = v.union([
  v.pipe(v.string(), v.nonEmpty()),
  v.pipe(v.number(), v.integer(), v.minValue(1)),
]);
const source = v.union(
  [
    column,
    v.pipe(v.array(column), v.nonEmpty()),
    v.object({ constant: v.union([v.string(), v.number(), v.boolean()]) }),
  ],
  SHAPE,
);
const mapping = v.pipe(
  v.string(),
  v.parseJson(undefined, "the mapping is not JSON"),
  v.objectWithRest({ header: v.boolean(HEADER) }, source, SHAPE),
);

/**
 * A function from the cells of a row to our fields.
 *
 * Feeds shift addresses from column to column, so the town and the lines of the address may list the same
 * columns. The town is the first of its columns that names a town, or else an island. The first line is the
 * first of its columns that is not the town, a county or the name; a house number alone is joined by the next
 * column, its street. The second line is all of its columns that are none of these and not in the first line.
 *
 * @param first the cells of the file's first row, which names the columns or is one of the others
 * @throws CommandError when the file lacks a column
 */
export function mapColumns(
  mapping: Mapping,
  first: readonly string[],
): (cells: readonly string[]) => Map<string, unknown> {
  const resolved = resolve(mapping, first);
  // The town first: the lines are what is left of the address.
  resolved.sort((a, b) => ADDRESS_ORDER.indexOf(a.field) - ADDRESS_ORDER.indexOf(b.field));

  return (cells) => {
    const cell = (index: number) => cells[index]?.trim() ?? "";
    const taken = new Set<number>();
    const known = new Set<string>();
    const fields = new Map(
      resolved.map(({ field, constant, columns }) => {
        if (constant !== undefined) return [field, constant];
        const texts: string[] = [];
        let index = choose(field, columns);
        while (index !== undefined) {
          texts.push(cell(index));
          if (ADDRESS_ORDER.includes(field)) taken.add(index);
          if (field === "city") known.add(readTown(cell(index))?.slug ?? "");
          else if (field === "name" || taken.has(index)) known.add(makeSlug(cell(index)));
          const isUnfinished = field === "address.line1" && isHouseNumber(texts.join(" "));
          // No line comes after the second, so it gets all that is left.
          index = isUnfinished || field === "address.line2" ? columns.find(isLine) : undefined;
        }
        return [field, texts.join(field === "address.line1" ? " " : ", ")];
      }),
    );
    return separateLocality(fields);

    function choose(field: FieldName, columns: readonly number[]): number | undefined {
      const filled = columns.filter((index) => cell(index) !== "");
      if (columns.length === 1) return filled[0];
      if (field === "city") {
        const named = filled.filter((index) => readTown(cell(index)) !== null);
        return named.find((index) => !isIsland(cell(index))) ?? named[0];
      }
      if (ADDRESS_ORDER.includes(field)) return columns.find(isLine);
      const read = readers[field];
      // An unusable value is taken, too, so that it is reported.
      return filled.find((index) => !read || read(cell(index)) !== null) ?? filled[0];
    }

    function isLine(index: number): boolean {
      return (
        cell(index) !== "" &&
        !taken.has(index) &&
        !isCounty(cell(index)) &&
        !known.has(makeSlug(cell(index)))
      );
    }
  };
}

interface Resolved {
  field: FieldName;
  constant?: string | number | boolean;
  /** Places of the columns in a row, from 0. */
  columns: number[];
}

/** @throws CommandError when the file lacks a column */
function resolve({ fields, header }: Mapping, first: readonly string[]): Resolved[] {
  return (Object.entries(fields) as [FieldName, Source][]).map(([field, from]) =>
    typeof from === "object" && !Array.isArray(from)
      ? { field, constant: from.constant, columns: [] }
      : { field, columns: [from].flat().map(indexOf) },
  );

  function indexOf(name: Column): number {
    if (typeof name === "number") {
      if (name <= first.length) return name - 1;
      throw new CommandError(
        `The mapping names column ${name}, but the file has only ${first.length}.`,
      );
    }
    if (!header) {
      throw new CommandError(
        `The mapping names the column ${name}, but says that the file has no header.`,
      );
    }
    const heads = first.map((head) => head.trim());
    const index = heads.indexOf(name);
    const next = heads.indexOf(name, index + 1);
    if (next > index) {
      // The wrong one, where it is empty, might clear what is known.
      throw new CommandError(
        `The first line has several columns ${name}: give the number of one, such as ${index + 1} or ${next + 1}, in its place.`,
      );
    }
    if (index >= 0) return index;
    const names = heads.filter(Boolean);
    throw new CommandError(
      `The first line has no column ${name}, only ${names.join(", ")}. If the header is further down, remove the lines above it.`,
    );
  }
}

/** In a list of columns for one of these, a column fits if its value is usable. */
const readers: { [Field in FieldName]?: (text: string) => string | null } = {
  "address.postcode": readPostcode,
  phone: readPhone,
  email: readEmail,
  website: readWebsite,
};

/** Other fields are chosen before these; the name has to be. */
const ADDRESS_ORDER: FieldName[] = ["city", "address.line1", "address.line2"];
