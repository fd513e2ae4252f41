import { SaxesParser } from "saxes";
import { isCounty, isIsland } from "../../src/directory/counties.ts";
import { readPostcode } from "../../src/directory/import/contacts.ts";
import type { ImportRecord } from "../../src/directory/import/record.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import { grouped } from "../../src/numbers.ts";
import { CommandError } from "../terminal/command.ts";
import { LONGEST_ROW, type Row } from "./row.ts";

/**
 * Open data of the Food Hygiene Rating Scheme: https://ratings.food.gov.uk/open-data. Its rating is of
 * hygiene, not what we call a rating, so it is left out.
 */
export async function* readFhrs(text: AsyncIterable<string>): AsyncGenerator<Row> {
  const parser = new SaxesParser();
  const found: Row[] = [];
  let count = 0;
  let isFhrs = false;
  let fields: Fields | null = null;
  let value = "";
  parser.on("error", (error) => {
    const message = error.message.replace(/^(\d+):(\d+): (.*?)\.?$/, "line $1, column $2: $3");
    throw new CommandError(`The XML is broken or cut short: ${message}.`);
  });
  parser.on("opentag", ({ name }) => {
    if (name === ROOT) isFhrs = true;
    if (name === ESTABLISHMENT) fields = {};
  });
  const add = (part: string) => {
    value += part;
  };
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", ({ name }) => {
    if (name === ESTABLISHMENT && fields) {
      found.push(rowOf(++count, fields));
      fields = null;
    } else if (fields && value.trim() !== "") {
      fields[name] = value.trim();
    }
    value = "";
  });

  /** Characters since the last establishment. */
  let unfinished = 0;
  for await (const piece of text) {
    parser.write(piece);
    unfinished = found.length > 0 ? 0 : unfinished + piece.length;
    if (unfinished > LONGEST_ROW) {
      throw new CommandError(
        `This is not FHRS data: establishment ${count + 1} does not end within ${grouped(LONGEST_ROW)} characters.`,
      );
    }
    yield* found.splice(0);
  }
  parser.close();
  if (count === 0 && !isFhrs)
    throw new CommandError("The file has no EstablishmentDetail: it is not FHRS data.");
}

const ROOT = "FHRSEstablishment";
const ESTABLISHMENT = "EstablishmentDetail";

type Fields = Record<string, string>;

function rowOf(line: number, fields: Fields): Row {
  const type = fields.BusinessType;
  const category = categories.get(type ?? "");
  if (!fields.FHRSID) return { line, row: fields, reason: "FHRSID is missing" };
  const name = unescapeAmpersand(fields.BusinessName ?? "");
  const { line1, line2, city } = splitAddress(
    [fields.AddressLine1, fields.AddressLine2, fields.AddressLine3, fields.AddressLine4],
    { name, postcode: fields.PostCode },
  );
  const record: ImportRecord = {
    sourceId: fields.FHRSID,
    name,
    category: category ?? "other-organisations",
    // The scheme withholds the address of people who work at home, or all but the town: any earlier one must go.
    address: { line1: null, ...line1, ...line2, postcode: fields.PostCode ?? null },
    ...city,
    ...(fields.Latitude &&
      fields.Longitude && {
        coordinates: { lat: Number(fields.Latitude), lng: Number(fields.Longitude) },
      }),
  };
  // A type that the scheme has introduced since.
  const isUnknown = type !== undefined && category === undefined;
  return { line, row: fields, record, ...(isUnknown && { unusable: ["category"] }) };
}

/**
 * Four lines that end with the town, or with its county or island: the last line that names a town is the
 * town. The first line counts only if everything but the town is withheld, the postcode included. Lines that
 * only repeat the name are left out.
 */
function splitAddress(
  given: readonly (string | undefined)[],
  { name, postcode = "" }: { name: string; postcode: string | undefined },
) {
  const lines = given.filter((line) => line !== undefined).map(unescapeAmpersand);
  const isTownAlone =
    given[0] === undefined &&
    readPostcode(postcode) === null &&
    lines.slice(1).every((line) => isCounty(line) || isIsland(line));
  const named = [...lines.keys()].filter(
    (place) => (place > 0 || isTownAlone) && readTown(lines[place] ?? ""),
  );
  const town = named.findLast((place) => !isIsland(lines[place] ?? "")) ?? named.at(-1) ?? -1;
  const rest = lines.filter((_, place) => place < town || town === -1);
  const [line1, ...others] = rest.filter((line) => makeSlug(line) !== makeSlug(name));
  const first = line1 ?? rest[0];
  return {
    line1: first !== undefined && { line1: first },
    line2: others.length > 0 && { line2: others.join(", ") },
    city: town !== -1 && { city: lines[town] ?? "" },
  };
}

/** The scheme's own files hold "B\&Q". */
const unescapeAmpersand = (text: string) => text.replaceAll("\\&", "&");

// Not an object, which would also have a `constructor`.
const categories = new Map([
  ["Distributors/Transporters", "haulage"],
  ["Farmers/growers", "farms"],
  ["Hospitals/Childcare/Caring Premises", "care-services"],
  ["Hotel/bed & breakfast/guest house", "hotels"],
  ["Importers/Exporters", "importers-and-exporters"],
  ["Manufacturers/packers", "food-producers"],
  ["Mobile caterer", "mobile-caterers"],
  ["Other catering premises", "caterers"],
  ["Pub/bar/nightclub", "pubs-and-bars"],
  ["Restaurant/Cafe/Canteen", "eating-out"],
  ["Retailers - other", "other-food-shops"],
  ["Retailers - supermarkets/hypermarkets", "supermarkets"],
  ["School/college/university", "education-and-childcare"],
  ["Takeaway/sandwich shop", "takeaways"],
]);
