/** Eating out, pubs and food shops; the columns are those of `readTrades`. */
export const foodTrades = `
restaurants|26|eatery|restaurant|restaurant|Kitchen;Dining Rooms;Bistro;Brasserie;Table;Restaurant|seasonal plates;Sunday roasts;a short wine list;a set lunch menu|Salt & Thyme;The Larder;Hearth;Forage & Feast;The Cellar Door;Fork & Field
indian-restaurants|16|eatery|evening|Indian restaurant|Tandoori;Spice;Balti House;Indian Kitchen|tandoori grills;balti dishes;thalis;South Indian dosas|Bombay Garden;The Royal Bengal;Saffron Lounge;Cumin & Clove;Taj Palace;The Golden Tiffin;Bengal Lancer
chinese-restaurants|8|eatery|evening|Chinese restaurant|Chinese Restaurant;Oriental|dim sum;Cantonese roast duck;Sichuan dishes;banquet menus|Golden Lotus;Jade Garden;The Peking Duck;Lucky Dragon;Mandarin Court;Wok This Way
italian-restaurants|11|eatery|restaurant|Italian restaurant|Trattoria;Ristorante;Italian Kitchen|fresh pasta;wood-fired pizza;Sicilian specialities;tiramisu made daily|Bella Vista;Il Forno;Casa Rossa;La Piazzetta;Nonna's Table;Penne for Your Thoughts
thai-restaurants|5|eatery|evening|Thai restaurant|Thai;Thai Kitchen|green and red curries;pad thai;papaya salad;lunch boxes|Thai Orchid;Lemongrass;Siam Garden;Basil & Lime;Thai Tanic
japanese-restaurants|4|eatery|evening|Japanese restaurant|Sushi;Ramen Bar|sushi and sashimi;ramen;bento lunches;sake by the glass|Sakura House;Umi;Miso Happy;Kumo Ramen
vegetarian-restaurants|3|eatery|cafe|vegetarian restaurant|Kitchen;Garden|vegan brunches;plant-based roasts;gluten-free cakes;daily soups|Root & Branch;The Green Fork;Thistle & Bean;Lettuce Eat
pizzerias|9|eatery|evening|pizzeria|Pizza;Pizzeria;Pizza Kitchen|sourdough pizza;garlic bread;calzones;family deals|Slice & Dough;Dough Fired;Pizza My Heart;Il Cornicione
fish-and-chips|22|eatery|takeaway|fish and chip shop|Fish Bar;Fisheries;Fish & Chips;Chippy;Plaice|haddock and chips;mushy peas;battered sausages;gluten-free frying on Mondays|The Codfather;Frying Nemo;The Happy Haddock;Oh My Cod;The Frying Scotsman;The Contented Sole;New Cod on the Block
takeaways|14|eatery|takeaway|takeaway|Takeaway;Grill;Express;Fast Food|wraps;burgers;loaded fries;free local delivery|Night Bites;The Hungry Fox;Spice & Slice
indian-takeaways|12|eatery|takeaway|Indian takeaway|Tandoori;Balti;Curry House;Spice|curries cooked to order;naan from the tandoor;set meals for two;free local delivery|Curry in a Hurry;Spice Box;Raj Express;The Naan Better
chinese-takeaways|13|eatery|takeaway|Chinese takeaway|Chinese Takeaway;Wok|chow mein;salt and pepper chips;crispy duck;set meals for two|Golden Wok;Happy Garden;Wing Wah;Lucky House;Sun Do;Wok Around the Clock
kebab-shops|11|eatery|takeaway|kebab shop|Kebab House;Grill;Kebabs;Charcoal Grill|doner and shish kebabs;mixed grills;halloumi wraps;free local delivery|Abra Kebabra;Istanbul Grill;Best Kebab;Anatolia
burger-bars|6|eatery|evening|burger bar|Burgers;Burger Bar;Smokehouse|smashed beef burgers;loaded fries;shakes;vegan patties|Bun Intended;Patty Lane;Stack Shack;Lord of the Fries
sandwich-shops|12|eatery|early|sandwich shop|Sandwich Bar;Baps & Baguettes;Sandwich Shop;Butty Bar|filled baguettes;breakfast baps;jacket potatoes;office platters|The Earl of Sandwich;Bread Winners;Lettuce & Loaf;Crumbs;Roll With It
cafes|30|eatery|cafe|café|Café;Tea & Coffee House;Kitchen Café;Snack Bar|all-day breakfasts;home-made cakes;toasties;soup of the day|The Copper Kettle;Crumb & Co;The Potting Shed;Full of Beans;The Greasy Fork;Toast;The Corner Cup
coffee-shops|18|eatery|cafe|coffee shop|Coffee;Coffee House;Espresso Bar;Roastery|flat whites;single-origin filter coffee;pastries;beans to take home|Brewed Awakening;Common Grounds;Deja Brew;Bean There;The Daily Grind;Steam & Crema
tea-rooms|6|eatery|cafe|tea room|Tea Rooms;Tea Room;Tea Garden|cream teas;afternoon tea;scones from the oven;loose-leaf teas|The Tea Cosy;Tea & Sympathy;The Buttered Scone;Tiers & Crumbs;Thyme for Tea
dessert-parlours|5|eatery|evening|dessert parlour|Gelato;Desserts;Ice Cream Parlour|gelato;waffles;sundaes;crêpes|Just One Scoop;Cone Zone;Sundae Best;The Sweet Spot
caterers|9|trade|office|caterer|Catering;Event Catering;Fine Foods|buffets;hog roasts;wedding breakfasts;business lunches|The Hungry Guest;Let's Do Lunch;Simply Spread
mobile-caterers|7|eatery|none|street food van|Street Food;Catering Van;Horsebox Bar|wood-fired pizza at markets;festival catering;burgers from the van;private parties|Rolling Scones;The Wandering Wok;Wheel Meals;The Bun Wagon
pubs|60|pub|pub|pub|Inn;Arms;Tavern|cask ales;Sunday roasts;quiz nights;a beer garden|
bars|16|eatery|bar|bar|Bar;Cocktail Bar;Taproom;Bar & Kitchen|cocktails;craft beer;small plates;live music at weekends|The Snug;Hops & Barley;Low Lights;The Tap Yard;Tonic;Bar None
nightclubs|3|eatery|club|nightclub|Club;Rooms|resident DJs;student nights;guest lists;private booths|Vertigo;The Basement;Neon;Mirrorball;Underpass;Club Orbit
social-clubs|5|place|pub|social club|Social Club;Working Men's Club;Ex-Servicemen's Club|members' bar;snooker;bingo nights;function room hire|
supermarkets|11|brand|convenience|supermarket||fresh fruit and vegetables;an in-store bakery;everyday groceries;click and collect|Greenacre Foods;Daymarket;Harbury's;Fairfield Foods;Kestrel Foodstores;Pennywell
convenience-stores|26|shop|convenience|convenience store|Stores;Mini Market;Convenience Store;News & Food;Village Shop;Local|milk and bread;parcel collection;bill payments;beers, wines and spirits|Corner Shop;Best Buys;Day to Day
bakeries|13|shop|early|bakery|Bakery;Bakehouse;Cakes;Patisserie|sourdough loaves;pasties;celebration cakes;sausage rolls|Bread & Butter;The Upper Crust;Knead & Proof;Rise & Shine;Loafing Around;The Rolling Pin;Bake My Day
butchers|11|shop|shop|butcher|Butchers;Family Butchers;Quality Meats;Butcher & Grazier|dry-aged beef;home-made sausages;free-range poultry;Christmas orders|The Meating Place;The Prime Cut
fishmongers|4|shop|early|fishmonger|Fishmongers;Wet Fish;Seafood;Fish Market|day-boat fish;dressed crab;smoked haddock;oysters to order|The Fishy Fishmonger;Net Gain;Off the Hook
greengrocers|5|shop|early|greengrocer|Greengrocers;Fruit & Veg;Fruiterers|local vegetables;fruit boxes;cut flowers;home deliveries|The Green Basket;Peas & Love;Top Banana
delicatessens|5|shop|shop|delicatessen|Deli;Delicatessen;Cheese;Fine Foods|farmhouse cheeses;charcuterie;hampers;olives and antipasti|The Cheese Board;Rind & Vine;The Pantry;Grate Expectations
farm-shops|5|shop|daily|farm shop|Farm Shop;Farm Barn|seasonal vegetables;home-reared beef;free-range eggs;a farm kitchen|
health-food-shops|5|shop|shop|health food shop|Health Foods;Wholefoods;Health Store;Refill Shop|wholefoods by weight;vitamins and supplements;vegan groceries;refills|Nature's Way;The Whole Grain;Nuts About Health
world-food-shops|9|shop|convenience|world food shop|Supermarket;Polski Sklep;Asian Foods;Cash & Carry;World Foods|spices and pulses;halal meat;Polish groceries;fresh chillies and herbs|Spice Bazaar;Baltic Foods;Taste of Asia;Smak
off-licences|8|shop|late|off-licence|Off-Licence;Wines;Booze;Beers & Wines|chilled beers;wines;spirits;mixers and snacks|Bargain Cellar;Last Orders;The Offie
wine-merchants|3|shop|shop|wine merchant|Wine Merchants;Vintners;Wine Cellar|tastings;mixed cases;English sparkling wine;whiskies|Corks Out;Planet of the Grapes;The Vine Shop
tea-and-coffee-merchants|2|shop|shop|tea and coffee merchant|Tea & Coffee Merchants;Coffee Roasters;Tea Merchants|beans roasted weekly;loose-leaf teas;brewing equipment;gift boxes|The Tea Chest
sweet-shops|5|shop|shop|sweet shop|Sweets;Confectionery;Chocolates;Sweet Shop|sweets by the quarter;hand-made chocolates;fudge;sugar-free treats|Sugar & Spice;Humbugs;The Sherbet Jar;Truffle Trouble
other-food-shops|3|shop|shop|food shop|Foods;Provisions;Food Store|local produce;preserves;honey;gift hampers|
`;
