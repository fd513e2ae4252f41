import { expect, test } from "bun:test";
import fc from "fast-check";
import { countTypos } from "../../src/search/typos.ts";

test.each([
  ["leeds", "leeds", 0],
  ["leeds", "ledes", 1],
  ["glasgow", "glasgwo", 1],
  ["bristol", "brstol", 1],
  ["cardiff", "cardifff", 1],
  ["derby", "darby", 1],
  ["birmingham", "brimnigham", 2],
  ["locksmith", "lcoksimth", 2],
  ["edinburgh", "edinbruhg", 2],
  ["ca", "abcde", null],
  ["leeds", "leesd", 1],
  ["leeds", "eleds", 1],
  ["leeds", "lesde", null],
  ["plumbers", "pulmbesr", null],
  ["york", "yrok", null],
])("from %p to %p: %p typing errors", (word, typed, typos) =>
  expect(countTypos(word, typed)).toBe(typos),
);

test("each of two errors that are far apart counts", () => {
  const letters = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop"), {
    minLength: 12,
    maxLength: 12,
  });
  const errors = [
    ([a, b]: string[]) => [b, a],
    ([a]: string[]) => [a],
    ([a, b]: string[]) => [a, "z", b],
    ([, b]: string[]) => ["z", b],
  ];
  const error = fc.constantFrom(...errors);
  fc.assert(
    fc.property(letters, error, error, (letters, one, other) => {
      const [first, rest, last] = [letters.slice(0, 2), letters.slice(2, 10), letters.slice(10)];
      const typed = [one(first), rest, other(last)].flat().join("");
      expect(countTypos(letters.join(""), typed)).toBe(2);
    }),
    { numRuns: 200, seed: 7 },
  );
});
