import { describe, expect, test } from "bun:test";
import { norwich, openDirectory } from "./directory.ts";

const { names, search, expectEach, withMore } = await openDirectory();

describe("searches as people type them", () => {
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
    await expectEach([
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
    ]);
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

  test("'food' also finds places to eat", async () => {
    expect(await names("food norwich")).toContain("Saffron Garden");
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
});
