import type { Random } from "./random.ts";
import type { Style, Trade } from "./trades.ts";

/** What a business says about itself, in a line and in a paragraph; each may be "". */
export function pickDescriptions(
  random: Random,
  trade: Trade,
  { name, town, street }: { name: string; town: string; street: string },
) {
  const offers = pickOffers(random, trade);
  const subject: Subject = {
    name,
    noun: trade.noun,
    town,
    street,
    offers: listInWords(offers),
    year: Math.floor(2024 - 90 * random.fraction() ** 2),
  };
  const wording = trade.style === "place" || trade.style === "brand" ? publicWording : ownWording;
  return {
    shortDescription: random.chance(0.94) ? random.pick(wording.lines)(subject) : "",
    description: random.chance(0.85)
      ? `${random.pick(wording.openings)(subject)} ${random.pick(wording.middles)(subject)} ${random.pick(closings[trade.style])}`
      : "",
  };
}

interface Subject {
  name: string;
  noun: string;
  town: string;
  street: string;
  offers: string;
  year: number;
}

interface Wording {
  lines: ((subject: Subject) => string)[];
  openings: ((subject: Subject) => string)[];
  middles: ((subject: Subject) => string)[];
}

/** For businesses with an owner. */
const ownWording: Wording = {
  lines: [
    ({ noun, town, offers }) => `Family-run ${noun} in ${town}: ${offers}.`,
    ({ noun, street, town }) => `A friendly ${noun} on ${street}, ${town}.`,
    ({ noun, town, year }) => `Independent ${noun}, serving ${town} since ${year}.`,
    ({ offers, town }) => `${capitalise(offers)} in the heart of ${town}.`,
    ({ noun, offers }) => `Your local ${noun} for ${offers}.`,
    ({ noun, town }) => `Well-loved ${noun} in ${town} and the villages around it.`,
  ],
  openings: [
    ({ name, noun, street, year }) =>
      `${name} has been the ${noun} of choice around ${street} since ${year}.`,
    ({ name, town, noun }) => `At ${name} you will find a proper ${town} ${noun}.`,
    ({ name, noun, town, year }) =>
      `${name} opened in ${year} and has grown into a well-known ${noun} in ${town}.`,
    ({ name, street }) => `You will find ${name} on ${street}, a few minutes from the centre.`,
    ({ noun, town, name }) =>
      `Looking for ${withArticle(noun)} in ${town}? ${name} is a small, local team.`,
  ],
  middles: [
    ({ offers }) => `People come to us for ${offers}.`,
    ({ offers }) => `Among other things we offer ${offers}, at honest prices.`,
    ({ offers, town }) => `We are known across ${town} for ${offers}.`,
    ({ offers }) => `Ask us about ${offers}; no enquiry is too small.`,
  ],
};

/** For public places, and for chains with many branches. */
const publicWording: Wording = {
  lines: [
    ({ noun, town, offers }) => `${capitalise(noun)} in ${town} with ${offers}.`,
    ({ noun, street, town }) => `${capitalise(noun)} off ${street}, ${town}.`,
    ({ offers, town }) => `${capitalise(offers)}, close to the middle of ${town}.`,
    ({ name, town }) => `${name}: open to everyone in ${town}.`,
  ],
  openings: [
    ({ name, noun, street, town }) => `${name} is ${withArticle(noun)} on ${street} in ${town}.`,
    ({ name, town, year }) => `${name} has been part of life in ${town} since ${year}.`,
    ({ name, street }) => `${name} is easy to reach from ${street}, on foot or by bus.`,
  ],
  middles: [
    ({ offers }) => `There is something for everyone: ${offers}.`,
    ({ offers }) => `Visitors will find ${offers}.`,
    ({ offers }) => `Expect ${offers}.`,
  ],
};

const closings: Record<Style, readonly string[]> = {
  brand: [
    "There is level access from the street.",
    "Parking is free for two hours.",
    "Staff are happy to help.",
  ],
  eatery: [
    "Booking is wise at weekends.",
    "Dogs are welcome.",
    "We cater for most dietary needs; just ask.",
    "Walk-ins are always welcome.",
  ],
  place: [
    "Everyone is welcome.",
    "Buses stop outside.",
    "There are accessible toilets on site.",
    "Please check the opening times before you travel.",
  ],
  practice: [
    "The first conversation is free.",
    "Evening appointments can be arranged.",
    "We explain everything in plain English.",
    "There is parking behind the building.",
  ],
  pub: [
    "Dogs and muddy boots are welcome.",
    "There is a fire in winter and a garden in summer.",
    "Food is served until nine.",
    "Quiz night is Tuesday.",
  ],
  salon: [
    "Book online or pop in.",
    "Gift vouchers are available.",
    "New clients save ten per cent on their first visit.",
    "Students get a discount on weekdays.",
  ],
  shop: [
    "Pop in and say hello.",
    "Local delivery can be arranged.",
    "If we do not have it, we can usually order it.",
    "Gift vouchers are available.",
  ],
  trade: [
    "Quotes are free and without obligation.",
    "All work is guaranteed and fully insured.",
    "Call for a chat about what you need.",
    "References are available on request.",
  ],
};

/** All offers but one, in the given order. */
function pickOffers(random: Random, { offers }: Trade): readonly string[] {
  const left = random.between(0, offers.length - 1);
  return offers.filter((_, index) => index !== left);
}

const listInWords = (items: readonly string[]) =>
  `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

const withArticle = (noun: string) => (/^([aeiou]|MOT)/i.test(noun) ? `an ${noun}` : `a ${noun}`);

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
