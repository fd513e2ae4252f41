import { afterAll, describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { until } from "../../scripts/stack/waiting.ts";
import { batchQueries } from "../../src/search/batching.ts";
import { createSearch, type Found, SearchUnavailable } from "../../src/search/query.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { mayBeUnfinished, searchWords, singular } from "../../src/search/words.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { addBusiness, type BusinessFixture } from "../fixtures.ts";
import { createDatabase, stores, uniqueIndex } from "../support.ts";
import { proxyMeilisearch } from "./proxy.ts";

const { meili, index } = uniqueIndex();

const norwich = { city: "Norwich", addressLine1: "4 Wensum Lane", postcode: "NR3 1AB" };
const businesses: Partial<BusinessFixture>[] = [
  { name: "Wet Walls Ltd", category: "plumbers", city: "Leeds" },
  { name: "Drip Stop", category: "plumbers", city: "York", postcode: "YO1 7AA" },
  { name: "Wall to Wall", category: "plumbers", city: "Stoke-on-Trent", postcode: "ST1 1AA" },
  { name: "Leeds Lamps", category: "gift-shops", city: "Leeds" },
  { ...norwich, name: "Boots", category: "pharmacies", postcode: "NR1 3HP" },
  { ...norwich, name: "Boots", category: "pharmacies", city: "Leeds", postcode: "LS1 6HD" },
  { ...norwich, name: "Wensum Dispensing", category: "pharmacies", postcode: "NR12 8AA" },
  { ...norwich, name: "Bean There", category: "coffee-shops" },
  {
    ...norwich,
    name: "Clip Joint",
    category: "hairdressers",
    addressLine1: "9 Magdalen Street",
    addressLine2: "Elm Court",
  },
  { ...norwich, name: "Shear Bliss", category: "hairdressers", addressLine1: "9 Ber Street" },
  { ...norwich, name: "The Happy Haddock", category: "fish-and-chips" },
  { ...norwich, name: "B&Q", category: "diy-shops" },
  { ...norwich, name: "O'Malley's", category: "pubs" },
  { ...norwich, name: "St Bride's", category: "places-of-worship" },
  { ...norwich, name: "Saffron Garden", category: "indian-restaurants" },
  { ...norwich, name: "Petal & Stem", category: "florists" },
  { ...norwich, name: "Barclay Books", category: "bookshops" },
  { ...norwich, name: "Cooper Toys", category: "toy-shops" },
  { ...norwich, name: "Co-op Foodstore", category: "convenience-stores" },
  { ...norwich, name: "Nine Bar", category: "bars" },
  { ...norwich, name: "O2", category: "mobile-phone-shops" },
  { ...norwich, name: "Mały Łoś", category: "world-food-shops" },
  { ...norwich, name: "KFC", category: "burger-bars" },
  { ...norwich, name: "Marks & Spencer", category: "department-stores" },
  { ...norwich, name: "M. Hall", category: "hardware-shops" },
  { ...norwich, name: "The Flower Box", category: "gift-shops" },
  { name: "Best Foot Forward", category: "shoe-shops", city: "York", postcode: "YO1 9BB" },
  {
    name: "Lamb & Co",
    category: "accountants",
    city: "York",
    addressLine1: "37 Micklegate",
    postcode: "YO24 1AA",
  },
  { name: "Wren & Daughters", category: "solicitors", city: "London", postcode: "EC1A 1BB" },
  {
    name: "Sea View",
    category: "bed-and-breakfasts",
    city: "Great Yarmouth",
    postcode: "NR30 1AA",
  },
  { name: "Needles Audit", category: "accountants", city: "Yarmouth", postcode: "PO41 0AA" },
  // The address is wrong.
  { name: "Lost Ledgers", category: "accountants", city: "London", postcode: "YO1 1AA" },
  { ...norwich, name: "Fresh Coats", category: "painters-and-decorators" },
  { ...norwich, name: "Slate Mates", category: "roofers" },
  { ...norwich, name: "Bough Down", category: "tree-surgeons" },
  { ...norwich, name: "Key Largo", category: "locksmiths" },
  { ...norwich, name: "Amp Stand", category: "ev-charging" },
  { ...norwich, name: "Paws Here", category: "pet-shops" },
  { ...norwich, name: "Nib Supplies", category: "stationers", status: "pending" },
  // Alike in all that is text.
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-2",
    rating: 3,
    reviewCount: 9,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-3",
    rating: 3,
    reviewCount: 2,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-0",
    rating: 1,
    isPremium: true,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-1",
    rating: 4,
    reviewCount: 1,
  },
];

const database = await createDatabase();
for (const business of businesses) await addBusiness(database.sql, business);
await syncSearch({ sql: database.sql, meili, index });

afterAll(async () => {
  await meili.deleteIndexIfExists(index);
  await database.drop();
});

const search = (
  text: string,
  more: { limit?: number; offset?: number; city?: string; category?: string } = {},
) => createSearch({ sql: database.sql, meili, index })({ text, limit: 20, ...more });

async function names(text: string): Promise<string[]> {
  return (await search(text)).items.map((item) => item.name);
}

