import { streets, yards } from "./place-parts.ts";
import type { Random } from "./random.ts";
import type { Town } from "./towns.ts";

/** A made-up address in a town. The outcode is one of the town's; the rest of the postcode is made up. */
export function pickPlace(random: Random, town: Town) {
  const isLocal = town.streets.length > 0 && random.chance(0.4);
  const street = random.pick(isLocal ? town.streets : streets[town.nation]);
  return {
    street,
    address: { ...pickLines(random, street), postcode: pickPostcode(random, town) },
    coordinates: pickCoordinates(random, town),
  };
}

function pickLines(random: Random, street: string): { line1: string; line2: string | null } {
  const number = Math.ceil(220 * random.fraction() ** 2) || 1;
  const sort = random.fraction();
  if (sort < 0.6) return { line1: `${number} ${street}`, line2: null };
  if (sort < 0.7) return { line1: `${number}-${number + 2} ${street}`, line2: null };
  if (sort < 0.76) return { line1: `${number}A ${street}`, line2: null };
  if (sort < 0.86) {
    return { line1: `Unit ${random.between(1, 24)}, ${random.pick(yards)}`, line2: street };
  }
  if (sort < 0.93) return { line1: random.pick(yards), line2: `${number} ${street}` };
  return { line1: `${random.pick(floors)}, ${number} ${street}`, line2: null };
}

const floors = ["First Floor", "Ground Floor", "Second Floor", "The Basement"];

function pickPostcode(random: Random, town: Town): string {
  const letter = () => random.pick(inwardLetters);
  return `${random.pick(town.outcodes)} ${random.between(0, 9)}${letter()}${letter()}`;
}

/** The Royal Mail uses no C, I, K, M, O or V in the inward part, since they are easily misread. */
const inwardLetters = [..."ABDEFGHJLNPQRSTUWXYZ"];

/** Dense in the centre and sparse outside; on the coast, only on the landward side. */
function pickCoordinates(random: Random, town: Town): { lat: number; lng: number } {
  const distance = reachKilometres(town) * random.fraction() ** 1.5;
  const turn = town.inland === null ? 360 : 140;
  const degrees = (town.inland ?? 0) + (random.fraction() - 0.5) * turn;
  const bearing = (degrees * Math.PI) / 180;
  const latitude = town.latitude + (distance * Math.cos(bearing)) / KILOMETRES_PER_DEGREE;
  const longitude =
    town.longitude +
    (distance * Math.sin(bearing)) /
      (KILOMETRES_PER_DEGREE * Math.cos((town.latitude * Math.PI) / 180));
  return { lat: roundToMetres(latitude), lng: roundToMetres(longitude) };
}

/** From 1.5 km in a small town to 12 km in London. */
const reachKilometres = ({ population }: Town) => Math.min(12, 1 + population ** 0.5 / 6);

/** Of latitude: a quarter of the meridian is 10,002 km. */
const KILOMETRES_PER_DEGREE = 111.13;

/** Five decimals are about a metre. */
const roundToMetres = (degrees: number) => Math.round(degrees * 1e5) / 1e5;
