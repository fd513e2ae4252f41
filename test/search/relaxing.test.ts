import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { search, names, expectInstead, withMore } = await openDirectory();

describe("when nothing matches all words", () => {
  for (const [text, found, instead] of [
    ["hairdresser open sunday york", ["Clip Joint", "Shear Bliss"], "hairdresser"],
    ["wet plumber open sunday york", ["Drip Stop"], "plumber york"],
    ["emergency plumber york", ["Drip Stop"], "plumber york"],
    ["best chemist nr1 3hp", ["Boots"], "chemist nr1 3hp"],
    ["plumber sink stoke on trent", ["Wall to Wall"], "plumber stoke trent"],
    ["plumber wiring yo1", ["Drip Stop"], "plumber yo1"],
    ["pharmacy yo1", ["Boots", "Boots", "Wensum Dispensing"], "pharmacy"],
    ["shoes norwich", ["Best Foot Forward"], "shoes"],
    ["yo1 7aa shoe shop", ["Best Foot Forward"], "yo1 shoe shop"],
    ["bookshop stoke on trent", ["Barclay Books"], "bookshop"],
    ["coop york", ["Co-op Foodstore"], "co op"],
    ["co-operative york", ["Co-op Foodstore"], "co operative"],
    ["florist nr1", ["Petal & Stem"], "florist norwich"],
    ["florist nr1 3hp", ["Petal & Stem"], "florist norwich"],
    ["florist wiring nr1", ["Petal & Stem"], "florist norwich"],
    ["florist norwich nr1", ["Petal & Stem"], "florist norwich"],
    ["florist nr99", ["Petal & Stem"], "florist norwich"],
    ["solicitor ec2", ["Wren & Daughters"], "solicitor london"],
    ["florist ze2", ["Petal & Stem"], "florist"],
    ["nr1 florist in norwich", ["Petal & Stem"], "florist norwich"],
    ["florist wiring norwich nr1", ["Petal & Stem"], "florist norwich"],
    ["pharmacy wiring norwich nr1", ["Boots"], "pharmacy norwich nr1"],
    ["o2 lamps norwich", ["O2"], "o2 norwich"],
    ["nr1 9", ["Boots"], "nr1"],
    ["leeds nr1", ["Boots", "Leeds Lamps", "Wet Walls Ltd"], "leeds"],
    ["plumber leeds york", ["Drip Stop"], "plumber york"],
    ["pharmacy nr12 ls1", ["Boots"], "pharmacy ls1"],
    ["lamb yo1", ["Lamb & Co"], "lamb york"],
    ["nr1 florist", ["Petal & Stem"], "norwich florist"],
    ["leeds wiring plumber", ["Wet Walls Ltd"], "plumber leeds"],
    ["quokka leeds", ["Boots", "Leeds Lamps", "Wet Walls Ltd"], "leeds"],
    ["accountant great yarmouth", ["Lamb & Co", "Lost Ledgers", "Needles Audit"], "accountant"],
    ["accountant gt yarmouth", ["Lamb & Co", "Lost Ledgers", "Needles Audit"], "accountant"],
  ] as const) {
    test(`"${text}" finds what "${instead}" does: a place is kept as long as possible`, async () => {
      const answer = await search(text);
      expect(answer.items.map(({ name }) => name).sort()).toEqual([...found]);
      expect(answer.instead).toBe(instead);
    });
  }

  const gifts = ["Barclay Books", "Cooper Toys", "Leeds Lamps", "Petal & Stem", "The Flower Box"];

  for (const [text, found, instead] of [
    ["lamps plumber leeds", ["Wet Walls Ltd"], "plumber leeds"],
    ["wiring lamps plumber bath", ["Drip Stop", "Wall to Wall", "Wet Walls Ltd"], "plumber"],
    ["stoke on trent hairdresser", ["Clip Joint", "Shear Bliss"], "hairdresser"],
    ["hairdresser stoke on trent", ["Clip Joint", "Shear Bliss"], "hairdresser"],
    ["york hairdresser", ["Clip Joint", "Shear Bliss"], "hairdresser"],
    ["gift shop york", gifts, "gift shop"],
    ["york gift shop", gifts, "gift shop"],
    ["lamb lock smith yo1", ["Key Largo"], "lock smith"],
    ["york petshop", ["Paws Here"], "petshop"],
    ["lamb solicitor yo1", ["Wren & Daughters"], "solicitor"],
    ["barclay tree norwich", ["Bough Down"], "tree norwich"],
    ["barclay cafe norwich", ["Bean There"], "cafe norwich"],
    ["repair my roof norwich", ["Slate Mates"], "roof norwich"],
    ["boots lamps leaking roof norwich", ["Slate Mates"], "leaking roof norwich"],
    ["locked out of house norwich", ["Key Largo"], "locked out norwich"],
    ["where to eat in stoke on trent", ["Saffron Garden"], "eat"],
    ["dispensing wensum florist norwich", ["Petal & Stem"], "wensum florist norwich"],
    ["lamps store leeds", ["Leeds Lamps"], "lamps leeds"],
  ] as const) {
    test(`"${text}" finds what "${instead}" does: a trade is kept before any other word`, async () => {
      const answer = await search(text);
      expect(answer.items.map(({ name }) => name).sort()).toEqual([...found]);
      expect(answer.instead).toBe(instead);
    });
  }

  test("a trade that has no other name, such as a school, is kept before any other word", async () => {
    const added = [
      { name: "Elmet Academy", category: "schools", city: "Leeds" },
      { name: "Pills", category: "pharmacies", city: "Leeds", addressLine1: "Primary Care Centre" },
    ];
    await using _ = await withMore(added);
    await expectInstead([["primary school leeds", "school leeds", "Elmet Academy"]]);
  });

  test("a trade is kept before one that only says what it works on, or where it is", async () => {
    const added = [
      { ...norwich, name: "Deep Pile", category: "carpets-and-flooring" },
      { ...norwich, name: "Broom & Bloom", category: "cleaners" },
      { ...norwich, name: "Chic", category: "boutiques" },
      { ...norwich, name: "The Long Rest", category: "hotels" },
      { ...norwich, name: "Crook General", category: "hospitals" },
      { ...norwich, name: "Molar Bear", category: "dentists" },
      { ...norwich, name: "Nest Egg", category: "financial-advisers" },
      { ...norwich, name: "Last Will", category: "solicitors" },
      { ...norwich, name: "On Points", category: "dance-schools" },
      { ...norwich, name: "Sole Trader", category: "shoe-shops" },
      { ...norwich, name: "Worktop", category: "kitchens-and-bathrooms" },
      {
        ...norwich,
        name: "Mow Town",
        category: "gardeners",
        shortDescription: "Lawns and fencing.",
      },
      { ...norwich, name: "Spark", category: "electricians" },
      { ...norwich, name: "Nod", category: "bed-shops" },
      { ...norwich, name: "Warm Front", category: "heating-engineers" },
      { ...norwich, name: "Spanner", category: "plumbers" },
      { ...norwich, name: "Siren", category: "alarms-and-security" },
      { ...norwich, name: "Sump", category: "drainage-contractors" },
      { ...norwich, name: "Dumbbell", category: "gyms" },
      { ...norwich, name: "Upper Deck", category: "car-parks" },
    ];
    await using _ = await withMore(added);
    await expectInstead([
      ["hotel with parking norwich", "hotel norwich", "The Long Rest"],
      ["hotel with gym norwich", "hotel norwich", "The Long Rest"],
      ["hospital parking norwich", null, "Upper Deck"],
      ["carpet cleaner norwich", "cleaner norwich", "Broom & Bloom"],
      ["carpet cleaning norwich", "cleaning norwich", "Broom & Bloom"],
      ["boutique hotel norwich", "hotel norwich", "The Long Rest"],
      ["hospital road dentist norwich", "dentist norwich", "Molar Bear"],
      ["hospital jumpers norwich", "hospital norwich", "Crook General"],
      ["pension solicitor norwich", "solicitor norwich", "Last Will"],
      ["ballet shoes norwich", "shoes norwich", "Sole Trader"],
      ["dancing shoes norwich", "shoes norwich", "Sole Trader"],
      ["four-poster beds hotel norwich", "hotel norwich", "The Long Rest"],
      ["boiler plumber norwich", "plumber norwich", "Spanner"],
      ["shower plumber norwich", "plumber norwich", "Spanner"],
      ["fence painter norwich", "painter norwich", "Fresh Coats"],
      ["cctv electrician norwich", "electrician norwich", "Spark"],
      ["breakfast hotel norwich", "hotel norwich", "The Long Rest"],
      ["cctv drain survey norwich", "drain survey norwich", "Sump"],
      ["cctv drain survey", "drain survey", "Sump"],
    ]);
  });

  test("a trade of two words is not halved where half of it is something else", async () => {
    const added = [
      { name: "Sun Up", category: "tanning-salons", city: "York" },
      { ...norwich, name: "Nod", category: "bed-shops" },
      { name: "Press & Go", category: "dry-cleaners", city: "York" },
      { ...norwich, name: "Broom & Bloom", category: "cleaners" },
      { name: "Mirror Signal", category: "driving-instructors", city: "York" },
      { ...norwich, name: "Hill Primary", category: "schools" },
      { ...norwich, name: "Long Haul", category: "removals" },
      { name: "Skip Lightly", category: "waste-and-skip-hire", city: "York" },
      { name: "Heel", category: "dog-walkers", city: "York" },
      { ...norwich, name: "Playpen", category: "nurseries" },
    ];
    await using _ = await withMore(added);
    await expectInstead([
      ["bed and breakfast norwich", "bed breakfast", "Sea View"],
      ["norwich bed & breakfast", "bed breakfast", "Sea View"],
      ["sun beds norwich", "sun beds", "Sun Up"],
      ["dry cleaner norwich", "dry cleaner", "Press & Go"],
      ["norwich dry cleaners", "dry cleaners", "Press & Go"],
      ["dry cleaning norwich", "dry cleaning", "Press & Go"],
      ["driving school norwich", "driving school", "Mirror Signal"],
      ["cat food norwich", null, "Paws Here"],
      ["dog food leeds", "dog food", "Paws Here"],
      ["rubbish removal norwich", "rubbish removal", "Skip Lightly"],
      ["doggy daycare norwich", "doggy daycare", "Heel"],
      ["dog daycare norwich", "dog daycare", "Heel"],
    ]);
  });

  test("a name with its place is kept before a trade that is not that of the business", async () => {
    for (const [text, found, instead] of [
      ["wet walls hairdresser leeds", "Wet Walls Ltd", "wet walls leeds"],
      ["wet walls hairdresser ls1", "Wet Walls Ltd", "wet walls ls1"],
      ["happy haddock plumber nr1", "The Happy Haddock", "happy haddock norwich"],
      ["wet walls hairdresser", "Wet Walls Ltd", "wet walls"],
    ] as const) {
      const answer = await search(text);
      expect(answer.items.map(({ name }) => name)).toEqual([found]);
      expect(answer.instead).toBe(instead);
    }
  });

  test("a name is kept before all that is in the place, whichever comes first", async () => {
    await expectInstead([
      ["haddock leeds", "haddock", "The Happy Haddock"],
      ["leeds haddock", "haddock", "The Happy Haddock"],
      ["ls1 haddock", "haddock", "The Happy Haddock"],
      ["quokka leeds haddock", "haddock", "The Happy Haddock"],
    ]);
  });

  test("no search is relaxed to a number or a letter alone", async () => {
    expect((await search("9")).total).toBe(2);
    expect(await search("+9 1603 625000")).toEqual({ items: [], total: 0, instead: null });
    for (const text of ["quokka 37", "quokka m"]) {
      expect([text, (await search(text)).instead]).toEqual([text, null]);
    }
    expect((await search("m plumber")).instead).toBe("plumber");
    expect((await search("hairdresser 9 wiring")).instead).toBe("hairdresser 9");
  });

  test("no search is relaxed to words alone that many trades have, such as 'shop', but to those with their place", async () => {
    const nothing = { items: [], total: 0, instead: null };
    for (const text of ["xylophone shop", "quokka shops", "best xylophone repair service"]) {
      expect([text, await search(text)]).toEqual([text, nothing]);
    }
    const added = [
      { ...norwich, name: "Golf Course", category: "golf-courses" },
      { ...norwich, name: "Puppy Classes", category: "dog-walkers" },
      { ...norwich, name: "Flute Lessons", category: "music-lessons" },
      { ...norwich, name: "Fitted Tyres", category: "gift-shops" },
      { ...norwich, name: "Refrigeration Installation", category: "air-conditioning" },
    ];
    await using _ = await withMore(added);
    for (const text of [
      "cookery classes",
      "cookery course",
      "xylophone lessons",
      "fitted quokka",
      "quokka installation",
    ]) {
      expect([text, await search(text)]).toEqual([text, nothing]);
    }
    expect((await search("xylophone shop norwich")).instead).toBe("shop norwich");
    expect((await search("shop")).total).toBeGreaterThan(3);
    expect((await search("cheap shops open now")).instead).toBe("shops");
  });

  test("a search is relaxed to a word that many trades have and its place only when no other word is there", async () => {
    const added = [
      { ...norwich, name: "Hire a Hand", category: "handymen" },
      { ...norwich, name: "Cycle Path", category: "gift-shops" },
      { ...norwich, name: "Cycle Lanes", category: "gift-shops" },
    ];
    await using _ = await withMore(added);
    for (const [text, instead] of [
      ["cycle hire norwich", "cycle norwich"],
      ["norwich hire cycle", "cycle norwich"],
      ["quokka hire norwich", "hire norwich"],
      ["quokka hire", null],
    ] as const) {
      expect([text, (await search(text)).instead]).toEqual([text, instead]);
    }
  });

  test("the longest run of words that matches is searched for", async () => {
    expect(await names("emergency plumber leeds")).toEqual(["Wet Walls Ltd"]);
  });

  test("of equally long runs that with the fewest matches is searched for, whatever the order", async () => {
    const added = [
      { name: "Copper Kettle", category: "gift-shops" },
      { name: "Copper Beech", category: "gift-shops" },
      { name: "Finch & Co", category: "gift-shops" },
    ];
    await using _ = await withMore(added);
    for (const text of ["copper finch", "finch copper"]) {
      const { items, instead } = await search(text);
      expect([text, instead, items[0]?.name]).toEqual([text, "finch", "Finch & Co"]);
    }
    // As many for either.
    expect(await names("lamb wren")).toEqual(["Lamb & Co"]);
    expect(await names("wren lamb")).toEqual(["Wren & Daughters"]);
  });

  test("what may be a name is looked for in names, and only after trades anywhere else", async () => {
    const added = [
      { name: "The Vaults", category: "bars", shortDescription: "Small plates for any business." },
      { name: "Small Business Bank", category: "banks", city: "York" },
    ];
    await using _ = await withMore(added);
    for (const [text, instead] of [
      ["accountant small plates", "accountant"],
      ["small plates accountants", "accountants"],
      ["small plates xylophone", "small plates"],
      ["small business accountant", "small business"],
    ] as const) {
      expect([text, (await search(text)).instead]).toEqual([text, instead]);
    }
  });

  test("a short last word may be the beginning of one in a name, so that all who type find it", async () => {
    const added = [
      { ...norwich, name: "Kelp & Kin", category: "gift-shops", shortDescription: "Saffron." },
      { name: "Nowak Plumbing", category: "plumbers", city: "Leeds" },
    ];
    await using _ = await withMore(added);
    await expectInstead([
      ["saffron ga", null, "Saffron Garden"],
      ["saffron g", null, "Saffron Garden"],
      ["gar", null, "Saffron Garden"],
      ["wall to wa", null, "Wall to Wall"],
      ["kelp saf", "kelp", "Kelp & Kin"],
      ["drip lee", "drip", "Drip Stop"],
      ["nowak plumber lee", null, "Nowak Plumbing"],
      ["plumber leeds now", "plumber leeds", "Nowak Plumbing", "Wet Walls Ltd"],
      ["boots nr1 3h", "boots nr1", "Boots"],
      ["nr12 8b", "nr12", "Wensum Dispensing"],
      ["dispensing nr1", "dispensing norwich", "Wensum Dispensing"],
    ]);
  });

  test("a long text is searched by the first six of its words that are known", async () => {
    expect(await names("wet walls ltd of the plumber leeds qa qe qi qo qu")).toEqual([
      "Wet Walls Ltd",
    ]);
    expect((await search("qa qe qi qo qu boots qy")).instead).toBe("boots");
    expect((await search("qa qe qi qo qu qy boots")).instead).toBe("boots");
    expect((await search("qa qe qi qo qu qy boots york")).instead).toBe("boots");
    expect((await search("wet drip bean petal saffron garden")).instead).toBe("saffron garden");
    expect((await search("wet drip bean petal shear saffron garden")).instead).toBe("wet");
  });

  test("words after the tenth are ignored", async () => {
    expect((await search("plumber qa qe qi qo qu qy qz wz leeds")).instead).toBe("plumber leeds");
    expect((await search("plumber qa qe qi qo qu qy qz wz wq leeds")).instead).toBe("plumber");
  });

  test("nothing is found when no word is known", async () => {
    for (const text of ["xylophonist quokka", "open now", "9zz"]) {
      expect([text, await search(text)]).toEqual([text, { items: [], total: 0, instead: null }]);
    }
  });
});