/** Each text finds the business of that name, and nothing else. */
async function expectEach(pairs: readonly (readonly [text: string, name: string])[]) {
  for (const [text, name] of pairs) expect([text, ...(await names(text))]).toEqual([text, name]);
}

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

  test("an exact word ranks before one that differs by a letter", async () => {
    const { items } = await search("boots norwich");
    expect(items.map((item) => item.name)).toEqual(["Boots", "Barclay Books"]);
  });

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

  test("'store' does not match 'street', which 'stree' does", async () => {
    expect(await names("norwich stree")).toContain("Clip Joint");
    expect(await names("norwich store")).not.toContain("Clip Joint");
  });

  test("a trade is found by what it does or offers", async () => {
    const added = [
      { ...norwich, name: "Broom & Bloom", category: "cleaners" },
      { ...norwich, name: "Clear Flow", category: "drainage-contractors" },
      { ...norwich, name: "Hive Off", category: "pest-control" },
      { ...norwich, name: "Doily", category: "tea-rooms" },
      { ...norwich, name: "The Keep", category: "museums" },
      { ...norwich, name: "Home Farm House", category: "gift-shops" },
      { ...norwich, name: "Ashdown", category: "care-homes" },
      { ...norwich, name: "Ink Well", category: "printers" },
      { ...norwich, name: "Spirit Level", category: "surveyors" },
      { ...norwich, name: "High Poles", category: "scaffolders" },
      { name: "Ledger & Brace", category: "scaffolders", city: "York" },
      { ...norwich, name: "Elevation", category: "architects" },
      { ...norwich, name: "Brine", category: "delicatessens" },
      { ...norwich, name: "The Corner Deli", category: "cafes" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["house cleaning norwich", "Broom & Bloom"],
      ["end of tenancy cleaning norwich", "Broom & Bloom"],
      ["blocked drain norwich", "Clear Flow"],
      ["wasp nest removal norwich", "Hive Off"],
      ["afternoon tea norwich", "Doily"],
      ["things to do in norwich", "The Keep"],
      ["nursing home norwich", "Ashdown"],
      ["printing norwich", "Ink Well"],
      ["surveying norwich", "Spirit Level"],
      ["scaffolding norwich", "High Poles"],
      ["scaffold hire norwich", "High Poles"],
      ["architecture norwich", "Elevation"],
    ]);
    expect(await names("places to eat norwich")).toContain("Saffron Garden");
    expect((await names("deli norwich")).toSorted()).toEqual(["Brine", "The Corner Deli"]);
  });

  test("a trade is found by what people ask for, and not what merely sounds like it", async () => {
    const added = [
      { ...norwich, name: "Kind Hands", category: "home-care" },
      { ...norwich, name: "Brick Lane", category: "builders-merchants" },
      { ...norwich, name: "Spanner", category: "plumbers" },
      { ...norwich, name: "Quill", category: "solicitors" },
      { ...norwich, name: "Cover Story", category: "insurance-brokers" },
      { ...norwich, name: "Wheels", category: "car-and-van-hire" },
      { ...norwich, name: "Knock Out", category: "body-shops" },
      { ...norwich, name: "Heave Ho", category: "removals" },
      { ...norwich, name: "Glow", category: "beauty-salons" },
      { ...norwich, name: "Falcon Trading", category: "manufacturers" },
      { ...norwich, name: "Wing It", category: "takeaways" },
      { ...norwich, name: "The Friendly Bike", category: "bicycle-shops" },
      { ...norwich, name: "Press On", category: "dry-cleaners" },
      { ...norwich, name: "Turntable", category: "djs-and-bands" },
      { ...norwich, name: "Load Off", category: "waste-and-skip-hire" },
      { ...norwich, name: "The Dog House", category: "kennels-and-catteries" },
      { ...norwich, name: "Surrey Street", category: "stations-and-airports" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["carers norwich", "Kind Hands"],
      ["home help norwich", "Kind Hands"],
      ["plumbers merchants norwich", "Brick Lane"],
      ["guttering norwich", "Slate Mates"],
      ["will writing norwich", "Quill"],
      ["car insurance norwich", "Cover Story"],
      ["dent removal norwich", "Knock Out"],
      ["eyebrow threading norwich", "Glow"],
      ["botox norwich", "Glow"],
      ["fried chicken norwich", "Wing It"],
      ["chicken shop norwich", "Wing It"],
      ["blow dry magdalen street", "Clip Joint"],
      ["hair extensions magdalen street", "Clip Joint"],
      ["mobile disco norwich", "Turntable"],
      ["house clearance norwich", "Load Off"],
      ["dog boarding norwich", "The Dog House"],
      ["bus station norwich", "Surrey Street"],
    ]);
  });

  test("a trade is found by other names for what is done, bought or eaten there", async () => {
    const added = [
      { ...norwich, name: "Dot Matrix", category: "web-designers" },
      { ...norwich, name: "Room Service", category: "interior-designers" },
      { ...norwich, name: "Second Seat", category: "upholsterers" },
      { ...norwich, name: "Three Balls", category: "pawnbrokers" },
      { ...norwich, name: "Sun Up", category: "tanning-salons" },
      { ...norwich, name: "Bytes", category: "computer-repairs" },
      { ...norwich, name: "Far Away", category: "travel-agents" },
      { ...norwich, name: "Last Leg", category: "care-homes" },
      { ...norwich, name: "Arch", category: "chiropodists" },
      { ...norwich, name: "Crook General", category: "hospitals" },
      { ...norwich, name: "Hark", category: "hearing-centres" },
      { ...norwich, name: "Spit & Salad", category: "kebab-shops" },
      { ...norwich, name: "Umami", category: "japanese-restaurants" },
      { ...norwich, name: "Six Strings", category: "musical-instruments" },
      { ...norwich, name: "Bodkin", category: "haberdashers" },
      { ...norwich, name: "White Lily", category: "bridal-shops" },
      { ...norwich, name: "Carat", category: "jewellers" },
      { ...norwich, name: "Threads", category: "clothes-shops" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["web design norwich", "Dot Matrix"],
      ["interior design norwich", "Room Service"],
      ["upholstery norwich", "Second Seat"],
      ["pawn shop norwich", "Three Balls"],
      ["sunbeds norwich", "Sun Up"],
      ["laptop repair norwich", "Bytes"],
      ["travel agency norwich", "Far Away"],
      ["old people's home norwich", "Last Leg"],
      ["foot clinic norwich", "Arch"],
      ["A&E norwich", "Crook General"],
      ["walk-in centre norwich", "Crook General"],
      ["ear wax removal norwich", "Hark"],
      ["doner kebab norwich", "Spit & Salad"],
      ["ramen norwich", "Umami"],
      ["balti norwich", "Saffron Garden"],
      ["music shop norwich", "Six Strings"],
      ["sewing norwich", "Bodkin"],
      ["engagement rings norwich", "Carat"],
      ["wedding rings norwich", "Carat"],
      ["clothing norwich", "Threads"],
      ["toys norwich", "Cooper Toys"],
      ["cooperative norwich", "Co-op Foodstore"],
    ]);
    expect((await names("hair norwich")).toSorted()).toEqual(["Clip Joint", "Shear Bliss"]);
    // Its branch is of pubs as well as bars.
    const [first] = await names("wine bar norwich");
    expect(first).toBe("Nine Bar");
  });

  test("a trade is found by more of what is done, bought or mended there", async () => {
    const added = [
      { ...norwich, name: "Glow", category: "beauty-salons" },
      { ...norwich, name: "Sun Up", category: "tanning-salons" },
      { ...norwich, name: "Quill", category: "solicitors" },
      { ...norwich, name: "Stub", category: "newsagents" },
      { ...norwich, name: "Grease Monkey", category: "garages" },
      { ...norwich, name: "Carat", category: "jewellers" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["eyelash extensions norwich", "Glow"],
      ["spray tan norwich", "Sun Up"],
      ["will writers norwich", "Quill"],
      ["cigarettes norwich", "Stub"],
      ["windscreen repair norwich", "Grease Monkey"],
      ["watches norwich", "Carat"],
    ]);
  });

  test("a trade is found by its meals, jabs and wares", async () => {
    const added = [
      { ...norwich, name: "The Long Table", category: "restaurants" },
      { ...norwich, name: "Wee Wardrobe", category: "childrenswear" },
      { ...norwich, name: "Risky Biscuits Kids", category: "food-producers" },
      { ...norwich, name: "First Coat", category: "paint-and-wallpaper" },
      { ...norwich, name: "Say Cheese", category: "photographers" },
      { ...norwich, name: "Penny Black", category: "post-offices" },
      { ...norwich, name: "Sampson Gifts", category: "gift-shops" },
      { ...norwich, name: "Cut with Love", category: "gift-shops" },
      { ...norwich, name: "Carat", category: "jewellers" },
      { ...norwich, name: "Iris", category: "opticians" },
    ];
    await using _ = await withMore(added);
    const pharmacies = ["Boots", "Wensum Dispensing"];
    for (const [text, ...found] of [
      // The branch of the bar is of pubs as well.
      ["lunch norwich", "Bean There", "Nine Bar", "O'Malley's", "Saffron Garden", "The Long Table"],
      ["dinner norwich", "Nine Bar", "O'Malley's", "Saffron Garden", "The Long Table"],
      ["real ale norwich", "Nine Bar", "O'Malley's"],
      ["kids clothes norwich", "Wee Wardrobe"],
      ["children's clothes norwich", "Wee Wardrobe"],
      ["baby clothes norwich", "Wee Wardrobe"],
      ["paint shop norwich", "First Coat"],
      ["passport photos norwich", "Say Cheese"],
      ["stamps norwich", "Penny Black"],
      ["keys cut norwich", "Key Largo"],
      ["necklaces norwich", "Carat"],
      ["contact lenses norwich", "Iris"],
      ["flu jab norwich", ...pharmacies],
      ["covid vaccine norwich", ...pharmacies],
      ["groceries norwich", "Co-op Foodstore"],
    ] as const) {
      expect([text, ...(await names(text)).toSorted()]).toEqual([text, ...found]);
    }
  });

  test("a trade is found by more of what is worn, eaten, driven, rented or played with", async () => {
    const added = [
      { ...norwich, name: "Spokes", category: "bicycle-shops" },
      { ...norwich, name: "Hark", category: "hearing-centres" },
      { ...norwich, name: "Warm Front", category: "heating-engineers" },
      { ...norwich, name: "Molar Bear", category: "dentists" },
      { ...norwich, name: "Glow", category: "beauty-salons" },
      { ...norwich, name: "Strike", category: "bowling-alleys" },
      { ...norwich, name: "Ten Green Bottles", category: "gift-shops" },
      { ...norwich, name: "Crumb", category: "bakeries" },
      { ...norwich, name: "Skate", category: "fishmongers" },
      { ...norwich, name: "Brine", category: "delicatessens" },
      { ...norwich, name: "Say Cheese", category: "photographers" },
      { ...norwich, name: "Sprout", category: "greengrocers" },
      { ...norwich, name: "Twice", category: "second-hand-shops" },
      { ...norwich, name: "Recline", category: "furniture-shops" },
      { ...norwich, name: "Nod", category: "bed-shops" },
      { ...norwich, name: "Keystone", category: "estate-agents" },
      { ...norwich, name: "Tenancy", category: "letting-agents" },
      { ...norwich, name: "Spark", category: "electricians" },
      { ...norwich, name: "Chisel", category: "bricklayers" },
      { ...norwich, name: "Spare", category: "car-parts" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["bike repair norwich", "Spokes"],
      ["bycicle shop norwich", "Spokes"],
      ["hearing test norwich", "Hark"],
      ["dentures norwich", "Molar Bear"],
      ["hygienist norwich", "Molar Bear"],
      ["lashes norwich", "Glow"],
      ["ten pin bowling norwich", "Strike"],
      ["cornish pasties norwich", "Crumb"],
      ["fresh fish norwich", "Skate"],
      ["fruit norwich", "Sprout"],
      ["vegetables norwich", "Sprout"],
      ["mattresses norwich", "Nod"],
      ["houses for sale norwich", "Keystone"],
      ["pat testing norwich", "Spark"],
      ["headstones norwich", "Chisel"],
      ["car battery norwich", "Spare"],
      ["lego norwich", "Cooper Toys"],
      ["brunch norwich", "Bean There"],
      ["sofas norwich", "Recline"],
    ]);
    expect(await names("cheese norwich")).toEqual(["Say Cheese", "Brine"]);
    expect((await names("second hand furniture norwich")).toSorted()).toEqual(["Recline", "Twice"]);
    expect((await names("flats to rent norwich")).toSorted()).toEqual(["Keystone", "Tenancy"]);
    for (const text of ["sunday lunch norwich", "sunday roast norwich", "carvery norwich"]) {
      expect([text, ...(await names(text))]).toContain("O'Malley's");
    }
    expect((await search("sofa shaped dentist norwich")).instead).toBe("dentist norwich");
  });

  test("doughnuts are found by either spelling, in the singular and plural, and no donations", async () => {
    await using _ = await withMore([
      { ...norwich, name: "Dough to Go", category: "bakeries", shortDescription: "Doughnuts" },
      { ...norwich, name: "Glazed Donuts", category: "bakeries" },
      { ...norwich, name: "Spare", category: "charity-shops", shortDescription: "Donations" },
    ]);
    for (const text of ["donut", "donuts", "doughnut", "doughnuts"]) {
      const found = (await names(`${text} norwich`)).sort();
      expect([text, ...found]).toEqual([text, "Dough to Go", "Glazed Donuts"]);
    }
  });

  test("a trade is found by what is taught, fitted, cut, minded, removed or stored there", async () => {
    const added = [
      { ...norwich, name: "On Points", category: "dance-schools" },
      {
        ...norwich,
        name: "Mow Town",
        category: "gardeners",
        shortDescription: "Lawns and fencing.",
      },
      { ...norwich, name: "Warm Front", category: "heating-engineers" },
      { ...norwich, name: "Worktop", category: "kitchens-and-bathrooms" },
      { ...norwich, name: "Nan's Kitchen", category: "restaurants" },
      { ...norwich, name: "Sowerby's", category: "computer-shops" },
      { ...norwich, name: "Full House", category: "self-storage" },
      { ...norwich, name: "Crumb", category: "bakeries" },
      { ...norwich, name: "Birthday Surprise", category: "card-shops" },
      { ...norwich, name: "Glow", category: "beauty-salons" },
      { ...norwich, name: "Heave Ho", category: "removals" },
      { ...norwich, name: "Threads", category: "clothes-shops" },
      { ...norwich, name: "Working Men's Club", category: "social-clubs" },
      { ...norwich, name: "Walkies", category: "dog-walkers" },
      { ...norwich, name: "Spark", category: "electricians" },
      { ...norwich, name: "Aperture", category: "camera-shops" },
      { ...norwich, name: "Three Balls", category: "pawnbrokers" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["dance classes norwich", "On Points"],
      ["grass cutting norwich", "Mow Town"],
      ["lawn mowing norwich", "Mow Town"],
      ["fence panels norwich", "Mow Town"],
      ["boiler installation norwich", "Warm Front"],
      ["new boiler norwich", "Warm Front"],
      ["fitted kitchens norwich", "Worktop"],
      ["kitchen fitters norwich", "Worktop"],
      ["electric showers norwich", "Worktop"],
      ["storage units norwich", "Full House"],
      ["birthday cakes norwich", "Crumb"],
      ["tattoo removal norwich", "Glow"],
      ["mens clothes norwich", "Threads"],
      ["women's clothes norwich", "Threads"],
      ["dog sitter norwich", "Walkies"],
      ["pet sitters norwich", "Walkies"],
      ["pet sitting norwich", "Walkies"],
      ["fuse box norwich", "Spark"],
      ["photo shop norwich", "Aperture"],
      ["cash for gold norwich", "Three Balls"],
    ]);
  });

  test("a trade of a town is found by what is wrong or wanted, though no business there says so", async () => {
    const added = [
      { ...norwich, name: "Mow Town", category: "gardeners" },
      { ...norwich, name: "Bevel", category: "windows-and-doors" },
      { ...norwich, name: "Two Storeys", category: "builders" },
      { ...norwich, name: "Heave Ho", category: "removals" },
      { ...norwich, name: "Chisel", category: "joiners-and-carpenters" },
      { ...norwich, name: "Siren", category: "alarms-and-security" },
      { ...norwich, name: "Grease Monkey", category: "garages" },
      { ...norwich, name: "Double Entry", category: "accountants" },
      { ...norwich, name: "Nest Egg", category: "financial-advisers" },
      { ...norwich, name: "Keystone", category: "estate-agents" },
      { ...norwich, name: "Glow", category: "beauty-salons" },
      { ...norwich, name: "On Points", category: "dance-schools" },
      { ...norwich, name: "Nod", category: "bed-shops" },
      { ...norwich, name: "Underfoot", category: "carpets-and-flooring" },
      { ...norwich, name: "Hot Wax", category: "record-shops", shortDescription: "Vinyl." },
      { ...norwich, name: "Spark", category: "electricians" },
      { ...norwich, name: "Sump", category: "drainage-contractors" },
      { ...norwich, name: "Spanner", category: "plumbers" },
      { ...norwich, name: "Jack of All", category: "handymen" },
      { ...norwich, name: "Bytes", category: "computer-repairs" },
      { ...norwich, name: "Hob Nob", category: "appliance-repairs" },
      // With words of what is wanted, but of another trade.
      { ...norwich, name: "Squeegee", category: "window-cleaners" },
      { ...norwich, name: "Broken Tiles", category: "tile-shops" },
      { ...norwich, name: "Advice Bureau", category: "charities" },
      { ...norwich, name: "Property Matters", category: "surveyors" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["hedge cutting norwich", "Mow Town"],
      ["garden services norwich", "Mow Town"],
      ["broken window norwich", "Bevel"],
      ["loft conversions norwich", "Two Storeys"],
      ["house extension norwich", "Two Storeys"],
      ["building company norwich", "Two Storeys"],
      ["moving company norwich", "Heave Ho"],
      ["stump removal norwich", "Bough Down"],
      ["fitted wardrobes norwich", "Chisel"],
      ["cctv installation norwich", "Siren"],
      ["car service norwich", "Grease Monkey"],
      ["brakes norwich", "Grease Monkey"],
      ["payroll norwich", "Double Entry"],
      ["pension advice norwich", "Nest Egg"],
      ["property for sale norwich", "Keystone"],
      ["waxing norwich", "Glow"],
      ["facial norwich", "Glow"],
      ["manicure norwich", "Glow"],
      ["pedicure norwich", "Glow"],
      ["ballroom dancing norwich", "On Points"],
      ["ballet norwich", "On Points"],
      ["beds norwich", "Nod"],
      ["vinyl flooring norwich", "Underfoot"],
      ["house rewire norwich", "Spark"],
      ["drain cleaning norwich", "Sump"],
      ["drain unblocking norwich", "Sump"],
      ["blocked toilet norwich", "Spanner"],
      ["burst pipe norwich", "Spanner"],
      ["odd jobs norwich", "Jack of All"],
      ["pc repair norwich", "Bytes"],
      ["oven repair norwich", "Hob Nob"],
      ["fridge repair norwich", "Hob Nob"],
      ["breakfast norwich", "Bean There"],
      ["screen repair norwich", "O2"],
    ]);
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

  test("a chain's nickname finds it, and its own name still finds similar ones", async () => {
    const added = [
      { ...norwich, name: "McDonald's", category: "burger-bars" },
      { ...norwich, name: "MacDonald & Sons", category: "opticians" },
    ];
    await using _ = await withMore(added);
    expect(await names("maccies norwich")).toEqual(["McDonald's"]);
    expect(await names("mcdonald optician norwich")).toEqual(["MacDonald & Sons"]);
  });

  test("'food' also finds places to eat", async () => {
    expect(await names("food norwich")).toContain("Saffron Garden");
  });

  test("a trade is found by what is to be done, and what is looked for by its kind", async () => {
    const added = [
      { ...norwich, name: "Molar Bear", category: "dentists" },
      { ...norwich, name: "Grease Monkey", category: "garages" },
      { ...norwich, name: "Cedar House", category: "gp-surgeries" },
      { ...norwich, name: "Mirror Signal", category: "driving-instructors" },
      { ...norwich, name: "Keystone", category: "estate-agents" },
      { ...norwich, name: "Broom & Bloom", category: "cleaners" },
      { ...norwich, name: "Embers", category: "fuel-merchants" },
      { ...norwich, name: "Sundae", category: "dessert-parlours" },
      { ...norwich, name: "Ball Pit", category: "soft-play-centres" },
      { ...norwich, name: "Upper Deck", category: "car-parks" },
      { ...norwich, name: "Sprocket", category: "car-parts" },
      { ...norwich, name: "Bytes", category: "computer-shops" },
      { name: "Megabytes", category: "computer-shops", city: "New Mills" },
      { name: "Gigabytes", category: "computer-shops", city: "Mills" },
      { ...norwich, name: "Small Print", category: "insurance-brokers" },
      { ...norwich, name: "Forecourt", category: "car-dealers" },
      { ...norwich, name: "Walkies", category: "dog-walkers" },
      { ...norwich, name: "Knead", category: "physiotherapists" },
      { ...norwich, name: "Warm Front", category: "heating-engineers" },
      // With words of what is wanted, but of another trade.
      { ...norwich, name: "Fair Warning", category: "auction-houses" },
      { ...norwich, name: "Rumble", category: "mot-centres", shortDescription: "Test centre." },
      { ...norwich, name: "Kids & Garden", category: "gift-shops" },
      { ...norwich, name: "New Leaf", category: "bookshops" },
      { ...norwich, name: "Local Life", category: "museums" },
      { ...norwich, name: "Playpen", category: "nurseries" },
      { ...norwich, name: "Quick Fix", category: "shoe-repairs" },
    ];
    await using _ = await withMore(added);
    await expectEach([
      ["toothache norwich", "Molar Bear"],
      ["braces norwich", "Molar Bear"],
      ["my car broke down norwich", "Grease Monkey"],
      ["blood test norwich", "Cedar House"],
      ["driving test norwich", "Mirror Signal"],
      ["buy a house in norwich", "Keystone"],
      ["rent a flat in norwich", "Keystone"],
      ["someone to clean my house norwich", "Broom & Bloom"],
      ["log delivery norwich", "Embers"],
      ["milkshakes norwich", "Sundae"],
      ["children's party norwich", "Ball Pit"],
      ["car parks norwich", "Upper Deck"],
      ["car parts norwich", "Sprocket"],
      ["fix my computer norwich", "Bytes"],
      ["quick fix norwich", "Quick Fix"],
      ["new computer norwich", "Bytes"],
      ["new car norwich", "Forecourt"],
      ["computer new mills", "Megabytes"],
      ["cheap computer new mills", "Megabytes"],
      ["life insurance norwich", "Small Print"],
      ["doggy daycare norwich", "Walkies"],
      ["flat battery norwich", "Grease Monkey"],
      ["bad back norwich", "Knead"],
      ["no hot water norwich", "Warm Front"],
    ]);
    expect(await names("beer garden norwich")).toEqual(await names("pub norwich"));
    expect(await names("fine dining norwich")).toEqual(await names("restaurant norwich"));
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
    for (const [one, several, found] of [
      ["butcher norwich", "butchers norwich", ["Fiddy Butchers", "The Old Butcher"]],
      ["cake norwich", "cakes norwich", ["Crumb", "Sponge Cakes"]],
      ["potter norwich", "potteries norwich", ["Kiln", "Wensum Pottery"]],
    ] as const) {
      for (const text of [one, several]) {
        expect([text, ...(await names(text)).toSorted()]).toEqual([text, ...found]);
      }
    }
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

  test("'printer' does not match 'painter', though a letter apart", async () => {
    expect(await names("painter")).toEqual(["Fresh Coats"]);
    expect(await names("printer")).toEqual([]);
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

test("words are normalised, whatever characters they are written with", () => {
  for (const [text, words] of [
    ["ＣＡＦÉ ﬁsh", "cafe fish"],
    ["Łódź Smørrebrød", "lodz smorrebrod"],
    ["O’Malley´s `Bar‘", "omalleys bar"],
    ["W H Smith, B&Q or a shop: b and q", "wh smith bq shop bq"],
    ["The Coop, Cooper & Sons", "co op cooper sons"],
    ["Fish ’n’ Chips; J N Smith; Smith N B", "fish chips jn smith smith nb"],
    ["NR128AA ec1a1bb", "nr12 8aa ec1a 1bb"],
    [
      "NR 12 8AA, EC 1A1BB; S.W.1; unit e 3, high st 12, near me 24",
      "nr12 8aa ec1a 1bb sw1 unit e 3 high st 12 24",
    ],
    ["Frost & Co, 9 High St; The Cottage PH, 9 Elm Rd", "frost co 9 high st cottage ph 9 elm rd"],
    ["Frost & Co. 9, b&b 24 hr 7 days", "frost co 9 bb 24 hr 7 days"],
    ["Frost & Co 9 High St; M.A.S.S. 53 High St", "frost co 9 high st mass 53 high st"],
    ["the plumber near me", "plumber"],
    ["To The On", "to the on"],
  ] as const) {
    expect([text, searchWords(text).join(" ")]).toEqual([text, words]);
  }
  const plurals = ["bakeries", "churches", "boxes", "dishes", "buses", "plumbers", "djs"];
  expect(plurals.map(singular).join(" ")).toBe("bakery church box dish bus plumber dj");
  const withE = ["houses", "courses", "nurses", "cheeses", "dresses"];
  expect(withE.map(singular).join(" ")).toBe("house course nurse cheese dress");
  expect(["glass", "bus", "gas"].map(singular).join(" ")).toBe("glass bus gas");
  const unfinished = ["barn", "b2bshop", "bar", "nr12", "ec1a"].filter(mayBeUnfinished);
  expect(unfinished).toEqual(["barn", "b2bshop"]);
});

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
    const { items, instead } = await search("primary school leeds");
    expect([instead, ...items.map(({ name }) => name)]).toEqual(["school leeds", "Elmet Academy"]);
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
    for (const [text, found, wanted] of [
      ["hotel with parking norwich", "The Long Rest", "hotel norwich"],
      ["hotel with gym norwich", "The Long Rest", "hotel norwich"],
      ["hospital parking norwich", "Upper Deck", null],
      ["carpet cleaner norwich", "Broom & Bloom", "cleaner norwich"],
      ["carpet cleaning norwich", "Broom & Bloom", "cleaning norwich"],
      ["boutique hotel norwich", "The Long Rest", "hotel norwich"],
      ["hospital road dentist norwich", "Molar Bear", "dentist norwich"],
      ["hospital jumpers norwich", "Crook General", "hospital norwich"],
      ["pension solicitor norwich", "Last Will", "solicitor norwich"],
      ["ballet shoes norwich", "Sole Trader", "shoes norwich"],
      ["dancing shoes norwich", "Sole Trader", "shoes norwich"],
      ["four-poster beds hotel norwich", "The Long Rest", "hotel norwich"],
      ["boiler plumber norwich", "Spanner", "plumber norwich"],
      ["shower plumber norwich", "Spanner", "plumber norwich"],
      ["fence painter norwich", "Fresh Coats", "painter norwich"],
      ["cctv electrician norwich", "Spark", "electrician norwich"],
      ["breakfast hotel norwich", "The Long Rest", "hotel norwich"],
      ["cctv drain survey norwich", "Sump", "drain survey norwich"],
      ["cctv drain survey", "Sump", "drain survey"],
    ] as const) {
      const { items, instead } = await search(text);
      expect([text, instead, ...items.map(({ name }) => name)]).toEqual([text, wanted, found]);
    }
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
    for (const [text, found, instead] of [
      ["bed and breakfast norwich", "Sea View", "bed breakfast"],
      ["norwich bed & breakfast", "Sea View", "bed breakfast"],
      ["sun beds norwich", "Sun Up", "sun beds"],
      ["dry cleaner norwich", "Press & Go", "dry cleaner"],
      ["norwich dry cleaners", "Press & Go", "dry cleaners"],
      ["dry cleaning norwich", "Press & Go", "dry cleaning"],
      ["driving school norwich", "Mirror Signal", "driving school"],
      ["cat food norwich", "Paws Here", null],
      ["dog food leeds", "Paws Here", "dog food"],
      ["rubbish removal norwich", "Skip Lightly", "rubbish removal"],
      ["doggy daycare norwich", "Heel", "doggy daycare"],
      ["dog daycare norwich", "Heel", "dog daycare"],
    ] as const) {
      const answer = await search(text);
      expect([text, answer.instead, ...answer.items.map(({ name }) => name)]).toEqual([
        text,
        instead,
        found,
      ]);
    }
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

  test("a name is kept before all that is in the place, whichever comes first", async () => {
    for (const text of ["haddock leeds", "leeds haddock", "ls1 haddock", "quokka leeds haddock"]) {
      const { items, instead } = await search(text);
      const found = items.map(({ name }) => name);
      expect([text, instead, ...found]).toEqual([text, "haddock", "The Happy Haddock"]);
    }
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

  test("a town is kept, with and without its accents", async () => {
    await using _ = await withMore([
      { name: "Steady Drip", category: "plumbers", city: "Cwmbrân", postcode: "NP44 1AA" },
    ]);
    for (const text of ["cwmbran wiring plumber", "Cwmbrân wiring plumber"]) {
      const { items, instead } = await search(text);
      const found = items.map(({ name }) => name);
      expect([text, instead, ...found]).toEqual([text, "plumber cwmbran", "Steady Drip"]);
    }
  });

  test("a town is kept, whether people or the directory write it out", async () => {
    await using _ = await withMore([
      { name: "Steady Drip", category: "plumbers", city: "Gt Missenden", postcode: "HP16 0AA" },
      { name: "Holy Drip", category: "plumbers", city: "St Albans", postcode: "AL1 1AA" },
    ]);
    for (const [town, found] of [
      ["gt missenden", "Steady Drip"],
      ["great missenden", "Steady Drip"],
      ["saint albans", "Holy Drip"],
    ] as const) {
      const { items, instead } = await search(`${town} wiring plumber`);
      expect([instead, ...items.map(({ name }) => name)]).toEqual([`plumber ${town}`, found]);
    }
  });

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
    await using _ = await withMore([
      { ...leeds, name: "King Street Gifts", addressLine1: "3 King Street" },
      { ...leeds, name: "Wax", addressLine1: "4 Old Kent Road" },
      { ...leeds, name: "Wick", addressLine1: "5 Church Street" },
      { ...leeds, name: "Bow", addressLine1: "Retail Park", addressLine2: "Quay" },
      { name: "Rising Main", category: "plumbers", city: "Leeds", addressLine1: "1 Ring Road" },
      { name: "Quick Drip", category: "plumbers", city: "Bath" },
      { ...norwich, name: "Wrap", category: "mobile-caterers", shortDescription: "Street food." },
    ]);
    for (const [text, instead, ...found] of [
      ["leeds king street plumber", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber old kent road leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["church street plumber leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber church street leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber new road leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["plumber near the retail park leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["york leeds road plumber", "plumber york", "Drip Stop"],
      ["king street plumber", "plumber", "Drip Stop", "Quick Drip", "Rising Main", "Wall to Wall"],
      ["plumber the crescent leeds", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["leeds plumber in the square", "plumber leeds", "Rising Main", "Wet Walls Ltd"],
      ["tree surgeon the parade norwich", "tree surgeon norwich", "Bough Down"],
      ["best street food norwich", "street food norwich", "Wrap"],
      ["quokka street food norwich", "street food norwich", "Wrap"],
      ["gifts king street leeds", null, "King Street Gifts"],
      ["king street quokka leeds", "king street leeds", "King Street Gifts"],
    ] as const) {
      const answer = await search(text);
      const names = answer.items.map(({ name }) => name).sort();
      expect([text, answer.instead, ...names.slice(0, 4)]).toEqual([text, instead, ...found]);
    }
  });

  test("a short last word may be the beginning of one in a name, so that all who type find it", async () => {
    const added = [
      { ...norwich, name: "Kelp & Kin", category: "gift-shops", shortDescription: "Saffron." },
      { name: "Nowak Plumbing", category: "plumbers", city: "Leeds" },
    ];
    await using _ = await withMore(added);
    for (const [text, instead, ...found] of [
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
    ] as const) {
      const answer = await search(text);
      const names = answer.items.map(({ name }) => name).sort();
      expect([text, answer.instead, ...names]).toEqual([text, instead, ...found]);
    }
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
    for (const [text, instead, found] of [
      ["indian york city centre", "indian york", ["City Spice", "Mint"]],
      ["indian in york town center", "indian york", ["City Spice", "Mint"]],
      ["garden centre welwyn garden city", null, ["Tomato"]],
      ["garden centre al8", "garden centre welwyn garden city", ["Tomato"]],
      ["thatcher welwyn garden city", "welwyn garden city", ["Tomato"]],
      ["thatcher welwyn garden city centre", "welwyn garden city", ["Tomato"]],
    ] as const) {
      const { items, instead: used } = await search(text);
      expect([text, used, items.map(({ name }) => name).sort()]).toEqual([
        text,
        instead,
        [...found],
      ]);
    }
  });

  test("a qualifier is kept in the name of a town, even if another one is named, too", async () => {
    await using _ = await withMore([
      { name: "Fringe", category: "hairdressers", city: "New Mills", postcode: "SK22 4AA" },
      { name: "The Mills", category: "pubs", city: "Leeds" },
      { name: "The Ship", category: "pubs", city: "Leeds" },
    ]);
    const { items, instead } = await search("pub new mills leeds");
    const names = items.map(({ name }) => name).sort();
    expect([instead, ...names]).toEqual(["pub leeds", "The Mills", "The Ship"]);
  });

  test("a word of a trade is kept even if it is a qualifier elsewhere", async () => {
    const added = [
      { ...norwich, name: "The Keep", category: "museums" },
      { ...norwich, name: "Strobe", category: "nightclubs" },
      { ...norwich, name: "The Legion", category: "social-clubs" },
    ];
    await using _ = await withMore(added);
    for (const [text, found, wanted] of [
      ["best things to do in norwich", "The Keep", "things do norwich"],
      ["things to do with kids in norwich", "The Keep", "things do norwich"],
      ["cheap night club norwich", "Strobe", "night club norwich"],
    ] as const) {
      const { items, instead } = await search(text);
      expect([text, instead, ...items.map(({ name }) => name)]).toEqual([text, wanted, found]);
    }
  });

  test("'new' is kept in a town's name, and where a name there begins with it and the next word", async () => {
    await using _ = await withMore([
      { name: "Quill", category: "solicitors", city: "New Mills", postcode: "SK22 4AA" },
      { ...norwich, name: "The New Inn", category: "pubs" },
      { ...norwich, name: "New Leaf Books", category: "bookshops" },
      { ...norwich, name: "Shelf", category: "bookshops" },
    ]);
    for (const [text, ...found] of [
      ["new inn hotel norwich", "The New Inn"],
      ["new inn hotel nr3", "The New Inn"],
      ["new leaf printer norwich", "New Leaf Books"],
      // Not next to each other in any name.
      ["new books printer norwich", "Barclay Books", "New Leaf Books", "Shelf"],
    ] as const) {
      expect([text, ...(await names(text)).toSorted()]).toEqual([text, ...found]);
    }
    expect((await search("best solicitor new mills")).instead).toBe("solicitor new mills");
  });

  test("qualifiers count as long as something matches all words", async () => {
    expect(await search("best foot york")).toMatchObject({ total: 1, instead: null });
  });

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

/** Adds businesses to the directory and its index, until they are disposed of. */
async function withMore(added: readonly Partial<BusinessFixture>[]): Promise<AsyncDisposable> {
  const ids: string[] = [];
  for (const business of added) ids.push((await addBusiness(database.sql, business)).id);
  await syncSearch({ sql: database.sql, meili, index });
  return {
    async [Symbol.asyncDispose]() {
      await database.sql`delete from businesses where id = any(${ids})`;
      await syncSearch({ sql: database.sql, meili, index });
    },
  };
}

describe("order and totals", () => {
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

  test("initials rank before a word that they are short for", async () => {
    await using _ = await withMore([
      { name: "G T Motors", category: "garages", city: "Leeds" },
      { name: "Quay Motors", category: "garages", city: "Great Yarmouth", rating: 5 },
    ]);
    for (const text of ["gt garage", "g t garages", "gt motors"]) {
      expect([text, (await names(text))[0]]).toEqual([text, "G T Motors"]);
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

  test("it does not matter where a name has the second trade of its category, in the singular or plural", async () => {
    const found = ["Plumb Line", "Stonemason Co", "Stonemasons Co", "Sunny Stonemason"];
    const masons = found.map((name, place) => {
      return { name, category: "bricklayers", city: "Wells", rating: 5 - place };
    });
    await using _ = await withMore(masons);
    const texts = ["stonemason wells", "stonemasons in wells", "wells stonemason"];
    for (const name of ["Bricklayers & stonemasons", "Bricklayers and stonemasons"]) {
      await database.sql`update categories set name = ${name} where slug = 'bricklayers'`;
      await syncSearch({ sql: database.sql, meili, index });
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

  test("the total counts all matches, whatever the page", async () => {
    const pages = await Promise.all(
      [0, 1, 2, 3, 4].map((offset) => search("twin tyres", { limit: 1, offset })),
    );
    expect(pages.map((page) => page.items.map((item) => item.slug))).toEqual([
      ["t-0"],
      ["t-1"],
      ["t-2"],
      ["t-3"],
      [],
    ]);
    expect(pages.map((page) => page.total)).toEqual([4, 4, 4, 4, 4]);
  });

  test("a city and a category filter the results, a category with its descendants", async () => {
    const found = async (more: { city?: string; category?: string }) =>
      (await search("pharmacy", more)).total;
    expect(await found({})).toBe(3);
    expect(await found({ city: "leeds" })).toBe(1);
    expect(await found({ category: "health-and-medical" })).toBe(3);
    expect(await found({ category: "health-and-medical", city: "leeds" })).toBe(1);
    expect(await found({ category: "plumbers" })).toBe(0);
    expect(await found({ city: 'leeds" OR citySlug != "x' })).toBe(0);
  });
});

describe("while the index lags", () => {
  test("businesses that are no longer approved are not shown, and the next ones take their place", async () => {
    const { sql } = database;
    const suspend = (slug: string, status: string) =>
      sql`update businesses set status = ${status} where slug = ${slug}`;
    await suspend("t-1", "suspended");
    const { items, total } = await search("twin tyres", { limit: 2 });
    expect(items.map((item) => item.slug)).toEqual(["t-0", "t-2"]);
    expect(total).toBe(3);
    const fewer = await search("emergency twin tyres", { limit: 2 });
    expect(fewer).toEqual({ items, total, instead: "twin tyres" });
    // One on the page, and one of those that would take its place.
    await suspend("t-3", "suspended");
    expect((await search("twin tyres", { limit: 2 })).total).toBe(2);
    const last = await search("twin tyres", { limit: 1, offset: 3 });
    expect(last).toEqual({ items: [], total: 3, instead: null });
    await suspend("t-1", "approved");
    await suspend("t-3", "approved");
    await suspend("t-2", "suspended");
    const later = await search("twin tyres", { limit: 1, offset: 2 });
    expect(later.items.map((item) => item.slug)).toEqual(["t-3"]);
    await suspend("t-2", "approved");
  });

  test("a search whose only matches are no longer approved finds what it will once the index has caught up", async () => {
    const { sql } = database;
    await using _ = await withMore([
      { name: "Quagga Quill", city: "York", postcode: "YO1 7AA", slug: "quagga-york" },
      { name: "Quagga Quill", city: "Leeds", postcode: "LS1 6HD", slug: "quagga-leeds" },
      { name: "Quokka", city: "Leeds", postcode: "LS1 6HD", slug: "quokka" },
    ]);
    await sql`update businesses set status = 'suspended' where slug in ('quagga-york', 'quokka')`;
    // Of the last step of the second and third, one query finds nothing any more, and the other something.
    const texts = ["quagga quill york", "quokka quagga", "quagga quokka", "quokka"];
    const answers = () => Promise.all(texts.map((text) => search(text)));
    const before = await answers();
    await syncSearch({ sql, meili, index });
    expect(before).toEqual(await answers());
    expect(before.map(({ total }) => total)).toEqual([1, 1, 1, 0]);
  });

  test("a pending business is not found", async () => {
    expect(await names("nib supplies")).not.toContain("Nib Supplies");
  });
});

describe("requests to Meilisearch", () => {
  /** Of each request, the queries and the number of matches wanted. */
  const asks = async (text: string, limit: number) => {
    const asked: string[][] = [];
    await using recorder = proxyMeilisearch(({ body }, forward) => {
      const { queries } = JSON.parse(body) as { queries: { q: string; limit: number }[] };
      asked.push(queries.map(({ q, limit }) => `${q.trim()}: ${limit}`));
      return forward();
    });
    await createSearch({ sql: database.sql, meili: recorder.meili, index })({ text, limit });
    return asked;
  };

  test("ask for the page that is wanted, and no more", async () => {
    expect(await asks("twin tyres", 2)).toEqual([["twin tyres: 2"]]);
  });

  test("ask for nothing shorter than a run of words that is found", async () => {
    expect(await asks("copper walls leeds", 5)).toEqual([
      ['copper walls "leeds": 5'],
      ['copper "leeds": 5', 'walls "leeds": 5'],
    ]);
  });

  test("ask for no run without the trade, if one with it is found", async () => {
    expect(await asks("copper plumber leeds", 5)).toEqual([
      ['copper plumber "leeds": 5'],
      ['plumber "leeds": 5'],
    ]);
  });

  test("ask for the town of an outcode once, if nothing is found there", async () => {
    expect(await asks("florist nr1", 5)).toEqual([
      ["florist nr1: 5"],
      ["nr1: 20"],
      ['florist "norwich": 5'],
    ]);
  });

  test("ask for all runs, first for those that may be names, one request per length, if no word is known", async () => {
    expect(await asks("xylophonist quokka zyzzyva", 5)).toEqual([
      ["xylophonist quokka zyzzyva: 5"],
      ["xylophonist quokka: 5", "quokka zyzzyva: 5"],
      ["xylophonist quokka: 5", "quokka zyzzyva: 5"],
      ["xylophonist: 5", "quokka: 5", "zyzzyva: 5"],
    ]);
  });
});

describe("concurrent searches", () => {
  const texts = [
    ...businesses.flatMap(({ name = "", city = "" }) => [name, `${name} ${city}`]),
    ...businesses.slice(0, 5).map(({ name }) => `emergency ${name}`),
  ];

  /** As many requests as Meilisearch is sent at a time, each of eight queries. */
  const AT_ONCE = availableParallelism() + 1;

  test("go to Meilisearch in few requests, and each gets its own answer", async () => {
    let requests = 0;
    await using counter = proxyMeilisearch((_request, forward) => {
      requests += 1;
      return forward();
    });
    const search = createSearch({ sql: database.sql, meili: counter.meili, index });
    let tries = 0;
    /** Retries a search that has queued for too long, as some do on a busy machine. */
    const find = async (text: string, times = 5): Promise<Found> => {
      tries += 1;
      try {
        return await search({ text, limit: 3 });
      } catch (error) {
        if (!(error instanceof SearchUnavailable) || times === 0) throw error;
        return find(text, times - 1);
      }
    };

    const together = await Promise.all(texts.map((text) => find(text)));
    expect(requests).toBeLessThan(tries / 2);
    const apart = [];
    for (const text of texts) apart.push(await find(text));
    expect(together).toEqual(apart);
    expect(together.filter(({ total }) => total > 0).length).toBeGreaterThan(30);
  });

  test("go there eight to a request, and one more request at a time than it has cores", async () => {
    const asked: number[] = [];
    let underWay = 0;
    let mostUnderWay = 0;
    await using counter = proxyMeilisearch(async ({ body }, forward) => {
      asked.push(JSON.parse(body).queries.length);
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      // Otherwise the first could be answered before the last of them comes.
      await until(() => mostUnderWay >= AT_ONCE, 10_000);
      const answer = await forward();
      underWay -= 1;
      return answer;
    });
    const { askMeilisearch } = batchQueries(database.sql, counter.meili, 1);
    const query = { indexUid: index, q: "boots" };
    const ask = () => askMeilisearch({ query, until: performance.now() + 20_000 });
    await Promise.all(Array.from({ length: 8 * 3 * AT_ONCE }, ask));
    expect(asked).toEqual(Array(3 * AT_ONCE).fill(8));
    expect(mostUnderWay).toBe(AT_ONCE);
  });

  test("are answered also where more workers share Meilisearch than it has cores", async () => {
    const { askMeilisearch } = batchQueries(database.sql, meili, 2 * AT_ONCE);
    const query = { indexUid: index, q: "haddock" };
    const found = await askMeilisearch({ query, until: performance.now() + 20_000 });
    expect(found.total).toBeGreaterThan(0);
  });

  test("that would be answered too late get no answer, not even that of another", async () => {
    const { askMeilisearch } = batchQueries(database.sql, meili, 1);
    const ask = (q: string, ms: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until: performance.now() + ms });
    const asked = await Promise.allSettled([ask("boots", 400), ask("haddock", 20_000)]);
    expect<unknown>(asked).toEqual([
      { status: "rejected", reason: expect.any(DeadlineError) },
      { status: "fulfilled", value: await ask("haddock", 20_000) },
    ]);
  });

  test("are answered although another in the same request is too late by then", async () => {
    const soon = performance.now() + 1_000;
    await using slow = proxyMeilisearch(async (_request, forward) => {
      await until(() => performance.now() > soon, 10_000);
      return forward();
    });
    const { askMeilisearch } = batchQueries(database.sql, slow.meili, 1);
    const ask = (q: string, until: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until });
    const [, found] = await Promise.all([ask("boots", soon), ask("haddock", soon + 20_000)]);
    expect(found.total).toBeGreaterThan(0);
  });

  test("are sent in the order of their deadlines, so that a second step does not queue again", async () => {
    const asked: string[][] = [];
    const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
    await using slow = proxyMeilisearch(async ({ body }, forward) => {
      asked.push(JSON.parse(body).queries.map(({ q }: { q: string }) => q));
      await end;
      return forward();
    });
    const { askMeilisearch } = batchQueries(database.sql, slow.meili, 1);
    const ask = (q: string, ms: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until: performance.now() + ms });

    const first = Array.from({ length: 8 * AT_ONCE }, () => ask("boots", 20_000));
    await until(() => asked.length === AT_ONCE, 10_000);
    const later = Array.from({ length: 8 }, () => ask("haddock", 20_000));
    const sooner = ask("linen", 10_000);
    endFirst();
    await Promise.all([...first, ...later, sooner]);
    const others = Array.from({ length: 7 }, () => "haddock");
    expect(asked.find((texts) => texts.includes("linen"))).toEqual(["linen", ...others]);
  });

  test("all fail in time when Meilisearch does not answer, including those still queued", async () => {
    let isSilent = true;
    await using silent = proxyMeilisearch((_request, forward) =>
      isSilent ? new Promise<Response>(() => {}) : forward(),
    );
    const search = createSearch({ sql: database.sql, meili: silent.meili, index });
    const began = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 100 }, () =>
        search({ text: "boots", limit: 1 }).catch((error) => error),
      ),
    );
    expect(failures.every((failure) => failure instanceof SearchUnavailable)).toBe(true);
    expect(performance.now() - began).toBeLessThan(3_500);
    // Abandoned searches do not block later ones.
    isSilent = false;
    expect((await search({ text: "haddock", limit: 1 })).total).toBe(1);
  });
});

describe("without Meilisearch", () => {
  test("a search fails as unavailable when it cannot be reached", async () => {
    const away = openMeilisearch("http://127.0.0.1:9", "");
    const search = createSearch({ sql: database.sql, meili: away, index });
    const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(SearchUnavailable);
    expect(failure.cause).toBeDefined();
  });

  test("a search fails as unavailable when it does not answer in time", async () => {
    const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
    const search = createSearch({
      sql: database.sql,
      meili: openMeilisearch(silent.url.href, ""),
      index,
    });
    const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(SearchUnavailable);
    await silent.stop(true);
  });

  test("a search fails as unavailable when a proxy before it says that it is away", async () => {
    const proxy = Bun.serve({
      port: 0,
      fetch: () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 }),
    });
    const search = createSearch({
      sql: database.sql,
      meili: openMeilisearch(proxy.url.href, ""),
      index,
    });
    const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(SearchUnavailable);
    await proxy.stop(true);
  });

  test("a search fails as unavailable when another service answers in its place, and says so", async () => {
    for (const body of ["", "null", '{"status":"ok"}']) {
      using other = Bun.serve({ port: 0, fetch: () => new Response(body) });
      const meili = openMeilisearch(other.url.href, "");
      const search = createSearch({ sql: database.sql, meili, index });
      const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
      expect(failure).toBeInstanceOf(SearchUnavailable);
      expect(failure.cause.message).toStartWith("what answers at MEILI_URL is not Meilisearch");
    }
  });

  test("a search fails as unavailable when it refuses the key, and says so", async () => {
    const refusing = openMeilisearch(stores().meiliUrl, "wrong");
    const search = createSearch({ sql: database.sql, meili: refusing, index });
    const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(SearchUnavailable);
    expect(failure.message).toStartWith("Meilisearch refuses MEILI_KEY");
  });

  test("a search fails as unavailable when there is no index yet", async () => {
    const search = createSearch({ sql: database.sql, meili, index: `${index}_none` });
    const failure = await search({ text: "boots", limit: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(SearchUnavailable);
  });
});
