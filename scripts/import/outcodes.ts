import type { Outcodes } from "../../src/directory/import/merging.ts";
import { CommandError } from "../terminal/command.ts";
import { readLines, readText } from "./text.ts";

/**
 * The middle of each outcode (NR2): the mean of its places in a postal file of GeoNames, see
 * https://download.geonames.org/export/zip/readme.txt. Its place names are unfit for addresses: the
 * centre of Norwich has the name of a village on its edge.
 */
export async function readOutcodes(file: string): Promise<Outcodes> {
  const sums = new Map<string, { latitude: number; longitude: number; places: number }>();
  let line = 0;
  for await (const text of readLines(readText(file))) {
    line++;
    if (text.trim() === "") continue;
    const cells = text.split("\t");
    // The first half, since there are files of outcodes and files of full postcodes.
    const outcode = cells[1]?.trim().toUpperCase().split(" ")[0];
    const [latitude, longitude] = [Number(cells[9]), Number(cells[10])];
    // PostgreSQL would reject others, and abort the import. A column that is not there is none either.
    const areDegrees = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (!outcode || !areDegrees) {
      throw new CommandError(
        `${file}, line ${line}: a postal file of GeoNames has 12 tab-separated columns, the tenth and eleventh latitude and longitude.`,
      );
    }
    // Some places have no coordinates.
    if (cells[9]?.trim() === "" || cells[10]?.trim() === "") continue;
    const sum = sums.getOrInsert(outcode, { latitude: 0, longitude: 0, places: 0 });
    sum.latitude += latitude;
    sum.longitude += longitude;
    sum.places++;
  }
  if (sums.size === 0) throw new CommandError(`${file} places no outcode.`);
  return new Map(
    [...sums].map(([outcode, { latitude, longitude, places }]) => [
      outcode,
      { latitude: latitude / places, longitude: longitude / places },
    ]),
  );
}
