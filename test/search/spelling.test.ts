import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { search, names, expectEach, withMore } = await openDirectory();

describe("searches as people type them", () => {
  test("an exact word ranks before one that differs by a letter", async () => {
    const { items } = await search("boots norwich");
    expect(items.map((item) => item.name)).toEqual(["Boots", "Barclay Books"]);
  });

  test("'printer' does not match 'painter', though a letter apart", async () => {
    expect(await names("painter")).toEqual(["Fresh Coats"]);
    expect(await names("printer")).toEqual([]);
  });

  test("a trade is found by common misspellings with more errors than are tolerated", async () => {
    const added = [
      { ...norwich, name: "Carat", category: "jewellers" },
      { ...norwich, name: "Paws Better", category: "vets" },
      { ...norwich, name: "Wigs", category: "solicitors" },
      { ...norwich, name: "Fork", category: "restaurants" },
      { ...norwich, name: "Second Sight", category: "opticians" },
      { ...norwich, name: "Listen", category: "counsellors" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["optitions norwich", "Second Sight"],
      ["counciling norwich", "Listen"],
      ["jewlers norwich", "Carat"],
      ["vetinary norwich", "Paws Better"],
      ["solicters norwich", "Wigs"],
      ["jewelery norwich", "Carat"],
    ]);
    expect(await names("restraunts norwich")).toContain("Fork");
    expect(await names("farmacy norwich")).toEqual(await names("pharmacy norwich"));
  });
});

describe("when nothing matches all words", () => {
  for (const [text, found, instead] of [
    ["arborst norwich", ["Bough Down"], "arborist norwich"],
    ["norwich arborst", ["Bough Down"], "norwich arborist"],
    ["best layer ec1", ["Wren & Daughters"], "lawyer ec1"],
    ["arborst wiring nr1", ["Bough Down"], "arborist norwich"],
    ["arborst nr3 1ab", ["Bough Down"], "arborist nr3"],
  ] as const) {
    test(`"${text}" finds what "${instead}" does: an everyday name may be misspelt`, async () => {
      const answer = await search(text);
      expect(answer.items.map(({ name }) => name)).toEqual([...found]);
      expect(answer.instead).toBe(instead);
    });
  }

  test("a word that occurs in any business is not corrected to a trade", async () => {
    const { items, instead } = await search("boots york");
    expect(instead).toBe("boots");
    expect(items.map(({ name }) => name)).toEqual(["Boots", "Boots", "Barclay Books"]);
  });

  test("a word that must be spelt right is not corrected to a trade: 'print' does not become 'pint'", async () => {
    expect((await search("print norwich")).instead).toBe("norwich");
  });

  test("a word is not corrected to a trade with another first letter: 'tlorist' does not become 'florist'", async () => {
    expect((await search("tlorist norwich")).instead).toBe("norwich");
  });

  test("the plural of a word that occurs is not corrected to a trade: 'tiles' does not become 'tires'", async () => {
    await using _ = await withMore([{ name: "Glaze", category: "tile-shops", city: "Leeds" }]);
    expect((await search("tiles norwich")).instead).toBe("tiles");
  });

  test("a run with fewer misspelt words is searched for before one with fewer matches", async () => {
    await using _ = await withMore([{ name: "Brown Owl", category: "gift-shops" }]);
    for (const text of ["blown drip", "drip blown"]) {
      expect([text, (await search(text)).instead]).toEqual([text, "drip"]);
    }
    expect((await search("blown")).items[0]?.name).toBe("Brown Owl");
  });

  test("a word is spelled right if businesses have only its plural", async () => {
    const added = [
      { name: "Oak Barn", category: "gift-shops", shortDescription: "Marquees and rooms." },
      { name: "Tent Peg", category: "gift-shops" },
      { name: "Scout Tent", category: "gift-shops" },
    ];
    await using _ = await withMore(added);
    for (const text of ["marquee tent", "tent marquee"]) {
      expect([text, (await search(text)).instead]).toEqual([text, "marquee"]);
    }
  });

  test("an everyday name is spelled right though no business has it", async () => {
    await using _ = await withMore([{ name: "Volt", category: "electricians", city: "Leeds" }]);
    for (const text of ["sparky plumber", "plumber sparky"]) {
      expect([text, (await search(text)).instead]).toEqual([text, "sparky"]);
    }
  });
});
