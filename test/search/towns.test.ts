import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { search, names, expectInstead, withMore } = await openDirectory();

describe("when nothing matches all words", () => {
  test("a town is kept, with and without its accents", async () => {
    await using _ = await withMore([
      { name: "Steady Drip", category: "plumbers", city: "Cwmbrân", postcode: "NP44 1AA" },
    ]);
    await expectInstead([
      ["cwmbran wiring plumber", "plumber cwmbran", "Steady Drip"],
      ["Cwmbrân wiring plumber", "plumber cwmbran", "Steady Drip"],
    ]);
  });

  test("a town is kept, whether people or the directory write it out", async () => {
    await using _ = await withMore([
      { name: "Steady Drip", category: "plumbers", city: "Gt Missenden", postcode: "HP16 0AA" },
      { name: "Holy Drip", category: "plumbers", city: "St Albans", postcode: "AL1 1AA" },
    ]);
    await expectInstead([
      ["gt missenden wiring plumber", "plumber gt missenden", "Steady Drip"],
      ["great missenden wiring plumber", "plumber great missenden", "Steady Drip"],
      ["saint albans wiring plumber", "plumber saint albans", "Holy Drip"],
    ]);
  });

  test("a trade in the name of a town is not what is wanted there", async () => {
    await using _ = await withMore([
      {
        name: "Crook's Pills",
        category: "pharmacies",
        city: "Church Crookham",
        postcode: "GU52 8AA",
      },
    ]);
    for (const text of ["hairdresser church crookham", "church crookham hairdresser"]) {
      expect([text, (await search(text)).instead]).toEqual([text, "hairdresser"]);
    }
    expect((await search("quokka church crookham")).instead).toBe("church crookham");
  });

  test("a county or a country after the town is no part of a name", async () => {
    await using _ = await withMore([
      { ...norwich, name: "The Norfolk Club", category: "pubs" },
      { ...norwich, name: "Boots UK Ltd", category: "other-food-shops", postcode: "NR3 4LE" },
      { ...norwich, name: "Drugs Direct", category: "pharmacies", postcode: "NR3 4LF" },
      { name: "Peg Tiles", category: "tile-shops", city: "Kent" },
      { name: "Kent Ales", category: "pubs", city: "Kent" },
      { name: "Isle of Wight Cider", category: "pubs", city: "Ryde" },
      { name: "The Crab", category: "pubs", city: "Ryde" },
      { name: "Tyne & Wear Ales", category: "pubs", city: "Gateshead" },
      { name: "The Angel", category: "pubs", city: "Gateshead" },
    ]);
    for (const [text, same] of [
      ["pub norwich norfolk", "pub norwich"],
      ["pub in Norwich, Norfolk, UK", "pub norwich"],
      ["chemist norwich uk", "chemist norwich"],
      ["pub ryde isle of wight", "pub ryde"],
      ["pub gateshead tyne & wear", "pub gateshead"],
    ] as const) {
      expect([text, ...(await names(text))]).toEqual([text, ...(await names(same))]);
      expect([text, (await search(text)).instead]).toEqual([text, null]);
    }
    expect((await names("boots uk norwich"))[0]).toBe("Boots UK Ltd");
    expect(await names("norfolk club norwich")).toEqual(["The Norfolk Club"]);
    expect(await names("norwich norfolk club")).toEqual(["The Norfolk Club"]);
    expect(await names("ales norwich kent")).toEqual(["Kent Ales"]);
  });

  test("a town with its county finds the town, whichever comes first", async () => {
    await using _ = await withMore([
      { name: "The Yorkshire Terrier", category: "pubs", city: "Wells" },
      { name: "The West Yorkshire", category: "pubs", city: "Wells" },
    ]);
    for (const text of ["leeds yorkshire", "yorkshire leeds", "leeds west yorkshire"]) {
      const { items, instead } = await search(text);
      expect([text, instead]).toEqual([text, "leeds"]);
      expect(items.length).toBeGreaterThan(1);
    }
    expect((await names("yorkshire")).sort()).toEqual([
      "The West Yorkshire",
      "The Yorkshire Terrier",
    ]);
  });

  test("the centre of a town is that town, whatever has 'city' in its name", async () => {
    const added = [
      { name: "City Spice", category: "indian-restaurants", city: "York" },
      { name: "Mint", category: "indian-restaurants", city: "York" },
      {
        name: "Tomato",
        category: "garden-centres",
        city: "Welwyn Garden City",
        postcode: "AL7 1AA",
      },
    ];
    await using _ = await withMore(added);
    await expectInstead([
      ["indian york city centre", "indian york", "City Spice", "Mint"],
      ["indian in york town center", "indian york", "City Spice", "Mint"],
      ["garden centre welwyn garden city", null, "Tomato"],
      ["garden centre al8", "garden centre welwyn garden city", "Tomato"],
      ["thatcher welwyn garden city", "welwyn garden city", "Tomato"],
      ["thatcher welwyn garden city centre", "welwyn garden city", "Tomato"],
    ]);
  });

  test("'street' after another word is a street wherever that is, and otherwise the town", async () => {
    await using _ = await withMore([
      { ...norwich, name: "Call Plumbing", category: "plumbers", addressLine1: "9 Call Street" },
      { ...norwich, name: "Call Roofing", category: "roofers", addressLine1: "8 Call Street" },
      { name: "Tor Taps", category: "plumbers", city: "Street", postcode: "BA16 0AA" },
    ]);
    for (const [text, found, instead] of [
      ["leeds king street plumber", "Wet Walls Ltd", "plumber leeds"],
      ["ls1 king street plumber", "Wet Walls Ltd", "plumber ls1"],
      ["norwich king street plumber", "Call Plumbing", "plumber norwich"],
      ["roofer king street", "Slate Mates", "roofer"],
      ["street king plumber", "Tor Taps", "plumber street"],
      ["king plumber street ba16", "Tor Taps", "plumber street ba16"],
      ["roofer street ba16", "Call Roofing", "roofer street"],
      ["king roofer street ba16", "Call Roofing", "roofer street"],
    ] as const) {
      const answer = await search(text);
      expect([text, answer.items[0]?.name, answer.instead]).toEqual([text, found, instead]);
    }
    expect((await names("plumber in street, somerset"))[0]).toBe("Tor Taps");
  });

  test("whoever names a trade, a street and a town wants the trade in the town", async () => {
    const leeds = { city: "Leeds", category: "gift-shops" };
    const plumbers = ["Drip Stop", "Quick Drip", "Rising Main", "Wall to Wall", "Wet Walls Ltd"];
    await using _ = await withMore([
      { ...leeds, name: "King Street Gifts", addressLine1: "3 King Street" },
      { ...leeds, name: "Wax", addressLine1: "4 Old Kent Road" },
      { ...leeds, name: "Wick", addressLine1: "5 Church Street" },
      { ...leeds, name: "Bow", addressLine1: "Retail Park", addressLine2: "Quay" },
      { name: "Rising Main", category: "plumbers", city: "Leeds", addressLine1: "1 Ring Road" },
      { name: "Quick Drip", category: "plumbers", city: "Bath" },
      { ...norwich, name: "Wrap", category: "mobile-caterers", shortDescription: "Street food." },
    ]);
    await expectInstead([
      ["leeds king street plumber", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber old kent road leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["church street plumber leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber church street leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber new road leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber near the retail park leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["york leeds road plumber", "plumber york", "Drip Stop"],
      ["king street plumber", "plumber", ...plumbers],
      ["plumber the crescent leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["leeds plumber in the square", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["tree surgeon the parade norwich", "tree surgeon norwich", "Bough Down"],
      ["best street food norwich", "street food norwich", "Wrap"],
      ["quokka street food norwich", "street food norwich", "Wrap"],
      ["gifts king street leeds", null, "King Street Gifts"],
      ["king street quokka leeds", "king street leeds", "King Street Gifts"],
    ]);
  });
});

describe("searches with the name of a town", () => {
  test("a town with two names is found by either, and not one that is spelled alike", async () => {
    const added = [
      { name: "Wall Drip", category: "plumbers", city: "Londonderry" },
      { name: "Ram Drip", category: "plumbers", city: "Derby" },
    ];
    await using _ = await withMore(added);
    expect(await names("plumber derry")).toEqual(["Wall Drip"]);
    await using _more = await withMore([
      { name: "Quay Drip", category: "plumbers", city: "Derry" },
    ]);
    for (const text of ["plumber derry", "derry plumber", "londonderry plumbers"]) {
      expect([text, (await names(text)).sort()]).toEqual([text, ["Quay Drip", "Wall Drip"]]);
    }
    expect(await names("plumber derby")).toEqual(["Ram Drip"]);
  });

  test("a town that the directory has in two spellings is found by either in both", async () => {
    await using _ = await withMore([
      { name: "Holy Drip", category: "plumbers", city: "St Albans" },
      { name: "Pious Drip", category: "plumbers", city: "Saint Albans" },
    ]);
    for (const text of ["plumber st albans", "saint albans plumber"]) {
      expect([text, (await names(text)).sort()]).toEqual([text, ["Holy Drip", "Pious Drip"]]);
    }
  });

  test("a town in Wales is found by its English and its Welsh name", async () => {
    const towns = {
      Cardiff: ["cardiff", "caerdydd", "Caerdydd / Cardiff"],
      "Castell-nedd": ["neath", "castell nedd", "Castell-Nedd"],
      Bridgend: ["bridgend", "Pen-y-bont", "penybont ar ogwr", "Pen-y-bont ar Ogwr"],
      Pontypool: ["pontypool", "Pont-y-pŵl", "pont y pwl"],
      "Hay-on-Wye": ["hay on wye", "y gelli"],
      Barry: ["barry", "y barri", "barri"],
      Tenby: ["tenby", "dinbych y pysgod"],
      Dinbych: ["denbigh", "dinbych"],
    };
    const added = Object.keys(towns).map((city) => ({
      name: `Drip of ${city}`,
      category: "plumbers",
      city,
    }));
    await using _ = await withMore(added);
    for (const [city, texts] of Object.entries(towns)) {
      for (const text of texts) {
        expect([text, await names(`plumber ${text}`)]).toEqual([text, [`Drip of ${city}`]]);
        expect([text, await names(`${text} plumbers`)]).toEqual([text, [`Drip of ${city}`]]);
      }
    }
  });

  test("by its other name, too, a town is the place in which fewer of the words are looked for", async () => {
    await using _ = await withMore([{ name: "Drip", category: "plumbers", city: "Cardiff" }]);
    for (const text of ["plumber cowbridge road caerdydd", "plumber caerdydd wales"]) {
      expect([text, await names(text)]).toEqual([text, ["Drip"]]);
    }
  });

  test("a town that is spelled right is no other, however alike or longer", async () => {
    const added = [
      { name: "Quick Drip", category: "plumbers", city: "Boston" },
      { name: "Slow Drip", category: "plumbers", city: "Bolton" },
      {
        name: "Wet Drip",
        category: "plumbers",
        city: "Bostonville",
        addressLine1: "1 Boston Road",
      },
      { name: "Dry Drip", category: "plumbers", city: "Bostonville" },
      { name: "Bread & Butter", category: "sandwich-shops", city: "Sandwich" },
      { name: "Baps", category: "sandwich-shops", city: "Boston" },
    ];
    await using _ = await withMore(added);
    for (const text of ["plumber boston", "boston plumber", "plumbers in boston"]) {
      expect([text, (await names(text)).sort()]).toEqual([text, ["Quick Drip", "Wet Drip"]]);
    }
    // Errors in a town are forgiven as long as that is no town.
    expect(await names("plumber bostan")).toContain("Quick Drip");
    expect(await search("bostonville drip boston")).toMatchObject({ total: 1, instead: null });
    // Sandwich is a town as well.
    expect((await names("sandwiches boston"))[0]).toBe("Baps");
    expect((await search("sandwich")).total).toBe(2);
  });

  test("a town with several names is no other, either, unless the directory has two of them", async () => {
    const added = [
      { name: "Quick Drip", category: "plumbers", city: "Newtown", postcode: "SY16 1AA" },
      { name: "Slow Drip", category: "plumbers", city: "Newton" },
      { name: "Wet Drip", category: "plumbers", city: "Newtownabbey" },
      { name: "Dry Drip", category: "plumbers", city: "Mountain Ash" },
      {
        name: "Ash Drip",
        category: "plumbers",
        city: "Newtownabbey",
        addressLine1: "1 Mountain Road",
      },
    ];
    await using _ = await withMore(added);
    for (const text of ["plumber newtown", "newtown plumber", "plumber y drenewydd"]) {
      expect([text, await names(text)]).toEqual([text, ["Quick Drip"]]);
    }
    expect(await names("plumber mountain ash")).toEqual(["Dry Drip"]);
    await using _both = await withMore([
      { name: "Welsh Drip", category: "plumbers", city: "Y Drenewydd" },
      { name: "Bloom", category: "florists", city: "Y Drenewydd" },
    ]);
    for (const text of ["plumber newtown", "y drenewydd plumber"]) {
      expect(await names(text)).toContain("Quick Drip");
      expect(await names(text)).toContain("Welsh Drip");
    }
    // The town of a district, too.
    expect(await names("florist sy16")).toEqual(["Bloom"]);
  });

  test("a town that is spelled right is a word as well, where it may be short, half of another or beside the town of a filter", async () => {
    const added = [
      { name: "Chisel", category: "bricklayers", city: "Stone" },
      { name: "Wheels", category: "car-dealers", city: "Sale" },
      { name: "Property Sales", category: "gift-shops", city: "York" },
      { name: "Tonic", category: "pharmacies", city: "Manchester" },
      { name: "Elixir", category: "pharmacies", city: "Chester" },
      { name: "Chesterfields", category: "gift-shops", city: "Manchester" },
    ];
    await using _ = await withMore(added);
    expect(await names("car sale")).toContain("Wheels");
    expect(await search("property sale")).toMatchObject({ total: 1, instead: null });
    expect(await names("stone mason")).toEqual(["Chisel"]);
    expect(await names("pharmacy man chester")).toEqual(["Tonic"]);
    expect(await names("pharmacy chester")).toEqual(["Elixir"]);
    expect(await names("chester")).toEqual(["Elixir"]);
    expect((await search("chester", { city: "manchester" })).items[0]?.name).toBe("Chesterfields");
  });

  test("a town ranks before longer names that begin with its own", async () => {
    const added = [
      { name: "Slow Drip", category: "plumbers", city: "Bradford", rating: 2 },
      { name: "Quick Drip", category: "plumbers", city: "Bradford on Avon", rating: 5 },
      { name: "Pill Hill", category: "pharmacies", city: "Bradford", rating: 2 },
      { name: "Avon Tonic", category: "pharmacies", city: "Bradford on Avon", rating: 5 },
    ];
    await using _ = await withMore(added);
    for (const text of ["plumber in bradford", "plumbers bradford", "bradford plumber"]) {
      expect([text, ...(await names(text))]).toEqual([text, "Slow Drip", "Quick Drip"]);
    }
    for (const text of ["pharmacy in bradford", "chemists bradford", "chemist in bradford"]) {
      expect([text, ...(await names(text))]).toEqual([text, "Pill Hill", "Avon Tonic"]);
    }
    expect(await names("plumber in bradford on avon")).toEqual(["Quick Drip"]);
    expect(await names("pharmacies bradford on avon")).toEqual(["Avon Tonic"]);
  });

  test("a whole name in its town ranks before longer names, and before towns with longer ones", async () => {
    const added = [
      { name: "Boots", category: "pharmacies", city: "Bradford", rating: 2 },
      { name: "Boots", category: "pharmacies", city: "Bradford on Avon", rating: 5 },
      { name: "Boots & Saddles", category: "saddlers", city: "Bradford", rating: 4 },
    ];
    await using _ = await withMore(added);
    for (const text of ["boots in bradford", "bradford boots"]) {
      const { items } = await search(text);
      const [first, ...others] = items.map(({ rating }) => rating);
      expect([text, first, others.toSorted()]).toEqual([text, 2, [4, 5]]);
    }
  });
});
