// What people call trades, places and what is sold: only the tables, from which the settings and documents are derived.

/** What people in Britain call the same trade: each name finds all the others. */
export const synonymGroups = [
  ["chemist", "pharmacy"],
  ["hairdresser", "hair salon", "hairstylist", "hair stylist", "hairdressing"],
  ["barber", "barber shop", "barbering", "gents hairdresser", "men's haircut"],
  ["beautician", "beauty salon", "beauty parlour", "beauty therapist"],
  ["nail bar", "nail salon"],
  ["tattooist", "tattoo parlour", "tattoo studio"],
  ["fish and chips", "fish and chip shop", "chip shop", "chippy", "chippie", "fish bar"],
  ["takeaway", "take away", "carry out"],
  ["curry house", "Indian restaurant"],
  ["kebab shop", "kebab house"],
  ["pizzeria", "pizza"],
  ["café", "coffee shop", "coffee house", "caff"],
  ["ice cream parlour", "gelateria"],
  ["pub", "public house", "inn", "tavern", "alehouse"],
  ["off-licence", "offie", "offy", "liquor store", "liquor shop", "bottle shop"],
  ["corner shop", "convenience store", "mini market", "minimarket"],
  ["supermarket", "grocery store"],
  ["greengrocer", "fruit and veg", "fruiterer"],
  ["baker", "bakery"],
  ["delicatessen", "deli"],
  ["sweet shop", "confectioner", "candy shop"],
  ["newsagent", "paper shop"],
  ["bookshop", "bookseller", "bookstore", "book store"],
  ["ironmonger", "hardware shop", "hardware store"],
  ["florist", "flower shop"],
  ["jeweller", "jewellery", "jeweler", "jewelry"],
  ["stationer", "stationery"],
  ["sign maker", "sign writer", "signwriter"],
  ["haberdasher", "haberdashery"],
  ["charity shop", "thrift shop", "thrift store"],
  ["bridal shop", "bridal wear", "wedding dresses"],
  ["bicycle shop", "bike shop", "cycle shop"],
  ["bicycle", "bike"],
  ["motorcycle", "motorbike"],
  ["mobile phone shop", "phone shop"],
  ["garage", "car repair", "car mechanic", "auto repair", "mechanic"],
  ["MOT centre", "MOT test", "MOT"],
  ["car dealer", "car sales", "car showroom", "used car", "second-hand car"],
  ["car hire", "car rental"],
  ["van hire", "van rental"],
  ["breakdown and recovery", "car recovery", "vehicle recovery", "tow truck"],
  ["driving instructor", "driving school", "driving lesson", "learn to drive"],
  [
    "electric vehicle charging",
    "electric car charging",
    "electric car charger",
    "EV charging",
    "EV charger",
    "EV charge point",
  ],
  ["petrol station", "filling station", "fuel station", "gas station"],
  ["taxi", "cab", "minicab", "private hire"],
  ["courier", "parcel delivery"],
  ["haulier", "haulage"],
  ["tyre", "tire"],
  ["estate agent", "property agent", "realtor", "estate agency"],
  ["letting agent", "lettings agent", "lettings"],
  ["solicitor", "lawyer", "law firm", "attorney"],
  ["conveyancer", "conveyancing"],
  ["accountant", "accountancy", "bookkeeper", "bookkeeping"],
  ["financial adviser", "IFA"],
  ["bureau de change", "bureaux de change", "currency exchange"],
  ["architect", "architecture"],
  ["surveyor", "surveying"],
  ["printer", "printing"],
  ["recruitment agency", "employment agency", "job agency", "temp agency"],
  ["bookmaker", "betting shop", "bookie", "turf accountant"],
  ["vet", "veterinary", "veterinary surgeon", "veterinarian"],
  ["optician", "optometrist", "eye test"],
  ["dentist", "dental surgery", "dental practice", "dental clinic"],
  ["GP", "GP surgery", "doctor", "doctor's surgery", "medical centre", "medical practice"],
  ["physiotherapist", "physiotherapy", "physio"],
  ["chiropodist", "podiatrist", "chiropody", "podiatry"],
  ["osteopath", "osteopathy"],
  ["chiropractor", "chiropractic"],
  ["acupuncturist", "acupuncture"],
  ["counsellor", "counselling"],
  ["undertaker", "funeral director", "funeral home", "funeral parlour"],
  ["nursery", "day nursery", "pre-school", "preschool", "crèche", "daycare", "day care"],
  ["childminder", "childminding"],
  ["tutor", "tutoring", "tuition"],
  ["launderette", "laundrette", "laundromat"],
  ["dry cleaner", "dry cleaning"],
  ["cleaner", "cleaning"],
  ["window cleaner", "window cleaning"],
  ["shoe repair", "cobbler", "heel bar"],
  ["tailor", "alterations", "seamstress", "dressmaker"],
  ["removals", "removal company", "man and van", "house mover"],
  ["waste clearance", "waste removal", "rubbish clearance", "rubbish removal"],
  ["pest control", "pest controller", "exterminator", "rat catcher"],
  ["electrician", "sparky", "sparkie", "electrical contractor"],
  ["plumber", "plumbing"],
  [
    "heating engineer",
    "gas engineer",
    "central heating",
    "boiler repair",
    "boiler service",
    "boiler servicing",
  ],
  ["air conditioning", "aircon", "air con"],
  ["stove", "log burner", "wood burner"],
  ["builder", "building contractor"],
  ["joiner", "carpenter", "joinery", "carpentry"],
  ["bricklayer", "bricklaying", "brickie"],
  ["roofer", "roofing"],
  ["scaffolder", "scaffolding", "scaffold"],
  ["plasterer", "plastering"],
  ["painter", "decorator"],
  ["glazier", "double glazing", "window fitter"],
  [
    "gardener",
    "gardening",
    "garden maintenance",
    "landscaper",
    "landscaping",
    "landscape gardener",
  ],
  ["tree surgeon", "tree surgery", "arborist"],
  ["gym", "gymnasium", "fitness centre", "fitness club", "health club"],
  ["nightclub", "night club"],
  ["riding stable", "riding school", "horse riding"],
  ["swimming pool", "swimming baths", "lido"],
  ["cinema", "picture house", "movie theatre"],
  ["photographer", "photography"],
  ["potter", "pottery"],
  ["caterer", "catering"],
  ["food van", "food truck", "burger van", "mobile caterer"],
  ["kennel", "dog kennel"],
  ["saddler", "saddlery"],
  ["dog groomer", "dog grooming", "pet groomer", "pet grooming"],
  ["dog walker", "dog walking"],
  ["bed and breakfast", "B&B", "bnb", "guest house", "guesthouse"],
  ["campsite", "camp site", "camping site"],
  ["care home", "nursing home", "residential home"],
  ["hearing centre", "hearing aid", "hearing test", "audiologist"],
  ["handyman", "handymen"],
  ["wholesaler", "wholesale"],
  ["cash machine", "cashpoint", "cash point", "ATM"],
  ["KFC", "Kentucky Fried Chicken"],
];

