import { readPostcode } from "../../src/directory/import/contacts.ts";
import { readTown } from "../../src/directory/import/towns.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import { towns } from "../generate/towns.ts";
import type { FieldName, Fields } from "./fields.ts";

/**
 * Makes Horsforth Leeds the city Leeds, with Horsforth at the end of the second line of the address. Only where
 * a city ends with the name of a large town whose postcodes begin with the same letters: West Derby is in
 * Liverpool.
 */
export function separateLocality(fields: Fields): Fields {
  const text = (field: FieldName) => String(fields.get(field) ?? "");
  const city = readTown(text("city"))?.name ?? "";
  const area = areaOf(readPostcode(text("address.postcode")) ?? "");
  const town = towns.find(
    ({ name, outcodes }) =>
      city.endsWith(` ${name}`) && outcodes.some((outcode) => areaOf(outcode) === area),
  );
  if (!town) return fields;
  const locality = city.slice(0, -town.name.length - 1);
  if (PART_OF_NAME.test(locality)) return fields;
  const separated = new Map(fields).set("city", town.name);
  const line2 = text("address.line2");
  const lines = makeSlug(`${text("address.line1")} ${line2}`);
  // Whoever gives a first line alone says that there is no second one.
  const saysLine2 = fields.has("address.line2") || text("address.line1") !== "";
  if (saysLine2 && !lines.endsWith(makeSlug(locality))) {
    separated.set("address.line2", line2 ? `${line2}, ${locality}` : locality);
  }
  return separated;
}

/** LS of LS18 4SE. */
const areaOf = (postcode: string) => /^[A-Z]+/.exec(postcode)?.[0];

// Port Carlisle, Royal Tunbridge Wells, East Whitby and Upton by Chester are names of their own.
const PART_OF_NAME =
  /\b(north|south|east|west|upper|lower|high|low|great|little|old|new|port|royal|by|near|of|in|and)$/i;
