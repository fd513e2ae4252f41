/** A number as people write it: 12,345. */
export const grouped = (number: number) => number.toLocaleString("en-GB");

/** How many of something: 1 business, 12,345 businesses. */
export const counted = (number: number, one: string, many: string) =>
  `${grouped(number)} ${number === 1 ? one : many}`;
