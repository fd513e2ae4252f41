import { isCounty, isIsland } from "../../src/directory/counties.ts";
import { readEmail, readPhone, readWebsite } from "../../src/directory/import/contacts.ts";
import { cleanId, cleanLine } from "../../src/directory/import/text.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import { CommandError } from "../terminal/command.ts";
import { type FieldName, type Fields, saidBy } from "./fields.ts";
import { separateLocality } from "./localities.ts";
import type { Column, Mapping, Source, Value } from "./mapping.ts";
import { isHouseNumber } from "./row.ts";
import { findPostcode, holdsMore, isPostcode, takeApart } from "./whole-address.ts";

/**
 * A function from the cells of a row to our fields.
 *
 * Feeds shift addresses from column to column, so the town and the lines of the address may list the same
 * columns. The town is the first of its columns that names a town, or else an island. The first line is the
 * first of its columns that is not the town, a county, a postcode or the name, or else that of the town if it
 * holds more; a house number alone is joined by the next column, its street. The second line is all of its columns
 * that are none of these and not in the first line.
 *
 * @param first the cells of the file's first row, which names the columns or is one of the others
 * @throws CommandError when the file lacks a column
 */
export function mapColumns(
  mapping: Mapping,
  first: readonly string[],
): (cells: readonly string[]) => Fields {
  const resolved = resolve(mapping, first);
  // The town first: the lines are what is left of the address.
  resolved.sort((a, b) => ADDRESS_ORDER.indexOf(a.field) - ADDRESS_ORDER.indexOf(b.field));

  return (cells) => {
    const cell = (index: number) => cells[index]?.trim() ?? "";
    const taken = new Set<number>();
    const known = new Set<string>();
    const fields = new Map(
      resolved.map(({ field, constant, columns, values }) => {
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
        const text = texts.join(field === "address.line1" ? " " : ", ");
        // Whoever lists None or a dash means it, although elsewhere it would count as an empty cell.
        const listed = values?.get(comparable(columns.map(cell).join()));
        return [field, listed ?? values?.get(text) ?? text];
      }),
    );
    return separateLocality(takeApart(fields));

    function choose(field: FieldName, columns: readonly number[]): number | undefined {
      const filled = columns.filter((index) => saidBy(cell(index), field) !== "");
      if (columns.length === 1) return filled[0];
      if (field === "city") {
        const named = filled.filter((index) => readTown(cell(index)) !== null);
        return named.find((index) => !isIsland(cell(index))) ?? named[0];
      }
      if (field === "address.line2") return columns.find(isLine);
      // The cell of the town may hold the whole address.
      if (field === "address.line1") return columns.find(isLine) ?? columns.find(isWholeAddress);
      const read = readers[field];
      // An unusable value is taken, too, so that it is reported.
      return filled.find((index) => !read || read(cell(index)) !== null) ?? filled[0];
    }

    function isWholeAddress(index: number): boolean {
      return taken.has(index) && holdsMore(cell(index));
    }

    function isLine(index: number): boolean {
      return (
        saidBy(cell(index), "address.line1") !== "" &&
        !taken.has(index) &&
        !isCounty(cell(index)) &&
        !isPostcode(cell(index)) &&
        !known.has(makeSlug(cell(index)))
      );
    }
  };
}

interface Resolved {
  field: FieldName;
  constant?: Value;
  /** Places of the columns in a row, from 0. */
  columns: number[];
  /** What replaces a text, by its comparable form. */
  values?: ReadonlyMap<string, Value>;
}

/** People write the same value now "Plumbers & Heating", now "plumbers &  heating". */
const comparable = (text: string) => cleanLine(text).toLowerCase();

/** @throws CommandError when the file lacks a column */
function resolve({ fields, header }: Mapping, first: readonly string[]): Resolved[] {
  return (Object.entries(fields) as [FieldName, Source][]).map(([field, from]) => {
    if (typeof from !== "object" || Array.isArray(from)) {
      return { field, columns: [from].flat().map(indexOf) };
    }
    if ("constant" in from) return { field, constant: from.constant, columns: [] };
    const values = Object.entries(from.values).map(
      ([theirs, ours]) => [comparable(theirs), ours] as const,
    );
    return { field, columns: [indexOf(from.column)], values: new Map(values) };
  });

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
    const exact = first.map((head) => head.trim());
    // Long headings have line breaks within their cells.
    const [heads, wanted] = exact.includes(name)
      ? [exact, name]
      : [first.map(cleanId), cleanId(name)];
    const index = heads.indexOf(wanted);
    const next = heads.indexOf(wanted, index + 1);
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
  "address.postcode": findPostcode,
  phone: readPhone,
  email: readEmail,
  website: readWebsite,
};

/** Other fields are chosen before these; the name has to be. */
const ADDRESS_ORDER: FieldName[] = ["city", "address.line1", "address.line2"];
