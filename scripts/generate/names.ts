import {
  adjectives,
  firstNames,
  initials,
  kin,
  landmarks,
  pubBeasts,
  pubColours,
  pubPeople,
  pubThings,
  saints,
  surnames,
} from "./name-parts.ts";
import type { Random } from "./random.ts";
import type { Nation, Town } from "./towns.ts";
import type { Style, Trade } from "./trades.ts";

/** A made-up name that suits the trade and the place. */
export function pickName(random: Random, trade: Trade, town: Town, street: string): string {
  if (trade.ownNames.length > 0 && random.chance(ownNameShare[trade.style])) {
    const name = random.pick(trade.ownNames);
    return random.chance(0.25) ? `${name} ${town.name}` : name;
  }
  return makers[trade.style]({
    random,
    surname: () => pickSurname(random, town.nation),
    ending: () => random.pick(trade.endings),
    ownName: () => random.pick(trade.ownNames),
    town: town.name,
    street,
  });
}

function pickSurname(random: Random, nation: Nation): string {
  return random.pick(random.chance(0.55) ? surnames.national[nation] : surnames.everywhere);
}

interface Parts {
  random: Random;
  surname(): string;
  ending(): string;
  ownName(): string;
  town: string;
  street: string;
}

/** How often a business has a name peculiar to its trade. Brands always do: see `makers`. */
const ownNameShare: Record<Style, number> = {
  brand: 0,
  eatery: 0.45,
  place: 0.2,
  practice: 0.25,
  pub: 0,
  salon: 0.4,
  shop: 0.3,
  trade: 0.12,
};

const makers: Record<Style, (parts: Parts) => string> = {
  brand({ random, ownName, town }) {
    return random.chance(0.4) ? `${ownName()} ${town}` : ownName();
  },

  eatery({ random, surname, ending, town, street }) {
    const sort = random.fraction();
    if (sort < 0.3) return `${surname()}'s ${ending()}`;
    if (sort < 0.5) return `${random.pick(firstNames)}'s ${ending()}`;
    if (sort < 0.65) return `${town} ${ending()}`;
    if (sort < 0.8) return `${street} ${ending()}`;
    return `The ${random.pick(adjectives)} ${ending()}`;
  },

  place({ random, surname, ending, town, street }) {
    const sort = random.fraction();
    if (sort < 0.35) return `${random.pick(landmarks)} ${ending()}`;
    if (sort < 0.6) return `${town} ${ending()}`;
    if (sort < 0.75) return `${street} ${ending()}`;
    if (sort < 0.9) return `St ${random.pick(saints)}'s ${ending()}`;
    return `${surname()} ${ending()}`;
  },

  practice({ random, surname, ending, town }) {
    const sort = random.fraction();
    if (sort < 0.25) return `${surname()} & ${surname()}`;
    if (sort < 0.45) return `${surname()} ${ending()}`;
    if (sort < 0.6) return `${surname()} & ${surname()} ${ending()}`;
    if (sort < 0.7) return `${surname()}, ${surname()} & Co`;
    if (sort < 0.85) return `${random.pick(landmarks)} ${ending()}`;
    return `${town} ${ending()}`;
  },

  pub({ random, surname, ending, town }) {
    const sort = random.fraction();
    if (sort < 0.4) return `The ${random.pick(pubColours)} ${random.pick(pubBeasts)}`;
    if (sort < 0.65) return `The ${random.pick(pubThings)} & ${random.pick(pubBeasts)}`;
    if (sort < 0.8) return `The ${random.pick(pubPeople)}`;
    if (sort < 0.9) return `The ${surname()} Arms`;
    return `The ${town} ${ending()}`;
  },

  salon({ random, surname, ending, town, street }) {
    const sort = random.fraction();
    if (sort < 0.35) return `${random.pick(firstNames)}'s ${ending()}`;
    if (sort < 0.5) return `${random.pick(firstNames)} ${surname()} ${ending()}`;
    if (sort < 0.7) return `${random.pick(adjectives)} ${ending()}`;
    if (sort < 0.85) return `${street} ${ending()}`;
    return `${town} ${ending()}`;
  },

  shop({ random, surname, ending, town, street }) {
    const sort = random.fraction();
    if (sort < 0.25) return `${surname()}'s ${ending()}`;
    if (sort < 0.35) return `${surname()} & ${random.pick(kin)}`;
    if (sort < 0.5) return `${surname()} ${ending()}`;
    if (sort < 0.7) return `${street} ${ending()}`;
    if (sort < 0.85) return `${town} ${ending()}`;
    return `The ${random.pick(adjectives)} ${ending()}`;
  },

  trade({ random, surname, ending, town }) {
    const sort = random.fraction();
    if (sort < 0.3) return `${surname()} ${ending()}`;
    if (sort < 0.5) return `${surname()} & ${random.pick(kin)} ${ending()}`;
    if (sort < 0.65) return `${random.pick(initials)}. ${surname()} ${ending()}`;
    if (sort < 0.75) return `${random.pick(firstNames)} ${surname()} ${ending()}`;
    if (sort < 0.9) return `${random.pick(landmarks)} ${ending()}`;
    return `${town} ${ending()}`;
  },
};
