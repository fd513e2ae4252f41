/** Beauty, health, care, trades, motoring, professions, schools; columns as in `readTrades`. */
export const serviceTrades = `
hairdressers|48|salon|salon|hairdresser|Hair;Hairdressing;Hair Studio;Hair Design|cuts and colour;balayage;wedding hair;children's cuts|Curl Up & Dye;A Cut Above;Hair Today;Shear Delight;The Mane Event;British Hairways
barbers|26|salon|shop|barber|Barbers;Barber Shop;Gentlemen's Barbers;Turkish Barbers|skin fades;hot towel shaves;beard trims;walk-ins|Jack the Clipper;Short Back & Sides;Fade Away;The Barber of Seville Street
beauty-salons|24|salon|salon|beauty salon|Beauty;Beauty Rooms;Beauty Studio;Aesthetics|facials;waxing;lash extensions;brows|Beauty & the Best;Blush;Glow;Bliss;Serenity;About Face
nail-bars|14|salon|sevenday|nail bar|Nails;Nail Bar;Nail Studio|gel manicures;acrylics;pedicures;nail art|Nailed It;Tip Top Nails;Hard as Nails;The Polish Room
tanning-salons|4|salon|late|tanning salon|Tanning;Tan Studio|sunbeds;spray tans;lotions;block minutes|Tantastic;Bronze;Here Comes the Tan
day-spas|3|salon|daily|day spa|Spa;Day Spa;Wellness Spa|hot stone massage;a thermal suite;couples' packages;afternoon tea|Still Waters;The Retreat;Ripple
massage-therapists|7|salon|varied|massage therapist|Massage;Massage Therapy;Sports Massage|sports massage;deep tissue work;pregnancy massage;home visits|Knot Today;Healing Hands
tattoo-studios|7|salon|late|tattoo studio|Tattoo;Tattoo Studio;Ink|custom designs;cover-ups;piercing;fine-line work|Inkwell;Sacred Needle;Think Ink;Black Anchor
cosmetics-shops|4|shop|shop|cosmetics shop|Cosmetics;Perfumery;Hair & Beauty Supplies|skincare;fragrances;make-up lessons;salon products|Scents & Sensibility;Powder & Paint
pharmacies|22|shop|pharmacy|pharmacy|Pharmacy;Chemist;Dispensing Chemist|NHS prescriptions;flu jabs;travel vaccinations;free delivery of prescriptions|Wellcare Pharmacy;Village Chemist
gp-surgeries|9|place|surgery|GP surgery|Surgery;Medical Centre;Health Centre;Medical Practice|appointments by telephone or online;nurse clinics;baby checks;travel health|
dentists|16|practice|surgery|dental practice|Dental Practice;Dental Care;Dental Surgery;Orthodontics|check-ups;whitening;implants;nervous patients|The Smile Rooms;Bridge & Crown Dental
opticians|10|practice|shop|optician|Opticians;Eyecare;Optometrists|eye tests;designer frames;contact lenses;home visits|Eye to Eye;For Your Eyes Only;Spectacle Makers
hospitals|1|place|always|hospital|Hospital;Community Hospital;Infirmary|outpatients;minor injuries;a day unit;X-ray|
private-clinics|5|practice|office|private clinic|Clinic;Skin Clinic;Health Clinic|health screening;dermatology;consultations;minor surgery|
physiotherapists|8|practice|office|physiotherapist|Physiotherapy;Physio;Sports Injury Clinic|sports injuries;back pain;acupuncture;rehabilitation after surgery|
osteopaths|4|practice|office|osteopath|Osteopaths;Osteopathic Clinic|back and neck pain;sports injuries;cranial osteopathy;pregnancy care|
chiropractors|4|practice|office|chiropractor|Chiropractic;Chiropractic Clinic;Spinal Health|back pain;sciatica;posture checks;headaches|
chiropodists|5|practice|office|chiropodist|Podiatry;Foot Clinic;Chiropody|nail care;verrucas;orthotics;diabetic foot checks|Happy Feet;Feet First
counsellors|9|practice|office|counsellor|Counselling;Psychotherapy;Therapy Rooms|anxiety and low mood;couples;online sessions;bereavement|
hearing-centres|3|practice|office|hearing centre|Hearing Care;Hearing Centre|hearing tests;ear wax removal;hearing aids;repairs|Hear Hear
acupuncturists|3|practice|office|acupuncturist|Acupuncture;Chinese Medicine;Acupuncture Clinic|acupuncture;cupping;herbal medicine;fertility support|
complementary-therapists|6|salon|varied|complementary therapist|Holistic Therapies;Reflexology;Reiki;Homeopathy|reflexology;reiki;aromatherapy;hypnotherapy|Inner Calm;Whole & Well
mobility-shops|3|shop|shop|mobility shop|Mobility;Mobility Centre;Healthcare|scooters;riser chairs;stairlifts;home demonstrations|Get Up & Go
care-homes|9|place|always|care home|Care Home;Nursing Home;Residential Home;House|residential care;dementia care;respite stays;gardens|
home-care|6|trade|always|home care provider|Homecare;Care Services;Care at Home|personal care;companionship;live-in care;night sitting|
hospices|1|place|always|hospice|Hospice|palliative care;family support;day services;bereavement groups|
funeral-directors|6|practice|always|funeral director|Funeral Directors;Funeral Services;Independent Funerals|burials and cremations;natural funerals;pre-paid plans;a chapel of rest|
builders|36|trade|trade|builder|Builders;Building Services;Construction;Building Contractors|extensions;loft conversions;renovations;garden walls|Brick by Brick
plumbers|40|trade|trade|plumber|Plumbing;Plumbing & Heating;Plumbers;Plumbing Services|leaks and burst pipes;bathroom fitting;blocked toilets;power flushing|Tap Dancers;The Flow Job;Drip Fix
heating-engineers|16|trade|trade|heating engineer|Heating;Gas Services;Boilers;Gas & Heating|boiler servicing;new boilers;gas safety certificates;underfloor heating|Warm Front Heating
electricians|36|trade|trade|electrician|Electrical;Electricians;Electrical Services;Electrical Contractors|rewires;fuse boards;lighting;landlord certificates|Bright Sparks;Watts Up;Live Wire
roofers|16|trade|trade|roofer|Roofing;Roofing Contractors;Roofing Services|flat roofs;slating and tiling;leadwork;gutters|Over the Top Roofing
joiners-and-carpenters|14|trade|trade|joiner and carpenter|Joinery;Carpentry;Carpentry & Joinery|staircases;fitted wardrobes;sash windows;doors hung|Knot Wood
plasterers|9|trade|trade|plasterer|Plastering;Plasterers;Plastering & Rendering|skimming;rendering;coving;dry lining|Smooth Operators;Get Plastered
painters-and-decorators|16|trade|trade|painter and decorator|Decorators;Painting & Decorating;Decorating|interiors;exteriors;wallpapering;spray finishes|A Fresh Coat
bricklayers|7|trade|trade|bricklayer|Brickwork;Stonemasons;Masonry|repointing;garden walls;stone repairs;chimneys|
windows-and-doors|12|trade|trade|window and door firm|Windows;Glazing;Glass;Windows & Conservatories|double glazing;misted units replaced;composite doors;emergency boarding-up|Clear View;A Touch of Glass
damp-proofing|3|trade|trade|damp-proofing firm|Damp Proofing;Preservation;Damp & Timber|damp surveys;timber treatment;cellar conversions;guarantees|
drainage-contractors|6|trade|emergency|drainage contractor|Drains;Drainage;Drain Services|blocked drains;camera surveys;septic tanks;drain relining|Drain Surgeons
paving-and-driveways|8|trade|trade|paving contractor|Paving;Driveways;Paving & Surfacing|block paving;resin driveways;patios;tarmac|
scaffolders|4|trade|trade|scaffolder|Scaffolding;Access Scaffolding|domestic scaffolding;temporary roofs;chimney scaffolds;quick quotes|
blacksmiths|3|trade|trade|blacksmith|Forge;Ironwork;Metalwork;Welding|gates and railings;fire baskets;welding repairs;sculpture|
air-conditioning|3|trade|trade|air conditioning engineer|Air Conditioning;Refrigeration;Climate|installation;servicing;cold rooms;heat pumps|Cool Runnings Air
solar-and-heat-pumps|5|trade|trade|solar and heat pump installer|Solar;Renewables;Green Energy|solar panels;battery storage;heat pumps;grant advice|Here Comes the Sun Solar
gardeners|18|trade|trade|gardener|Gardens;Landscaping;Garden Services;Landscapes|mowing;hedges;turfing;fencing|The Lawn Ranger;Mow Problem;Grass Roots
tree-surgeons|7|trade|trade|tree surgeon|Tree Care;Tree Surgeons;Arborists|felling;crown reductions;stump grinding;logs|Special Branch;Out on a Limb
cleaners|16|trade|trade|cleaning firm|Cleaning;Cleaning Services;Cleaners|domestic cleaning;offices;end of tenancy;carpets and upholstery|Maid to Measure;Spick & Span;Mop Stars
window-cleaners|9|trade|trade|window cleaner|Window Cleaning;Window Cleaners|purified water;gutters;conservatory roofs;shop fronts|Pane in the Glass;Streak Free
chimney-sweeps|3|trade|trade|chimney sweep|Chimney Sweeps;Chimney Services|sweeping with certificates;bird guards;stoves serviced;nests removed|Clean Sweep;Soot & Son
handymen|9|trade|trade|handyman|Property Maintenance;Handyman Services;Home Repairs|flat-pack assembly;shelves;odd jobs;tiling|Odd Job Rob;Hire a Hand
locksmiths|9|trade|emergency|locksmith|Locksmiths;Locks;Key Cutting|lock-outs day and night;lock changes;car keys;safes|Keys Please;Surelock Homes
alarms-and-security|5|trade|office|alarm and security firm|Security;Alarms;Fire & Security|burglar alarms;CCTV;door entry;fire alarms|Safe & Sound
pest-control|5|trade|trade|pest controller|Pest Control;Pest Services|wasps;rats and mice;moles;bird proofing|Rat's Entertainment;Bye Bye Bugs
appliance-repairs|6|trade|trade|appliance repairer|Appliance Repairs;Domestic Appliances;Washing Machine Repairs|washing machines;ovens;dishwashers;fridges|Spin Cycle
launderettes|6|shop|daily|launderette|Launderette;Laundry;Wash & Dry|service washes;duvets;ironing;contract laundry|Soap Opera;Bubbles;The Wash Tub
dry-cleaners|7|shop|shop|dry cleaner|Dry Cleaners;Cleaners;Dry Cleaning|suits;wedding dresses;curtains;shirts washed and pressed|Pressed for Time
shoe-repairs|5|shop|shop|shoe repairer|Shoe Repairs;Cobblers;Heel Bar|soles and heels;keys cut;watch batteries;engraving|Heel Thyself;Well Heeled Cobblers
waste-and-skip-hire|6|trade|trade|waste and skip hire firm|Skip Hire;Waste Services;Clearances|skips of all sizes;house clearances;garden waste;same-day collection|Skip to My Loo
car-dealers|18|trade|dealer|car dealer|Motors;Cars;Car Sales;Motor Company|used cars;part exchange;finance;warranties|
garages|30|trade|trade|garage|Garage;Motor Repairs;Autos;Car Repairs;Service Centre|servicing;brakes;diagnostics;courtesy cars|Wheels in Motion;Spanner Works
mot-centres|9|trade|trade|MOT centre|MOT Centre;MOT Station;Test Centre|MOTs while you wait;free retests;servicing;vans up to three and a half tonnes|
body-shops|6|trade|trade|body shop|Body Repairs;Bodyshop;Accident Repair Centre|dents and scratches;insurance work;resprays;alloy refurbishment|Dent Masters
tyre-and-exhaust-centres|9|trade|trade|tyre and exhaust centre|Tyres;Tyres & Exhausts;Tyre Centre|tyres fitted;puncture repairs;exhausts;wheel alignment|Tyred Out;Tread Lightly
car-parts|5|trade|shop|car parts shop|Motor Spares;Car Parts;Autoparts|batteries;brake pads;bulbs fitted;number plates|Spare Me
car-washes|8|trade|daily|car wash|Hand Car Wash;Valeting;Car Wash|hand washes;full valets;engine cleaning;mobile valeting|Splash & Dash;Bubbles & Shine
petrol-stations|9|brand|always|petrol station||unleaded and diesel;a shop;jet wash;air and water|Kingsway Fuels;Roadhouse Services;Crossways Filling Station;Redline
ev-charging|2|brand|always|charging station||rapid chargers;contactless payment;lit bays;step-free bays|Ampere Point;Volt & Go;GreenPlug
breakdown-recovery|4|trade|emergency|breakdown and recovery service|Recovery;Vehicle Recovery;Breakdown Services|roadside repairs;accident recovery;jump starts;transport|
motorcycle-dealers|4|trade|shop|motorcycle dealer|Motorcycles;Bikes;Scooters|new and used bikes;servicing;clothing and helmets;MOTs|Easy Riders
caravans-and-motorhomes|3|trade|dealer|caravan dealer|Caravans;Motorhomes;Leisure Vehicles|sales;servicing;awnings;storage|
car-and-van-hire|5|trade|dealer|car and van hire firm|Car Hire;Van Hire;Self Drive|vans by the day;minibuses;one-way hire;airport collection|
car-parks|3|place|always|car park|Car Park;Multi-Storey Car Park|pay on exit;disabled bays;season tickets;electric charging|
driving-instructors|16|trade|varied|driving instructor|School of Motoring;Driving School;Driver Training|manual and automatic;intensive courses;refresher lessons;Pass Plus|L of a Driver;Pass First Time;Clutch Control
taxis|16|trade|always|taxi firm|Taxis;Cars;Cabs;Private Hire|airport runs;eight-seaters;wheelchair-accessible cabs;account customers|Star Cars;Ace Cabs;A2B Taxis
coach-hire|3|trade|office|coach hire firm|Coaches;Minibus Hire;Travel|day trips;school runs;weddings;minibuses with drivers|
removals|8|trade|trade|removals firm|Removals;Removals & Storage;Man & Van|house moves;packing;storage;single items|Shift Happens;Van-tastic;Movers & Shakers
self-storage|3|brand|daily|self-storage centre||rooms of all sizes;boxes and packing;business storage;access every day|Lock & Leave;The Stow Room;Four Walls Storage;Spare Room Storage
couriers|5|trade|trade|courier|Couriers;Same Day Couriers;Parcels|same-day deliveries;pallets;medical samples;signed-for parcels|
haulage|4|trade|trade|haulage firm|Haulage;Transport;Logistics;Distribution|general haulage;pallet delivery;warehousing;containers|
stations-and-airports|1|place|always|station|Station;Bus Station;Ferry Terminal|a ticket office;a waiting room;a taxi rank;bicycle racks|
estate-agents|22|practice|office7|estate agent|Estate Agents;Residential;Homes;Sales & Lettings|free valuations;sales;lettings;auctions|
letting-agents|10|practice|office|letting agent|Lettings;Property Management;Letting Agents|tenant finding;full management;student houses;inventories|
surveyors|5|practice|office|surveyor|Chartered Surveyors;Surveyors;Building Surveyors|home surveys;valuations;party walls;boundary disputes|
architects|8|practice|office|architect|Architects;Architecture;Design Partnership|extensions;planning applications;listed buildings;new homes|
solicitors|20|practice|office|firm of solicitors|Solicitors;Law;Legal|conveyancing;wills and probate;family law;employment|
conveyancers|4|practice|office|licensed conveyancer|Conveyancing;Property Lawyers;Conveyancers|sales and purchases;remortgages;leasehold;fixed fees|
banks|6|brand|office|bank branch||counter service;mortgages;business accounts;cash machines|Albion & Northern Bank;Wold & Vale Building Society;Three Rivers Building Society;Merchant Union Bank
accountants|20|practice|office|firm of accountants|Accountants;Accountancy;Chartered Accountants;Bookkeeping|annual accounts;tax returns;payroll;VAT|Count on Us;The Ledger Room
financial-advisers|9|practice|office|financial adviser|Wealth;Financial Planning;Financial Services|pensions;investments;inheritance tax;a free first meeting|
mortgage-brokers|7|practice|office|mortgage broker|Mortgages;Mortgage Services|first-time buyers;buy to let;remortgages;protection|Home Straight Mortgages
insurance-brokers|5|practice|office|insurance broker|Insurance;Insurance Brokers|motor insurance;landlords;shops and offices;claims help|
bureaux-de-change|2|brand|shop|bureau de change||euros and dollars;buy-back;money transfers;click and collect|Change Point;Sterling Exchange;Kestrel Currency
pawnbrokers|4|brand|shop|pawnbroker||loans on jewellery;gold bought;cheques cashed;pre-owned watches|Three Brass Balls;Goldfinch & Lane;Sovereign Pawnbrokers
printers|8|trade|office|printer|Print;Printers;Copy Shop;Printing|business cards;banners;wedding stationery;copies while you wait|Hot Off the Press;Paper Jam
sign-makers|5|trade|office|sign maker|Signs;Signs & Graphics;Sign Writers|shop fronts;vehicle graphics;banners;traditional sign writing|A Good Sign;Signs of the Times
graphic-designers|7|practice|office|graphic designer|Design;Creative;Graphics|logos;brochures;packaging;illustration|Pixel & Ink;Serif & Sons
web-designers|9|practice|office|web designer|Web Design;Digital;Websites|small-business sites;online shops;hosting;search optimisation|Loading Bay Web;Pixel Pie
marketing-agencies|7|practice|office|marketing agency|Marketing;Media;Communications|campaigns;social media;press relations;strategy|Loud & Clear;Fox & Megaphone
it-support|9|practice|office|IT support firm|IT;IT Solutions;IT Support;Technology|help desk;networks;cyber security;cloud backups|Off & On Again IT
software-companies|6|practice|office|software company|Software;Systems;Labs|mobile apps;bespoke systems;integrations;support|Null & Void Software;Teapot Labs
recruitment-agencies|7|practice|office|recruitment agency|Recruitment;Staffing;Personnel|temporary staff;permanent roles;driving and warehouse work;CV help|
management-consultants|5|practice|office|management consultancy|Consulting;Consultants;Associates|business plans;interim managers;process reviews;grant applications|
engineers|5|practice|office|firm of consulting engineers|Structural Engineers;Engineering;Consulting Engineers|structural surveys;steel calculations;drainage design;site visits|
coworking-spaces|3|place|office|co-working space|Workspace;Business Centre;Works;Hub|hot desks;private offices;meeting rooms;fast broadband|Desk Jockeys;The Shed Works
packaging-suppliers|2|trade|office|packaging supplier|Packaging;Packaging Supplies|boxes;tape and labels;pallets;plastic-free wrapping|
photographers|12|trade|none|photographer|Photography;Photographic;Studios|weddings;family portraits;passport photographs;products|Say Cheese;Picture This;Hold Still
other-business-services|4|practice|office|business services firm|Services;Business Services;Solutions|office support;telephone answering;document storage;translation|
nurseries|12|salon|nursery|nursery|Nursery;Day Nursery;Pre-School;Playgroup|babies to four-year-olds;funded hours;forest school;home-cooked meals|Little Acorns;Bumblebees;Humpty Dumpty's;First Steps;Ladybirds;Tiny Explorers
childminders|6|trade|nursery|childminder|Childminding;Childcare|before and after school;holidays;garden play;school runs|Little Treasures;Tumbletots House
schools|10|place|school|school|Primary School;Junior School;Academy;Infant School;High School|breakfast club;sports;music;open mornings|
colleges-and-universities|2|place|school|college|College;Sixth Form College;College of Further Education|A-levels;apprenticeships;evening classes;open days|
tutors|8|trade|varied|tutor|Tuition;Tutors;Tutoring|GCSE maths;English;eleven-plus;online lessons|Top Marks;Making the Grade
music-lessons|5|trade|varied|music teacher|Music School;Piano Lessons;Guitar Lessons|piano;guitar;singing;grade examinations|Note to Self;Chopin Block
dance-schools|5|salon|varied|dance school|School of Dance;Dance Academy;Stage School|ballet;tap;street dance;adult beginners|Happy Feet Dance;On Your Toes
training-providers|4|practice|office|training provider|Training;First Aid Training;Skills|first aid;food hygiene;forklift licences;apprenticeships|
farms|4|place|daylight|farm|Farm;Fruit Farm;Growers|pick your own;eggs;lambing weekends;Christmas trees|
agricultural-suppliers|3|trade|trade|agricultural supplier|Agricultural;Farm Supplies;Country Stores|feed;fencing;workwear;machinery parts|
breweries|4|trade|varied|brewery|Brewery;Brewing Co;Distillery;Cider|cask ale;brewery tours;small-batch gin;a tap room|Hop & Glory;Wherry Good Ales;Barley Legal
food-producers|3|trade|office|food producer|Foods;Preserves;Pies;Fine Foods|hand-made pies;chutneys;wholesale orders;farmers' markets|
manufacturers|5|trade|office|manufacturer|Engineering;Manufacturing;Precision Engineering;Fabrications|machining;short runs;sheet metal;prototypes|
wholesalers|3|trade|office|wholesaler|Wholesale;Trade Supplies;Distribution|trade prices;next-day delivery;catering supplies;accounts|
importers-and-exporters|2|trade|office|importer and exporter|Imports;Trading;International|customs clearance;freight;wholesale;sourcing|
fuel-merchants|3|trade|trade|fuel merchant|Fuels;Coal & Logs;Bottled Gas|heating oil;kiln-dried logs;smokeless coal;bottled gas|
scrap-and-recycling|3|trade|trade|scrap and recycling yard|Metals;Recycling;Scrap|scrap cars collected;copper and lead;skips;weighbridge|Heavy Metal
`;