/** What a name also finds, where the reverse would be wrong. */
export const oneWaySynonyms: Record<string, string[]> = {
  hairdresser: ["barber"],
  "letting agent": ["estate agent"],
  MOT: ["garage"],
  coffee: ["café"],
  café: ["tea room"],
  "wine shop": ["wine merchant", "off-licence"],
  "plumbers' merchant": ["builders' merchant"],
  "mobile disco": ["DJ"],
  "asbestos removal": ["waste clearance"],
  "house clearance": ["waste clearance"],
  grocer: ["greengrocer", "convenience store", "supermarket"],
  laundry: ["launderette", "dry cleaner"],
  childcare: ["nursery", "childminder"],
  accommodation: ["hotel", "hostel", "guest house", "bed and breakfast", "holiday cottage"],
  decorating: ["decorator"],
  "place of worship": ["church", "mosque", "synagogue", "temple", "gurdwara"],
  church: ["worship"],
  mosque: ["worship"],
  // One way only: otherwise "mcdonald" would have to be right, and whoever types it may mean a MacDonald.
  maccies: ["McDonald's"],
  "marks and sparks": ["M&S", "Marks and Spencer"],
  "M&S": ["Marks and Spencer"],
  "Marks and Spencer": ["M&S Food", "M&S Foodhall", "M&S Simply Food"],
  "pound shop": ["discount store"],
  "airport transfer": ["taxi"],
  "airport parking": ["car park"],
  "hospital parking": ["car park"],
  "station parking": ["car park"],
  "train station": ["railway station", "stations and airports"],
  "bus station": ["stations and airports"],
  "travel agency": ["travel agent"],
  "pawn shop": ["pawnbroker"],
  "cash for gold": ["pawnbroker", "jeweller"],
  "old people's home": ["care home"],
  "foot clinic": ["chiropodist"],
  "health centre": ["GP surgery"],
  "blood test": ["GP surgery", "hospital"],
  "covid test": ["pharmacy"],
  "walk-in centre": ["GP surgery", "hospital"],
  "A&E": ["hospital"],
  gastropub: ["pub"],
  "wine bar": ["bar"],
  // What people want, and where they can get it.
  curry: ["curry house", "Indian restaurant", "Indian takeaway"],
  balti: ["Indian restaurant", "Indian takeaway"],
  ramen: ["Japanese restaurant"],
  sushi: ["Japanese restaurant"],
  "doner kebab": ["kebab shop"],
  "pizza delivery": ["pizzeria"],
  "chicken shop": ["takeaway"],
  "fried chicken": ["takeaway"],
  takeout: ["takeaway"],
  flower: ["florist"],
  glasses: ["optician"],
  spectacles: ["optician"],
  hair: ["hairdresser", "barber"],
  haircut: ["hairdresser", "barber"],
  "hair extension": ["hairdresser"],
  "blow dry": ["hairdresser"],
  "hair removal": ["beauty salon"],
  "tattoo removal": ["beauty salon"],
  eyebrow: ["beauty salon"],
  eyelash: ["beauty salon"],
  lash: ["beauty salon"],
  threading: ["beauty salon"],
  waxing: ["beauty salon"],
  facial: ["beauty salon"],
  "lip filler": ["beauty salon"],
  manicure: ["nail bar", "beauty salon"],
  pedicure: ["nail bar", "beauty salon"],
  botox: ["beauty salon"],
  makeup: ["cosmetics"],
  sunbed: ["tanning salon"],
  "spray tan": ["tanning salon"],
  prescription: ["chemist", "pharmacy"],
  denture: ["dentist"],
  hygienist: ["dentist"],
  orthodontist: ["dentist"],
  brace: ["dentist"],
  toothache: ["dentist"],
  "tooth ache": ["dentist"],
  carer: ["home care"],
  "home help": ["home care"],
  pint: ["pub"],
  carvery: ["pub"],
  "Sunday lunch": ["pub"],
  "Sunday roast": ["pub"],
  brunch: ["café", "coffee shop"],
  breakfast: ["café", "coffee shop"],
  movie: ["cinema"],
  bowling: ["bowling alley"],
  parking: ["car park"],
  photocopying: ["copy shop"],
  scrapyard: ["scrap metal", "scrap and recycling"],
  rewiring: ["electrician"],
  rewire: ["electrician"],
  iPhone: ["phone"],
  bread: ["bakery", "baker"],
  pasty: ["bakery", "baker"],
  meat: ["butcher"],
  "fresh fish": ["fishmonger"],
  cheese: ["delicatessen"],
  fruit: ["greengrocer"],
  vegetable: ["greengrocer"],
  book: ["bookshop"],
  newspaper: ["newsagent"],
  cigarette: ["tobacconist"],
  shoe: ["shoe shop"],
  clothing: ["clothes shop"],
  "men's clothes": ["menswear", "clothes shop"],
  "women's clothes": ["clothes shop"],
  toy: ["toy shop"],
  Lego: ["toy shop"],
  gift: ["gift shop"],
  sofa: ["furniture shop"],
  mattress: ["bed shop"],
  beds: ["bed shop"],
  "second-hand furniture": ["second-hand shop", "furniture shop"],
  laptop: ["computer shop"],
  guitar: ["musical instrument"],
  "music shop": ["musical instrument", "record shop"],
  "photo shop": ["camera shop", "photographer"],
  "engagement ring": ["jeweller"],
  "wedding ring": ["jeweller"],
  knitting: ["haberdasher"],
  sewing: ["haberdasher"],
  "graphic design": ["graphic designer"],
  "interior design": ["interior designer"],
  "web design": ["web designer"],
  "picture framing": ["picture framer"],
  upholstery: ["upholsterer"],
  "dance class": ["dance school"],
  dancing: ["dance school"],
  ballet: ["dance school"],
  "grass cutting": ["gardener"],
  "lawn mowing": ["gardener"],
  "hedge cutting": ["gardener"],
  "garden service": ["gardener"],
  fence: ["fencing"],
  boiler: ["heating engineer", "gas engineer"],
  shower: ["bathroom"],
  "fitted kitchen": ["kitchens and bathrooms"],
  "kitchen fitter": ["kitchens and bathrooms"],
  "fitted wardrobe": ["joiner"],
  "loft conversion": ["builder"],
  "house extension": ["builder"],
  "building company": ["builder"],
  "moving company": ["removals"],
  "stump removal": ["tree surgeon"],
  CCTV: ["alarm"],
  "car service": ["garage"],
  "broke down": ["breakdown and recovery", "garage"],
  "broken down": ["breakdown and recovery", "garage"],
  "sell my car": ["car dealer"],
  "driving test": ["driving instructor"],
  "clean house": ["cleaner"],
  "house cleaning": ["cleaner"],
  firewood: ["coal"],
  "log delivery": ["coal"],
  payroll: ["accountant"],
  pension: ["financial adviser"],
  "storage unit": ["self-storage"],
  "tax adviser": ["accountant"],
  "tax return": ["accountant"],
  "will writing": ["solicitor"],
  "will writer": ["solicitor"],
  "car insurance": ["insurance broker"],
  "car battery": ["car part", "garage"],
  "buy a house": ["estate agent"],
  "sell my house": ["estate agent"],
  "houses for sale": ["estate agent"],
  "property for sale": ["estate agent"],
  "rent a flat": ["letting agent", "estate agent"],
  "rent a house": ["letting agent", "estate agent"],
  "flats to rent": ["letting agent", "estate agent"],
  "PAT testing": ["electrician"],
  headstone: ["stonemason"],
  food: ["restaurant", "café", "takeaway"],
  eat: ["restaurant", "café", "takeaway"],
  "place to eat": ["restaurant", "café", "takeaway"],
  "places to eat": ["restaurant", "café", "takeaway"],
  "afternoon tea": ["tea room"],
  "fine dining": ["restaurant"],
  steak: ["restaurant"],
  steakhouse: ["restaurant"],
  tapas: ["restaurant"],
  noodle: ["Chinese restaurant", "Japanese restaurant", "Thai restaurant"],
  milkshake: ["dessert"],
  "beer garden": ["pub"],
  "sports bar": ["bar", "pub"],
  "cocktail bar": ["bar"],
  "roast dinner": ["pub"],
  "kids party": ["soft play", "party shop"],
  "children's party": ["soft play", "party shop"],
  "days out": ["visitor attraction", "museum"],
  "things to do": ["visitor attraction", "museum", "theatre", "bowling alley", "escape room"],
  "wedding cake": ["cake shop"],
  "birthday cake": ["cake shop"],
  "wool shop": ["haberdasher"],
  "swimming lesson": ["swimming pool"],
  "pet food": ["pet shop"],
  "cat food": ["pet shop"],
  "dog food": ["pet shop"],
  "dog boarding": ["kennel"],
  "dog sitter": ["dog walker"],
  "pet sitter": ["dog walker"],
  "pet sitting": ["dog walker"],
  // What is wrong, and who repairs it.
  roof: ["roofer"],
  guttering: ["roofer"],
  tree: ["tree surgeon"],
  leak: ["plumber"],
  leaking: ["plumber"],
  "leaking roof": ["roofer"],
  "roof leaking": ["roofer"],
  "roof leak": ["roofer"],
  "locked out": ["locksmith"],
  "blocked drain": ["drainage"],
  "drain cleaning": ["drainage"],
  "drain unblocking": ["drainage"],
  "drain survey": ["drainage"],
  "blocked toilet": ["plumber"],
  "burst pipe": ["plumber"],
  "broken window": ["glazier"],
  "odd job": ["handyman", "handymen"],
  brake: ["garage"],
  "fuse box": ["electrician"],
  "wasp nest": ["pest control"],
  "ear wax": ["hearing centre"],
  "laptop repair": ["computer repair"],
  "phone repair": ["mobile phone shop"],
  "screen repair": ["mobile phone shop"],
  "PC repair": ["computer repair"],
  "oven repair": ["appliance repair"],
  "fridge repair": ["appliance repair"],
  "dent removal": ["body shop"],
  windscreen: ["garage", "body shop"],
  // Misspelt by more letters than search forgives.
  bycicle: ["bicycle"],
  farmacy: ["chemist", "pharmacy"],
  fisio: ["physiotherapist"],
  barbar: ["barber"],
  jewelery: ["jeweller"],
  jewler: ["jeweller"],
  jewlery: ["jeweller"],
  restraunt: ["restaurant"],
  resteraunt: ["restaurant"],
  optition: ["optician"],
  solicter: ["solicitor"],
  counciling: ["counsellor"],
  vetenary: ["vet"],
  vetinary: ["vet"],
  vetinery: ["vet"],
};

