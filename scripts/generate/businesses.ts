import type { ImportRecord } from "../../src/directory/import/record.ts";
import type { Photo } from "../../src/directory/schemas.ts";
import { pickContacts } from "./contacts.ts";
import { pickDescriptions } from "./descriptions.ts";
import { pickHours } from "./hours.ts";
import { pickName } from "./names.ts";
import { pickPlace } from "./places.ts";
import { createRandom, type Random, weighted } from "./random.ts";
import { type Town, towns } from "./towns.ts";
import { type Trade, trades } from "./trades.ts";

/**
 * Made-up but plausible businesses in real towns, one after another, in constant memory. The same seed
 * gives the same businesses; a larger count begins with those of a smaller one.
 */
export function* generateBusinesses({
  count,
  seed,
}: {
  count: number;
  seed: number;
}): Generator<GeneratedBusiness, undefined> {
  const random = createRandom(seed);
  for (let number = 1; number <= count; number++) yield generateBusiness(random, number);
}

/** The source of a seed's businesses: the same whether they are imported or loaded with COPY. */
export const sourceOf = (seed: number) => `generated-${seed}`;

/** An import record with every field but slug, though some are empty. */
export type GeneratedBusiness = ReturnType<typeof generateBusiness>;

function generateBusiness(random: Random, number: number) {
  const sourceId = `sample-${number.toString().padStart(6, "0")}`;
  const town = pickTown(random);
  const trade = pickTrade(random);
  const { street, address, coordinates } = pickPlace(random, town);
  const name = pickName(random, trade, town, street);
  const isClaimed = random.chance(2 / 3);
  return {
    sourceId,
    name,
    category: trade.category,
    city: town.name,
    ...pickDescriptions(random, trade, { name, town: town.name, street }),
    address,
    coordinates,
    ...pickContacts(random, name, town),
    ...pickRating(random),
    isClaimed,
    isVerified: random.chance(isClaimed ? 0.5 : 0.03),
    isPremium: isClaimed && random.chance(0.1),
    status: pickStatus(random),
    photos: pickPhotos(random, sourceId, name),
    openingHours: pickHours(random, trade.hours),
  } satisfies ImportRecord;
}

// In proportion to population, London would be a third of the directory.
const pickTown = weighted<Town>(towns, ({ population }) => population ** 0.75);
const pickTrade = weighted<Trade>(trades, ({ weight }) => weight);

/** Most businesses are rated, most of those well; few have many reviews. */
function pickRating(random: Random): { rating: number; reviewCount: number } {
  if (random.chance(0.2)) return { rating: 0, reviewCount: 0 };
  const discontent = (random.fraction() * random.fraction()) ** 1.3;
  return {
    rating: Math.round((5 - 4 * discontent) * 10) / 10,
    reviewCount: Math.floor(10 ** (3.3 * random.fraction() ** 2)),
  };
}

function pickStatus(random: Random): NonNullable<ImportRecord["status"]> {
  const sort = random.fraction();
  if (sort < 0.92) return "approved";
  if (sort < 0.96) return "pending";
  return sort < 0.98 ? "rejected" : "suspended";
}

/** Up to five photos, one of them the cover. */
function pickPhotos(random: Random, sourceId: string, name: string): Photo[] {
  const amount = Math.max(0, random.between(-3, 5));
  const cover = random.between(0, Math.max(0, amount - 1));
  return Array.from({ length: amount }, (_, index) => ({
    url: `https://images.example/${sourceId}/${index + 1}.jpg`,
    caption: random.chance(0.8) ? `${name}: ${random.pick(views)}` : "",
    isCover: index === cover,
  }));
}

const views = [
  "the front",
  "inside",
  "the team",
  "from across the street",
  "at work",
  "the entrance",
  "a busy Saturday",
  "before opening",
];
