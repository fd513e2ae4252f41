import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { sql, sync, search, names, withMore } = await openDirectory();

describe("the order of what is found", () => {
  test("premium, rating and reviews break ties of equal text", async () => {
    const { items } = await search("twin tyres");
    expect(items.map((item) => item.slug)).toEqual(["t-0", "t-1", "t-2", "t-3"]);
  });

  test("a better match ranks before premium", async () => {
    const premium = { isPremium: true, rating: 5 };
    await using _ = await withMore([
      { ...premium, name: "Haddock and Wet Walls of Leeds" },
      { ...premium, name: "Sketch", shortDescription: "Kelp Lane in oils." },
      { name: "Gable", addressLine1: "2 Kelp Lane" },
    ]);
    expect((await names("wet walls ltd"))[0]).toBe("Wet Walls Ltd");
    expect((await names("wet walls"))[0]).toBe("Wet Walls Ltd");
    expect(await names("kelp lane")).toEqual(["Gable", "Sketch"]);
  });

  test("a trade ranks before descriptions that begin with the word", async () => {
    const added = [
      {
        name: "Grand Lodge",
        category: "hotels",
        shortDescription: "Restaurant and weddings.",
        isPremium: true,
      },
      { name: "Onyx", category: "restaurants" },
      { name: "Fume Works", category: "hotels", shortDescription: "Exhaust fumes extracted." },
    ];
    await using _ = await withMore(added);
    for (const text of ["restaurant", "restaurants"]) {
      expect([text, (await names(text))[0]]).toEqual([text, "Onyx"]);
    }
    expect((await names("exhaust")).slice(3)).toEqual(["Twin Tyres", "Fume Works"]);
  });

  test("a trade ranks before names and other trades that merely have the word", async () => {
    const added = [
      { name: "Cedar Practice", category: "gp-surgeries" },
      { name: "The Phone Doctor", category: "mobile-phone-shops", rating: 5 },
      { name: "St Cuthbert's", category: "places-of-worship" },
      { name: "Church Road Gifts", category: "gift-shops", rating: 5 },
      { name: "The Mane Event", category: "hairdressers" },
      { name: "Hair of the Dog", category: "dog-groomers", rating: 5 },
      { name: "Scents", category: "cosmetics-shops", rating: 4 },
      { name: "White Lily", category: "bridal-shops" },
      { name: "The Big Day", category: "party-shops", rating: 5 },
      { name: "Multi-Storey", category: "car-parks" },
      { name: "Lodge", category: "hotels", shortDescription: "Free parking.", rating: 5 },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const [text, first, second] of [
      ["doctor", "Cedar Practice", "The Phone Doctor"],
      ["doctor in wells", "Cedar Practice", "The Phone Doctor"],
      ["doctors", "Cedar Practice", "The Phone Doctor"],
      ["church wells", "St Cuthbert's", "Church Road Gifts"],
      ["hair in wells", "The Mane Event", "Hair of the Dog"],
      ["perfume", "Scents", undefined],
      ["wedding dress", "White Lily", "The Big Day"],
      ["wedding dress in wells", "White Lily", "The Big Day"],
      ["parking wells", "Multi-Storey", "Lodge"],
    ] as const) {
      const found = await names(text);
      expect([text, found[0], found[1]]).toEqual([text, first, second]);
    }
    expect(await names("wedding dresses wells")).toEqual(["White Lily"]);
    expect((await names("phone doctor"))[0]).toBe("The Phone Doctor");
    expect((await names("hair of the dog"))[0]).toBe("Hair of the Dog");
  });

  test("a trade ranks first by each of its names, also where other trades have its words", async () => {
    const added = [
      { name: "Strobe", category: "nightclubs" },
      {
        name: "The Legion",
        category: "social-clubs",
        shortDescription: "Night and day.",
        rating: 5,
      },
      { name: "Dumbbell", category: "gyms" },
      { name: "Bouncy", category: "soft-play-centres", shortDescription: "Fitness.", rating: 5 },
      { name: "Petal", category: "florists" },
      { name: "Flower of May", category: "gift-shops", rating: 5 },
      { name: "Pennies", category: "convenience-stores" },
      { name: "Cards on the Corner", category: "gift-shops", rating: 5 },
      { name: "Hoof", category: "riding-stables" },
      { name: "Red Riding Hood", category: "schools", rating: 5 },
      { name: "Oak Lodge", category: "care-homes" },
      { name: "Nursing at Home", category: "home-care", rating: 5 },
      { name: "Crumb", category: "bakeries" },
      { name: "Baker & Daughters", category: "accountants", rating: 5 },
      { name: "Cedar House", category: "gp-surgeries" },
      { name: "Hark", category: "hearing-centres", rating: 5 },
      { name: "Tonic", category: "pharmacies", addressLine1: "Medical Centre", rating: 5 },
      { name: "Molar Practice", category: "dentists", rating: 5 },
      { name: "Hod", category: "builders" },
      { name: "Clear Flow", category: "drainage-contractors", rating: 5 },
      { name: "Glow", category: "beauty-salons" },
      { name: "Knead", category: "massage-therapists", rating: 5 },
      { name: "Volt", category: "ev-charging" },
      { name: "Upper Deck", category: "car-parks", shortDescription: "Electric car charging." },
      { name: "Quire", category: "stationers" },
      { name: "Ink", category: "printers", shortDescription: "Stationery.", rating: 5 },
      { name: "Clear View", category: "windows-and-doors" },
      { name: "Streak", category: "window-cleaners", shortDescription: "Conservatory roofs." },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const [trade, found] of [
      ["night club", "Strobe"],
      ["fitness centre", "Dumbbell"],
      ["flower shop", "Petal"],
      ["corner shop", "Pennies"],
      ["riding school", "Hoof"],
      ["nursing home", "Oak Lodge"],
      ["baker", "Crumb"],
      ["bakery", "Crumb"],
      ["medical centre", "Cedar House"],
      ["medical practice", "Cedar House"],
      ["health centre", "Cedar House"],
      ["GP surgery", "Cedar House"],
      ["building contractor", "Hod"],
      ["beauty therapist", "Glow"],
      ["electric car charging", "Volt"],
      ["stationery", "Quire"],
      ["conservatory", "Clear View"],
    ] as const) {
      for (const text of [`${trade} in wells`, `wells ${trade}`, `cheap ${trade} wells`]) {
        expect([text, (await names(text))[0]]).toEqual([text, found]);
      }
    }
  });

  test("a trade ranks before addresses that begin with its words, but not before whole addresses", async () => {
    const added = [
      { name: "Cedar House", category: "gp-surgeries", rating: 4 },
      { name: "Wells Infirmary", category: "hospitals", rating: 4 },
      { name: "Tonic", category: "pharmacies", addressLine1: "Health Centre, 8 Sadler Street" },
      { name: "Balm", category: "pharmacies", addressLine1: "Surgery Lane", rating: 5 },
      { name: "Pills", category: "pharmacies", addressLine1: "Hospital Road", rating: 5 },
      { name: "Infirmary Row", category: "gift-shops", addressLine1: "12 Surgery Lane" },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const [text, found] of [
      ["health centre", "Cedar House"],
      ["surgery", "Cedar House"],
      ["hospital wells", "Wells Infirmary"],
      ["12 surgery lane", "Infirmary Row"],
    ] as const) {
      expect([text, (await names(text))[0]]).toEqual([text, found]);
    }
  });

  test("a trade in the singular ranks before others of its branch, also if only its plural is usual", async () => {
    const added = [
      { name: "Kit", category: "sports-shops", rating: 4 },
      { name: "Quire", category: "stationers", rating: 5 },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const text of ["sport in wells", "sports in wells", "sport shop in wells"]) {
      expect([text, ...(await names(text))]).toEqual([text, "Kit", "Quire"]);
    }
  });

  test("a trade ranks before another with the same words", async () => {
    const added = [
      { name: "Oak Lodge", category: "care-homes", city: "Wells", rating: 1 },
      { name: "Rectory Care at Home", category: "home-care", city: "Wells", rating: 4 },
    ];
    await using _ = await withMore(added);
    const texts = ["care home", "care home in wells", "care homes wells", "wells care home"];
    for (const text of [...texts, "old people's home"]) {
      expect([text, (await names(text))[0]]).toEqual([text, "Oak Lodge"]);
    }
    expect((await names("home care in wells"))[0]).toBe("Rectory Care at Home");
  });

  test("a trade ranks before names that have it in the possessive", async () => {
    const added = [
      { ...norwich, name: "Crumb", category: "bakeries" },
      { ...norwich, name: "Baker's", category: "pubs", rating: 5 },
    ];
    await using _ = await withMore(added);
    for (const text of ["baker", "baker norwich"]) {
      expect([text, ...(await names(text))]).toEqual([text, "Crumb", "Baker's"]);
    }
  });

  test("all of a trade in a town rank equally, whatever their names, and before others with such names", async () => {
    const about = { shortDescription: "A pub in the middle of Norwich." };
    const texts = ["pubs in norwich", "pub norwich", "norwich pubs", "norwich pub"];
    const tours = { ...norwich, category: "coach-hire", isPremium: true };
    const added = [
      ...texts.map((text) => ({ ...tours, name: `${text} tours` })),
      { ...tours, name: "Great Norwich Pub Tours" },
      { ...norwich, ...about, name: "Sports Pub of Norwich", category: "pubs", rating: 3 },
      { ...norwich, name: "The Anchor", category: "pubs", rating: 5, reviewCount: 1 },
      { ...norwich, name: "Norwich Cellar", category: "bars", rating: 4 },
    ];
    await using _ = await withMore(added);
    const pubs = ["The Anchor", "O'Malley's", "Sports Pub of Norwich"];
    for (const text of texts) {
      expect([text, ...(await names(text)).slice(0, 3)]).toEqual([text, ...pubs]);
    }
    expect((await search("pubs in norwich")).total).toBe(10);
    for (const name of ["Sports Pub of Norwich", "Norwich Cellar", "Great Norwich Pub Tours"]) {
      expect((await names(name))[0]).toBe(name);
    }
  });

  test("all of a category of two trades in a town rank equally, whichever is searched for", async () => {
    const pharmacy = { category: "pharmacies", postcode: "BA5 2AA" };
    const added = [
      { ...pharmacy, name: "Old Wells Remedies", city: "Wells", rating: 1 },
      { ...pharmacy, name: "Tonic", city: "Wells", rating: 3 },
      { ...pharmacy, name: "Spa Remedies", city: "Tunbridge Wells", rating: 5 },
    ];
    await using _ = await withMore(added);
    const texts = ["chemist in wells", "pharmacy wells", "pharmacies in wells", "wells pharmacy"];
    for (const text of texts) {
      const found = ["Tonic", "Old Wells Remedies", "Spa Remedies"];
      expect([text, ...(await names(text))]).toEqual([text, ...found]);
    }
  });

  test("initials rank before a word that they are short for", async () => {
    await using _ = await withMore([
      { name: "G T Motors", category: "garages", city: "Leeds" },
      { name: "Quay Motors", category: "garages", city: "Great Yarmouth", rating: 5 },
    ]);
    for (const text of ["gt garage", "g t garages", "gt motors"]) {
      expect([text, (await names(text))[0]]).toEqual([text, "G T Motors"]);
    }
  });

  test("it does not matter where a name has the second trade of its category, in the singular or plural", async () => {
    const found = ["Plumb Line", "Stonemason Co", "Stonemasons Co", "Sunny Stonemason"];
    const masons = found.map((name, place) => {
      return { name, category: "bricklayers", city: "Wells", rating: 5 - place };
    });
    await using _ = await withMore(masons);
    const texts = ["stonemason wells", "stonemasons in wells", "wells stonemason"];
    for (const name of ["Bricklayers & stonemasons", "Bricklayers and stonemasons"]) {
      await sql`update categories set name = ${name} where slug = 'bricklayers'`;
      await sync();
      for (const text of texts) {
        expect([name, text, ...(await names(text))]).toEqual([name, text, ...found]);
      }
    }
  });

  test("where a name has its trade does not matter if the first of two trades, or the town, has several words", async () => {
    const added = [
      { name: "Nuts & Bolts", rating: 4 },
      { name: "Smith's Ironmongers", rating: 3 },
      { name: "Smith & Sons Ironmongers", rating: 2 },
      { name: "Smith Ironmonger", rating: 1 },
    ];
    const inBoth = ["Wells", "Milton Keynes"].flatMap((city) =>
      added.map((business) => ({ ...business, category: "hardware-shops", city })),
    );
    await using _ = await withMore(inBoth);
    const found = added.map(({ name }) => name);
    for (const trade of ["ironmongers", "ironmonger"]) {
      for (const town of ["wells", "milton keynes"]) {
        for (const text of [`${trade} in ${town}`, `${town} ${trade}`]) {
          expect([text, ...(await names(text))]).toEqual([text, ...found]);
        }
      }
    }
  });

  test("where a name has its trade does not matter if the singular ends in an e", async () => {
    const added = [
      { name: "Fairway", category: "golf-courses", rating: 4 },
      { name: "The Golf Course", category: "pubs", rating: 5 },
      { name: "Golf Course Links", category: "golf-courses", rating: 3 },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const text of ["golf course in wells", "golf courses wells", "wells golf course"]) {
      const found = ["Fairway", "Golf Course Links", "The Golf Course"];
      expect([text, ...(await names(text))]).toEqual([text, ...found]);
    }
  });

  test("where a name has its trade does not matter if there is a plural in the singular", async () => {
    const added = [
      { name: "Hod", category: "builders-merchants", rating: 4 },
      { name: "The Builders' Merchant", category: "pubs", rating: 5 },
      { name: "Builders' Merchant Direct", category: "builders-merchants", rating: 3 },
      { name: "Nets", category: "leisure-centres", rating: 4 },
      { name: "Sports Centre Café", category: "cafes", rating: 5 },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    for (const [trade, found] of [
      ["builders merchant", ["Hod", "Builders' Merchant Direct", "The Builders' Merchant"]],
      ["sports centre", ["Nets", "Sports Centre Café"]],
    ] as const) {
      for (const text of [`${trade} in wells`, `wells ${trade}`, `${trade}s in wells`]) {
        expect([text, ...(await names(text))]).toEqual([text, ...found]);
      }
    }
  });

  test("the length of names and trades does not matter to a search for the beginning of a trade and a town", async () => {
    const added = [
      { name: "The Golden Dragon", category: "chinese-takeaways", rating: 3 },
      { name: "Jade", category: "chinese-takeaways", rating: 2 },
      { name: "Still Point", category: "acupuncturists", rating: 1 },
    ];
    const keynes = { name: "Keynes Books", category: "bookshops", rating: 1 };
    const inBoth = ["Wells", "Milton Keynes"].flatMap((city) =>
      added.map((business) => ({ ...business, city })),
    );
    await using _ = await withMore([keynes, ...inBoth]);
    const found = added.map(({ name }) => name);
    for (const text of ["chinese in wells", "chinese in milton keynes"]) {
      expect([text, ...(await names(text))]).toEqual([text, ...found]);
    }
    // The second word of a town is not the beginning of anything.
    expect((await names("keynes"))[0]).toBe("Keynes Books");
  });

  test("the length of names does not matter to a search for the beginning of names and a town", async () => {
    const added = [
      { name: "Lotus", category: "gyms", rating: 1 },
      { name: "Lotus Bed & Breakfast", category: "bed-and-breakfasts", rating: 4 },
      { name: "Lotus Garden Spa", category: "gyms", rating: 3 },
      { name: "Lotus Baths", category: "swimming-pools", rating: 2 },
    ];
    await using _ = await withMore(added.map((business) => ({ ...business, city: "Wells" })));
    const found = added.map(({ name }) => name);
    for (const text of ["lotus in wells", "wells lotus"]) {
      expect([text, ...(await names(text))]).toEqual([text, ...found]);
    }
  });
});