/**
 * Other words that have to be right, since they are one letter away from the beginning of something that a
 * directory is full of. If a typing error were forgiven in them, `store` would find every street, `halal` every
 * hall, `cakes` every café, `glass` all of Glasgow, `derry` all of Derby, `car parks` all car parts.
 */
export const otherExactWords = [
  "cake",
  "card",
  "derry",
  "floor",
  "glass",
  "halal",
  "horse",
  "motor",
  "paint",
  "park",
  "part",
  "party",
  "print",
  "store",
  "waste",
];

/**
 * Trades without synonyms. Those that are part of too many names of places are left out: whoever types `bar hill
 * dentist` or `market deeping dentist` wants no bar and no market.
 */
export const tradesWithoutSynonyms = `
  activity room; agricultural supplier; airport; alarm; allotment; amusement arcade; animal rescue;
  antique; appliance repair; art gallery; auction house; baby wear; bathroom; bed shop;
  bingo hall; blacksmith; boat trip; body shop; boutique; bowling alley; brewery;
  builders' merchant; building society; burger bar; butcher; camera shop; camping shop; car park;
  car part; car wash; caravan; card shop; carpet; cash and carry; casino; cattery; charity;
  childrenswear; chimney sweep; clothes shop; coach hire; coal merchant; college;
  community centre; complementary therapist; computer repair; computer shop; concert hall;
  conference centre; consulting engineer; cosmetics; council office; coworking; craft shop;
  crazy golf; curtain; damp proofing; dance school; day spa; department store;
  discount store; DIY; DJ; drainage; driveway; electrical shop; escape room; event planner;
  fancy dress; farm shop; fashion accessory; fire station; fishing lake; fishing tackle;
  fishmonger; flooring; food producer; fuel merchant; furniture shop; game shop; garden centre; gift shop;
  golf course; graphic designer; health food shop; heat pump; holiday cottage; holiday let;
  home care; homeware; hospice; hospital; hostel; hotel; importer; insurance broker;
  interior designer; IT support; key cutting; leisure centre; library; live music; locksmith;
  luggage; management consultant; manufacturer; marina; marketing agency; massage; medical supply;
  minibus hire; mobility shop; model shop; mortgage broker; motorcycle dealer; museum;
  music lesson; music venue; musical instrument; nature reserve; outdoor shop; packaging supplier;
  party shop; paving; pawnbroker; personal trainer; pet shop; picture framer; piercing; Pilates;
  places of worship; plant hire; playground; police station; pool hall; post office;
  private clinic; record shop; recycling; restaurant; sandwich shop; school;
  second-hand shop; self-storage; shopping centre; skip hire; snooker hall; social club; soft play;
  software company; solar panel; sports centre; sports club; sports ground; sports shop; stadium;
  stonemason; tanning salon; tea room; theatre; ticket office; tile shop; tobacconist;
  tour operator; tourist information; toy shop; training provider; travel agent; university;
  upholsterer; vape shop; vegan restaurant; video game; village hall; vintage clothing;
  visitor attraction; wallpaper; watch; web designer; wedding venue; wine merchant; yoga
`
  .trim()
  .split(/;\s+/);

