import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { search, expectEach, expectInstead, withMore } = await openDirectory();

describe("when nothing matches all words", () => {
  for (const [text, instead] of [
    ["best plumber york", "plumber york"],
    ["best lamb york", "lamb york"],
    ["where can i find the nearest plumber in york", "plumber york"],
    ["24 hour plumber", "plumber"],
  ] as const) {
    test(`"${text}" finds what "${instead}" does: qualifiers matter less`, async () => {
      const answer = await search(text);
      expect(answer).toEqual({ ...(await search(instead)), instead });
      expect(answer.total).toBeGreaterThan(0);
    });
  }

  test("qualifiers count as long as something matches all words", async () => {
    expect(await search("best foot york")).toMatchObject({ total: 1, instead: null });
  });

  test("in a question about opening hours or a phone number, only the name and the place matter", async () => {
    const added = [
      { name: "Number Ten", category: "gift-shops", city: "Leeds" },
      { name: "When in Rome", category: "italian-restaurants", city: "York" },
      { name: "Time & Tide", category: "jewellers", city: "Leeds" },
      { name: "Shut That Door", category: "gift-shops", city: "York" },
      { name: "Bean", category: "coffee-shops", city: "York", addressLine1: "2 Boots Close" },
    ];
    await using _ = await withMore(added);
    for (const [text, instead] of [
      ["when does boots open", "boots"],
      ["what time does boots close in leeds", "boots leeds"],
      ["what times are boots open", "boots"],
      ["is there a boots open until 9pm in leeds", "boots leeds"],
      ["when do boots shut in norwich", "boots norwich"],
      ["phone number for boots leeds", "boots leeds"],
      ["boots leeds contact details", "boots leeds"],
      ["how much does boots cost", "boots"],
    ] as const) {
      const { items, instead: used } = await search(text);
      expect([text, used, items[0]?.name]).toEqual([text, instead, "Boots"]);
    }
  });

  test("a qualifier is kept in the name of a town, even if another one is named, too", async () => {
    await using _ = await withMore([
      { name: "Fringe", category: "hairdressers", city: "New Mills", postcode: "SK22 4AA" },
      { name: "The Mills", category: "pubs", city: "Leeds" },
      { name: "The Ship", category: "pubs", city: "Leeds" },
    ]);
    await expectInstead([["pub new mills leeds", "pub leeds", "The Mills", "The Ship"]]);
  });

  test("a word of a trade is kept even if it is a qualifier elsewhere", async () => {
    const added = [
      { ...norwich, name: "The Keep", category: "museums" },
      { ...norwich, name: "Strobe", category: "nightclubs" },
      { ...norwich, name: "The Legion", category: "social-clubs" },
    ];
    await using _ = await withMore(added);
    await expectInstead([
      ["best things to do in norwich", "things do norwich", "The Keep"],
      ["things to do with kids in norwich", "things do norwich", "The Keep"],
      ["cheap night club norwich", "night club norwich", "Strobe"],
    ]);
  });

  test("'new' is kept in a town's name, and where a name there begins with it and the next word", async () => {
    await using _ = await withMore([
      { name: "Quill", category: "solicitors", city: "New Mills", postcode: "SK22 4AA" },
      { ...norwich, name: "The New Inn", category: "pubs" },
      { ...norwich, name: "New Leaf Books", category: "bookshops" },
      { ...norwich, name: "Shelf", category: "bookshops" },
    ]);
    await expectEach([
      ["new inn hotel norwich", "The New Inn"],
      ["new inn hotel nr3", "The New Inn"],
      ["new leaf printer norwich", "New Leaf Books"],
      // Not next to each other in any name.
      ["new books printer norwich", "Barclay Books", "New Leaf Books", "Shelf"],
    ]);
    expect((await search("best solicitor new mills")).instead).toBe("solicitor new mills");
  });
});
