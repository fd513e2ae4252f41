import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { search, names, expectEach, withMore } = await openDirectory();

describe("searches as people type them", () => {
  for (const [text, found] of [
    ["plumber in leeds", ["Wet Walls Ltd"]],
    ["plumbers+leeds", ["Wet Walls Ltd"]],
    ["leeds plumber", ["Wet Walls Ltd"]],
    ["PLUMBER, Leeds!", ["Wet Walls Ltd"]],
    ["chemist nr1", ["Boots"]],
    ["cofee", ["Bean There"]],
    ["haridresser magdalen street", ["Clip Joint"]],
    ["hairdresser magdalen st", ["Clip Joint"]],
    ["fish and chips", ["The Happy Haddock"]],
    ["fish & chips near me", ["The Happy Haddock"]],
    ["fish n chips", ["The Happy Haddock"]],
    ["fish’n’chips", ["The Happy Haddock"]],
    ["fish'n chips", ["The Happy Haddock"]],
    ["chippy norwich", ["The Happy Haddock"]],
    ["NR128AA", ["Wensum Dispensing"]],
    ["nr12 8aa", ["Wensum Dispensing"]],
    ["NR 12 8AA", ["Wensum Dispensing"]],
    ["chemist nr 12", ["Wensum Dispensing"]],
    ["b and q", ["B&Q"]],
    ["bq", ["B&Q"]],
    ["coop", ["Co-op Foodstore"]],
    ["the co-op", ["Co-op Foodstore"]],
    ["cooper", ["Cooper Toys"]],
    ["omalleys", ["O'Malley's"]],
    ["o’malley’s", ["O'Malley's"]],
    ["tavern", ["O'Malley's", "Nine Bar"]],
    ["churches", ["St Bride's"]],
    ["curry norwich", ["Saffron Garden"]],
    ["flowers", ["Petal & Stem", "The Flower Box"]],
    ["books norwich", ["Barclay Books"]],
    ["kentucky fried chicken", ["KFC"]],
    ["M&S", ["Marks & Spencer"]],
    ["bnb gt yarmouth", ["Sea View"]],
    ["solicitor ec1", ["Wren & Daughters"]],
    ["haddo", ["The Happy Haddock"]],
    ["maly los", ["Mały Łoś"]],
    ["MAŁY ŁOŚ", ["Mały Łoś"]],
    ["bookstore", ["Barclay Books"]],
    ["hairdressing magdalen street", ["Clip Joint"]],
    ["elm court", ["Clip Joint"]],
    ["roof norwich", ["Slate Mates"]],
    ["leaking roof norwich", ["Slate Mates"]],
    ["leak leeds", ["Wet Walls Ltd"]],
    ["leaking leeds", ["Wet Walls Ltd"]],
    ["locked out norwich", ["Key Largo"]],
    ["electric car charging", ["Amp Stand"]],
    ["ev charge point norwich", ["Amp Stand"]],
    ["dog food norwich", ["Paws Here"]],
    ["eat norwich", ["Saffron Garden"]],
  ] as const) {
    test(`"${text}" finds ${found.join(", ")} and nothing else`, async () => {
      const { items, instead } = await search(text);
      expect(items.map(({ name }) => name)).toEqual([...found]);
      expect(instead).toBeNull();
    });
  }

  test("a name in the possessive is found without its s, before addresses with that word", async () => {
    const added = [
      { ...norwich, name: "Sainsbury's", category: "supermarkets" },
      { ...norwich, name: "The Terrace", category: "cafes", addressLine1: "Sainsbury Centre" },
      { ...norwich, name: "Sainsbury’s Local", category: "convenience-stores" },
    ];
    await using _ = await withMore(added);
    const found = ["Sainsbury's", "Sainsbury’s Local", "The Terrace"];
    for (const text of ["sainsbury", "sainsbury norwich", "norwich sainsbury"]) {
      expect([text, ...(await names(text))]).toEqual([text, ...found]);
    }
    expect((await names("sainsburys norwich")).slice(0, 2)).toEqual(found.slice(0, 2));
  });

  test("a name of two words run together is found by the first, wherever that is, and by both", async () => {
    const added = [
      { name: "LloydsPharmacy", category: "pharmacies", city: "Leeds" },
      { name: "Lloyds", category: "banks", city: "York" },
    ];
    await using _ = await withMore(added);
    for (const text of ["lloyds leeds", "leeds lloyds", "lloyds chemist leeds", "lloydspharmacy"]) {
      expect([text, ...(await names(text))]).toEqual([text, "LloydsPharmacy"]);
    }
  });

  test("a trade in the singular and in the plural finds the same, in categories and in names", async () => {
    const added = [
      { ...norwich, name: "Fiddy Butchers", category: "other-food-shops" },
      { ...norwich, name: "The Old Butcher", category: "cafes" },
      { ...norwich, name: "Crumb", category: "bakeries" },
      { ...norwich, name: "Sponge Cakes", category: "gift-shops" },
      { ...norwich, name: "Wensum Pottery", category: "gift-shops" },
      { ...norwich, name: "Kiln", category: "artists-and-makers" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["butcher norwich", "Fiddy Butchers", "The Old Butcher"],
      ["butchers norwich", "Fiddy Butchers", "The Old Butcher"],
      ["cake norwich", "Crumb", "Sponge Cakes"],
      ["cakes norwich", "Crumb", "Sponge Cakes"],
      ["potter norwich", "Kiln", "Wensum Pottery"],
      ["potteries norwich", "Kiln", "Wensum Pottery"],
    ]);
  });

  test("doughnuts are found by either spelling, in the singular and plural, and no donations", async () => {
    await using _ = await withMore([
      { ...norwich, name: "Dough to Go", category: "bakeries", shortDescription: "Doughnuts" },
      { ...norwich, name: "Glazed Donuts", category: "bakeries" },
      { ...norwich, name: "Spare", category: "charity-shops", shortDescription: "Donations" },
    ]);
    const found = ["Dough to Go", "Glazed Donuts"];
    await expectEach([
      ["donut norwich", ...found],
      ["donuts norwich", ...found],
      ["doughnut norwich", ...found],
      ["doughnuts norwich", ...found],
    ]);
  });

  test("'glass' is not 'glasses', and 'cosmetic' is not 'cosmetics'", async () => {
    const added = [
      { ...norwich, name: "Iris", category: "opticians" },
      { ...norwich, name: "The Glass House", category: "pubs" },
      { ...norwich, name: "Glow", category: "cosmetics-shops" },
      { ...norwich, name: "Molar Bear", category: "dentists" },
      { name: "Kelvin Lamps", category: "gift-shops", city: "Glasgow" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["glass", "The Glass House"],
      ["glasses norwich", "Iris"],
      ["glass norwich", "The Glass House"],
      ["glass repair norwich", "The Glass House"],
      ["cosmetics norwich", "Glow"],
      ["cosmetic dentist norwich", "Molar Bear"],
    ]);
  });

  test("'store' does not match 'street', which 'stree' does", async () => {
    expect(await names("norwich stree")).toContain("Clip Joint");
    expect(await names("norwich store")).not.toContain("Clip Joint");
  });

  test("a word of three letters is not a prefix: 'bar' does not find Barclay", async () => {
    expect(await names("bar")).not.toContain("Barclay Books");
    expect(await names("barc")).toContain("Barclay Books");
  });

  test("an outcode does not match a longer one that begins with it", async () => {
    expect(await names("nr1")).toEqual(["Boots"]);
  });

  test("an outcode matches postcodes before other parts of addresses", async () => {
    const added = [
      { category: "pharmacies", city: "Wakefield", addressLine1: "Unit NR1", rating: 5 },
      { category: "pharmacies", city: "Norwich", postcode: "NR1 2AB", rating: 1 },
    ].map((business) => ({ name: "Pills", ...business }));
    await using _ = await withMore(added);
    const { items } = await search("pharmacy nr1");
    expect(items.map(({ cityName }) => cityName)).toEqual(["Norwich", "Norwich", "Wakefield"]);
  });

  test("there are no operators: a minus or a quote is only a separator", async () => {
    expect(await names('"plumber" -leeds')).toEqual(["Wet Walls Ltd"]);
  });

  for (const text of ["!!!", "🛠️", "+"]) {
    test(`"${text}" has no words and finds nothing`, async () => {
      expect(await search(text)).toEqual({ items: [], total: 0, instead: null });
    });
  }
});