/**
 * Known trades that just as often only say what another trade works on, has besides, or where it is: whoever types
 * `carpet cleaner`, `hotel with parking` or `hospital road dentist` wants no carpet shop, car park or hospital.
 */
export const modifiers = `
  airport alarm allotment antique ballet bathroom beds bicycle bike boiler boutique breakfast caravan carpet CCTV
  charity cheese college curtain dancing driveway fence fruit gym hospice hospital library luggage marina mattress
  parking pension playground school shower sofa stadium theatre university vegetable wallpaper
`
  .trim()
  .split(/\s+/);

/**
 * Names of two words, in the singular, of which half would find something else: every `Smith & Co`, cafés with breakfast,
 * restaurants for dog food, schools to learn driving, and removal companies for hair.
 */
export const inseparable = new Set(
  `
  asbestos removal; bed breakfast; builders merchant; cat food; co op; co operative; dance school; dent removal;
  dog food; drain cleaning; driving school; dry clean; dry cleaner; dry cleaning; fire station; food truck; food van;
  hair removal; leaking roof; pet food; plumbers merchant; riding school; roof leak; roof leaking; rubbish removal;
  stump removal; sun bed; tattoo removal; tree surgeon; tree surgery; turf accountant; village hall; waste removal
`
    .trim()
    .split(/;\s+/),
);

