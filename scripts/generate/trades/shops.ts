/** Shops that sell no food; the columns are those of `readTrades`. */
export const shopTrades = `
department-stores|2|brand|shop|department store||fashion;homeware;beauty counters;a top-floor café|Ashworth & Pike;Harcourts;Beaumont's;Fenner & Hale
shopping-centres|2|place|shop|shopping centre|Shopping Centre;Arcade;Mall|high-street names;places to eat;parking;step-free access|
discount-stores|7|brand|convenience|discount store||household goods;toiletries;seasonal bargains;garden furniture|Poundwell;Bargain Barn;Penny Wise;Save & Go;Thrift Corner
charity-shops|18|brand|shop|charity shop||second-hand books;clothes;furniture collections;donations at the back door|Lantern Hospice Shop;Second Spring;Harbour House Charity Shop;Paws & Claws Rescue Shop;St Columba's Hospice Shop;The Kindness Shop
second-hand-shops|5|shop|shop|second-hand shop|Bargains;House Clearance;Collectables;Second-Hand Shop|furniture;vinyl;house clearances;fair prices for good things|Twice Loved;Second Time Around;Magpie's Nest
newsagents|11|shop|early|newsagent|News;Newsagents;Newsagent & Tobacconist|newspapers delivered;magazines;cigars and tobacco;parcel collection|Morning Call;Daily Read;Headlines
vape-shops|8|shop|late|vape shop|Vapes;Vape Store;E-Cigs|starter kits;e-liquids;coils and pods;advice for people who want to stop smoking|Cloud Nine Vapes;Vapour Trail;Puff & Stuff
markets|2|place|early|market|Market;Market Hall;Covered Market|fruit and vegetable stalls;street food;fabrics;a Saturday flea market|
cash-and-carry|2|trade|early|cash and carry|Cash & Carry|bulk groceries;catering supplies;drinks by the case;trade accounts|
other-shops|5|shop|shop|shop|Emporium;Trading;Store;Bazaar|things that you did not know you needed;friendly advice;gifts;repairs|Bits & Bobs;Odds & Ends;The Curious Cupboard
clothes-shops|22|shop|shop|clothes shop|Clothing;Fashions;Menswear;Outfitters;Knitwear|womenswear;menswear;occasion wear;school uniforms|Threads;Dressed to Impress;Hem & Cuff;Button Up
boutiques|8|shop|shop|boutique|Boutique;Studio;Collection|independent labels;occasion dresses;personal styling;scarves and jewellery|Velvet & Rose;Chic Street;Blue Heron;Clover & Wren
childrenswear|4|shop|shop|children's clothes shop|Kids;Baby & Child;Childrenswear|school uniforms;baby clothes;prams;christening gowns|Little Acorns;Tiny Toes;Wee Ones;Mini Me
vintage-clothing|3|shop|shop|vintage clothes shop|Vintage;Retro|denim;dresses from the fifties to the nineties;leather jackets;rework and repair|Rewind;Moth & Rust;Yesterday's Threads
shoe-shops|8|shop|shop|shoe shop|Shoes;Footwear;Family Footwear|children's shoes fitted;walking boots;wide fittings;school shoes|Best Foot Forward;Sole Mates;Well Heeled
bags-and-luggage|2|shop|shop|luggage shop|Luggage;Leather Goods;Bags|suitcases;handbags;leather repairs;school bags|Bag to Basics;Case Closed
fashion-accessories|3|shop|shop|accessories shop|Accessories;Millinery;Hats|hats;scarves;belts;hair accessories|Finishing Touches;Hats Off
jewellers|12|shop|shop|jeweller|Jewellers;Goldsmiths;Watchmakers;Fine Jewellery|engagement rings;watch repairs;valuations;jewellery made to order|Time & Tide;The Gold Room
tailors|5|shop|shop|tailor|Tailoring;Alterations;Bespoke Tailors;Stitching|trousers shortened;wedding dress alterations;zips replaced;suits made to measure|A Stitch in Time;Sew Good;Sew What;Needle & Pin
furniture-shops|10|shop|sevenday|furniture shop|Furniture;Interiors;Pine;Sofas|sofas;dining tables;oak bedroom furniture;free delivery nearby|Sofa So Good;Oak & Ash;Home Comforts
bed-shops|4|shop|sevenday|bed shop|Beds;Bed Centre;Mattresses|mattresses;divans;old beds taken away;adjustable beds|Forty Winks;Bedtime Stories;Land of Nod
carpets-and-flooring|9|shop|shop|carpet and flooring shop|Carpets;Flooring;Carpets & Vinyls|carpets fitted;laminate and vinyl;free measuring;stair runners|Underfoot;Magic Carpets;The Flooring Room
curtains-and-blinds|5|shop|shop|curtain and blind maker|Blinds;Curtains;Curtains & Blinds;Shutters|made-to-measure curtains;roller blinds;shutters;free fitting|It's Curtains for You;Blind Ambition
kitchens-and-bathrooms|8|shop|shop|kitchen and bathroom showroom|Kitchens;Bathrooms;Kitchens & Bathrooms|kitchen design;wet rooms;worktops;fitting from start to finish|Tap End;Splash
fireplaces-and-stoves|3|shop|shop|fireplace and stove shop|Fireplaces;Stoves;Fires & Stoves|wood-burning stoves;gas fires;chimney lining;surveys|Hearth & Home;Grate Fires
homeware-shops|6|shop|sevenday|homeware shop|Homeware;Home;Living;Lighting|lamps;cookware;cushions and throws;candles|Nest;The Wooden Spoon;Hygge & Heather
antique-shops|5|shop|weekend|antique shop|Antiques;Antiques Centre;Curios|Georgian furniture;silver;valuations;house clearances|Times Past;The Old Curiosity
picture-framers|4|shop|shop|picture framer|Framing;Picture Framing;Frames & Prints|bespoke frames;mounts;canvas stretching;limited-edition prints|You've Been Framed;Well Hung
interior-designers|4|practice|office|interior designer|Interiors;Interior Design|room schemes;project management;fabrics and wallpaper;home staging|
upholsterers|4|trade|office|upholsterer|Upholstery;Soft Furnishings|sofas re-covered;antique chairs restored;caravan cushions;loose covers|
diy-shops|7|shop|sevenday|DIY shop|DIY;Home Improvements;DIY Centre|paint mixing;timber cut to size;tools;garden supplies|Do It All Right;Nuts & Bolts
hardware-shops|7|shop|shop|hardware shop|Hardware;Ironmongers;Tools|keys cut;paraffin;screws by weight;garden tools|Fork Handles;The Screw Shop
builders-merchants|7|trade|trade|builders' merchant|Building Supplies;Builders' Merchants;Timber;Trade Supplies|bricks and blocks;timber;sand and gravel;next-day deliveries|
paint-and-wallpaper|4|shop|shop|decorating shop|Decorating Centre;Paints;Wallpapers|trade paints;colour matching;wallpapers;decorating tools|Brush & Roller;Off the Wall
tile-shops|3|shop|shop|tile shop|Tiles;Tile Centre;Ceramics|porcelain tiles;mosaics;adhesives and grout;samples to take home|On the Tiles;Tile & Error
garden-centres|6|shop|sevenday|garden centre|Garden Centre;Nurseries;Plant Centre|bedding plants;compost;a coffee shop;Christmas trees|The Potting Bench;Green Fingers
tool-and-plant-hire|4|trade|trade|tool and plant hire firm|Plant Hire;Tool Hire;Hire Centre|mini diggers;floor sanders;access towers;delivery to site|
electrical-shops|8|shop|shop|electrical shop|Electricals;TV & Hi-Fi;Electrical;Audio|washing machines;televisions;repairs;hi-fi separates|Current Affairs;Sound & Vision
computer-shops|5|shop|shop|computer shop|Computers;Computing|laptops;custom PCs;upgrades;data recovery|Bits & Bytes;Escape Key
computer-repairs|6|trade|shop|computer repair workshop|Computer Repairs;PC Repairs;IT Repairs|virus removal;screen repairs;data recovery;same-day service|PC Medic;Ctrl Alt Repair
mobile-phone-shops|13|shop|sevenday|mobile phone shop|Mobiles;Phones;Phone Repairs;Phone Clinic|screens replaced;phones unlocked;SIM-only deals;accessories|Fone Fixers;The Phone Doctor;Call Me Maybe Mobiles
camera-shops|2|shop|shop|camera shop|Cameras;Camera Exchange;Photographic|used cameras;film developing;passport photographs;binoculars|Shutter & Lens
video-game-shops|2|shop|sevenday|video game shop|Games;Game Exchange;Retro Games|retro consoles;trade-ins;tournaments;repairs|Player One;Press Start;Level Up
bookshops|7|shop|shop|bookshop|Books;Bookshop;Second-Hand Books;Comics|local history;children's books;second-hand paperbacks;author events|Shelf Life;The Open Book;Chapter & Verse;Spine & Dust;Page Turners;A Novel Idea
stationers|4|shop|shop|stationer|Stationers;Office Supplies;Paper & Pens|pens;notebooks;printer ink;greetings cards|Paper Trail;Write Here
card-shops|5|shop|shop|card shop|Cards;Cards & Gifts;Greetings|birthday cards;balloons;wrapping paper;personalised gifts|Card Sharp;Wish You Were Here
gift-shops|12|shop|sevenday|gift shop|Gifts;Gift Shop;Cards & Gifts;Crafts|local crafts;candles;souvenirs;gift wrapping|The Blue Door;Driftwood;Present & Correct;Paper Moon
florists|12|shop|shop|florist|Flowers;Florist;Floral Design;Blooms|wedding flowers;funeral tributes;same-day delivery;house plants|Petal & Stem;Bloomin' Marvellous;The Flower Pot;Stems & Thorns;Back to the Fuchsia
toy-shops|5|shop|shop|toy shop|Toys;Toy Shop|wooden toys;jigsaws;dolls' houses;party bags|The Toy Box;Jack in the Box;Playtime
model-and-game-shops|3|shop|shop|model and game shop|Models;Hobbies;Games & Models|model railways;board games;miniatures;games nights|Dragon & Dice;Roll for It;Platform Nine Models
record-shops|3|shop|shop|record shop|Records;Vinyl;Sounds|new and used vinyl;band T-shirts;turntables;in-store sets|Spin City;The Groove;B-Side;For the Record
musical-instruments|3|shop|shop|music shop|Music;Guitars;Pianos;Musical Instruments|guitars;sheet music;repairs;lessons upstairs|Sharps & Flats;Fret Not
art-and-craft-shops|4|shop|shop|art and craft shop|Art Supplies;Crafts;Art & Craft|paints and canvases;workshops;card making;children's craft kits|The Paint Pot;Glue & Glitter;Crafty Corner
haberdashers|4|shop|shop|haberdasher|Fabrics;Haberdashery;Wools;Sewing Centre|dress fabrics;knitting wool;buttons and zips;sewing classes|Knit & Natter;Button & Bow;Purl One
auction-houses|2|practice|office|auction house|Auctioneers;Auction Rooms;Salerooms|monthly sales;probate valuations;antiques;online bidding|
sports-shops|6|shop|sevenday|sports shop|Sports;Sports & Leisure;Running|running shoes;team kits;racket restringing;gait analysis|First Past the Post;Game On;Warm Up
outdoor-shops|4|shop|sevenday|outdoor shop|Outdoors;Camping & Leisure;Mountain Sports|walking boots;tents;waterproofs;maps|Peak & Fell;Happy Camper;Base Camp
bicycle-shops|7|shop|shop|bicycle shop|Cycles;Bikes;Cycle Works;Cycle Centre|servicing;electric bikes;children's bikes;parts and clothing|On Your Bike;Spokes & Folks;Chain Reaction;The Pedal Club
fishing-tackle|3|shop|early|tackle shop|Tackle;Angling;Bait & Tackle|live bait;rods and reels;licences;tips on where they bite|Hook, Line & Sinker;Reel Time
saddlers|2|shop|shop|saddler|Saddlery;Tack Shop;Equestrian|saddle fitting;rug repairs;riding hats;feed|Mane Street Tack
`;