/**
 * Names that mean something else in singular: a glass is no optician's, a cosmetic dentist no cosmetics shop, and a bed
 * and breakfast no bed shop.
 */
export const onlyPlural = ["beds", "cosmetics", "glasses"];

/**
 * Categories, by their names, that search takes for others: a synonym counts for less than the word itself, so `doctor`
 * would find phone shops called The Phone Doctor before surgeries, `church` whatever is in a Church Street, and `hair`
 * those who supply hairdressers. A category that has been renamed goes by its new name.
 */
export const categoriesInSearch: ReadonlyMap<string, string> = new Map([
  ["GP surgeries", "Doctors and medical centres, medical practices, health centres, GP surgeries"],
  ["Places of worship", "Churches and places of worship"],
  ["Hairdressers", "Hairdressers and hair salons"],
  ["Cosmetics and hair supplies", "Cosmetics, hair supplies and perfume"],
  ["Bakeries and cake shops", "Bakers and bakeries, cake shops"],
  ["Beauty salons", "Beauty salons and beauty therapists"],
  ["Bridal shops", "Bridal shops and wedding dresses"],
  ["Builders", "Builders and building contractors"],
  ["Car parks", "Car parks and parking"],
  ["Care homes", "Care homes and nursing homes"],
  ["Charity shops", "Charity shops and thrift shops"],
  ["Convenience stores", "Convenience stores and corner shops"],
  ["Electric vehicle charging", "Electric vehicle charging and electric car charging"],
  ["Florists", "Florists and flower shops"],
  ["Glaziers, windows and doors", "Glaziers, windows, conservatories and doors"],
  ["Gyms", "Gyms and fitness centres"],
  ["Nightclubs", "Nightclubs and night clubs"],
  ["Riding stables", "Riding stables and riding schools"],
  ["Stationers", "Stationers and stationery"],
]);

/** Ways to write the same word, without plurals. */
export const spellings = [
  ["street", "st"],
  ["saint", "st"],
  ["great", "gt"],
  ["road", "rd"],
  ["avenue", "ave"],
  ["centre", "center"],
  ["theatre", "theater"],
  ["colour", "color"],
  ["co op", "co operative", "cooperative"],
];

/** Towns with two names that have no word in common. */
export const namesOfTowns = [["derry", "londonderry"]];

/** Districts of London that people name as a whole, although their postcodes have one more letter: `EC1A 1BB`. */
export const lettersOfDistricts: Record<string, string> = {
  ec1: "amnprvy",
  ec2: "amnprvy",
  ec3: "amnprv",
  ec4: "amnprvy",
  sw1: "aehpvwxy",
  w1: "abcdfghjkmstuw",
  wc1: "abehnrvx",
  wc2: "abehnr",
};
