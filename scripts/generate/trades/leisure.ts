/** Leisure, culture, travel, animals, events and community; the columns are those of `readTrades`. */
export const leisureTrades = `
gyms|11|place|gym|gym|Gym;Fitness Centre;Health Club|free weights;group classes;personal training;no joining fee|Iron Works;Pump Station;The Fitness Barn
yoga-and-pilates|7|salon|varied|yoga and Pilates studio|Yoga;Pilates;Yoga Studio|beginners' courses;hot yoga;pregnancy classes;retreats|Still Point;Breathe;Namaste & Stay;The Mat
personal-trainers|6|trade|early|personal trainer|Fitness;Personal Training;PT|one-to-one sessions;nutrition plans;outdoor boot camps;rehabilitation|
leisure-centres|4|place|gym|leisure centre|Leisure Centre;Sports Centre;Sports Hall|a gym;badminton courts;swimming lessons;a climbing wall|
swimming-pools|3|place|gym|swimming pool|Pool;Swimming Baths;Lido|lane swimming;lessons;aqua aerobics;family sessions|
sports-clubs|6|place|varied|sports club|Cricket Club;Football Club;Tennis Club;Bowls Club;Rugby Club|junior teams;coaching;a clubhouse bar;social members|
sports-grounds|4|place|daylight|sports ground|Playing Fields;Recreation Ground;Sports Ground;Athletics Track|football pitches;changing rooms;tennis courts;a pavilion for hire|
stadiums|1|place|varied|stadium|Stadium;Arena|match days;hospitality;stadium tours;concerts|
golf-courses|3|place|daylight|golf course|Golf Club;Golf Course;Driving Range|eighteen holes;a driving range;lessons with a professional;society days|
riding-stables|2|place|daily|riding school|Stables;Riding School;Equestrian Centre;Livery Yard|lessons for all ages;hacks;pony days;livery|
fishing-lakes|2|place|daylight|fishing lake|Fishery;Fishing Lakes;Carp Lake|coarse fishing;day tickets;night fishing by arrangement;a tackle hut|
marinas|1|place|daylight|marina|Marina;Boatyard;Moorings|berths;a slipway;boat repairs;a chandlery|
parks-and-playgrounds|6|place|always|park|Park;Playground;Recreation Ground;Common|a playground;tree-lined paths;a bandstand;picnic tables|
gardens|2|place|daylight|garden|Gardens;Allotments;Walled Garden;Botanic Gardens|herbaceous borders;glasshouses;plant sales;quiet seats|
nature-reserves|2|place|always|nature reserve|Nature Reserve;Marsh;Woods;Local Nature Reserve|bird hides;boardwalks;guided walks;wild flowers in June|
soft-play-centres|3|salon|daily|soft play centre|Soft Play;Play Barn;Play Centre|birthday parties;toddler mornings;slides and ball pools;a parents' café|Wacky Woods;Little Monkeys;Bouncy Bears;Jungle Gym
other-leisure|2|place|varied|leisure venue|Leisure;Activity Centre;Trampoline Park|parties;group bookings;school holidays;sessions for all ages|
cinemas|2|place|late|cinema|Cinema;Picture House;Electric Cinema;Film Theatre|new releases;silver screenings;live theatre on screen;a bar|
theatres|3|place|varied|theatre|Theatre;Playhouse;Concert Hall|touring drama;pantomime;comedy nights;youth theatre|
live-music-venues|2|eatery|club|live music venue|Live;Music Hall;Warehouse;Arts Club|touring bands;open-mic nights;jazz on Thursdays;hire for private events|The Amp;Soundcheck;The Feedback Rooms
museums|3|place|daily|museum|Museum;Heritage Centre;Museum of Local Life|local history;family trails;exhibitions that change;a shop|
art-galleries|4|place|shop|art gallery|Gallery;Contemporary;Fine Art;Art Centre|paintings by local artists;prints;ceramics;exhibitions each month|The White Wall;Gallery Nine
artists-and-makers|5|trade|none|artist and maker|Pottery;Ceramics;Studio;Glass;Woodturning|commissions;workshops;stoneware;open studios|The Mud Room;Clay & Wheel
bowling-alleys|1|place|late|bowling alley|Bowl;Ten Pin;Superbowl|sixteen lanes;arcade games;parties;a diner|Pin Drop;Strike Zone
crazy-golf|1|place|daily|crazy golf course|Adventure Golf;Crazy Golf;Mini Golf|eighteen holes;family tickets;ice creams;floodlit evenings|Putt It There;Pirate's Putt
escape-rooms|2|salon|late|escape room|Escape Rooms;Escape|rooms for two to six;team building;puzzles of all levels;gift vouchers|Locked In;The Great Escape Room;Clueless;Sixty Minutes
snooker-and-pool-halls|2|place|late|snooker and pool hall|Snooker Club;Pool Hall;Cue Club|full-size tables;leagues;a licensed bar;coaching|Pot Black Rooms;On Cue
amusement-arcades|2|place|late|amusement arcade|Amusements;Arcade;Family Fun|two-penny falls;air hockey;prize bingo;change for notes|Lucky Sevens;Golden Nugget
bingo-halls|1|place|late|bingo hall|Bingo;Bingo Club|afternoon and evening sessions;a café bar;slots;newcomers' nights|
casinos|1|brand|bar|casino||roulette;blackjack;poker nights;a late bar|The Ace Rooms;Casino Marquis;Grand Parade Casino
betting-shops|8|brand|late|betting shop||racing;football coupons;gaming terminals;live screens|Oddsmakers;Photo Finish;Furlong's;Winning Post
ticket-offices|1|place|shop|ticket office|Box Office;Tickets|theatre tickets;coach trips;gift vouchers;local events|
hotels|10|place|always|hotel|Hotel;Lodge;Grand Hotel;House Hotel|en-suite rooms;a restaurant;weddings;parking|The Royal Hotel;The Station Hotel;The White House Hotel
bed-and-breakfasts|9|place|none|bed and breakfast|Guest House;B&B;House|cooked breakfasts;en-suite rooms;walkers welcome;free parking|Sea View;The Laurels;Rose Cottage B&B;Fairhaven
hostels|1|place|always|hostel|Hostel;Backpackers;Bunkhouse|dormitories;private rooms;a self-catering kitchen;bike storage|
holiday-cottages|5|place|none|holiday let|Cottages;Holiday Lets;Barns|sleeps two to eight;dogs by arrangement;log burners;short breaks|Swallow Barn;The Old Forge Cottages
caravan-and-campsites|3|place|daily|campsite|Caravan Park;Holiday Park;Camping|electric hook-ups;tent pitches;glamping pods;a shop on site|
travel-agents|6|shop|shop|travel agent|Travel;World Travel;Holidays|cruises;package holidays;flights;honeymoons|Sun Seekers;Bon Voyage;Wish You Were There
tour-operators|2|trade|daily|tour operator|Tours;Boat Trips;Walking Tours|guided walks;river cruises;ghost tours;day trips by coach|
visitor-attractions|2|place|daily|visitor attraction|Castle;Hall;Adventure Park;Abbey;Zoo|family tickets;guided tours;a tea room;events all summer|
tourist-information|1|place|shop|tourist information centre|Tourist Information;Visitor Centre;Information Point|maps;accommodation bookings;local gifts;event tickets|
vets|8|practice|surgery|veterinary practice|Vets;Veterinary Surgery;Veterinary Centre;Pet Hospital|vaccinations;dental care;out-of-hours emergencies;puppy parties|
pet-shops|6|shop|shop|pet shop|Pets;Pet Supplies;Aquatics;Pet Centre|dog food;tropical fish;small animals;beds and leads|Paws for Thought;Fur & Feather;Barkers
dog-groomers|8|salon|salon|dog groomer|Dog Grooming;Grooming Parlour;Dog Spa|baths and clips;hand stripping;nail trims;puppy introductions|Pampered Paws;Shampooch;Hair of the Dog;Wags to Riches;The Bark Side
dog-walkers|6|trade|trade|dog walker and trainer|Dog Walking;Dog Training;Pet Services|group walks;puppy classes;home visits;solo walks|Walkies;Happy Tails;Wag & Wander
kennels-and-catteries|3|place|daily|kennels and cattery|Kennels;Cattery;Boarding Kennels|heated pens;daily walks;a separate cattery;collection and return|
animal-rescue|1|place|varied|animal rescue centre|Animal Rescue;Cat Rescue;Wildlife Rescue|rehoming;volunteering;wildlife care;donations|
wedding-venues|3|place|none|wedding venue|Barn;Manor;Hall;House|civil ceremonies;marquees;rooms for guests;exclusive use|
bridal-shops|4|shop|salon|bridal shop|Bridal;Brides;Bridal Wear|wedding dresses;bridesmaids;veils;fittings by appointment|Happily Ever After;I Do;Veil & Vow;Aisle Style
event-planners|3|trade|office|event planner|Events;Event Management;Weddings & Events|weddings;corporate events;marquees;balloons and flowers|
party-shops|3|shop|shop|party shop|Parties;Party Shop;Fancy Dress;Balloons|helium balloons;costume hire;tableware;bouncy castles|Party Animals;Up, Up & Away
djs-and-bands|4|trade|none|DJ and band agency|Discos;DJs;Entertainment;Music|weddings;birthday discos;ceilidh bands;karaoke|Spin Doctor;The Dancing Shoes
conference-centres|1|place|office|conference centre|Conference Centre;Conference Suite|meeting rooms;exhibitions;catering;video links|
post-offices|5|place|shop|post office|Post Office|parcels;travel money;banking;passport photographs|
libraries|3|place|varied|library|Library;Community Library|books to borrow;computers;rhyme time;local studies|
community-centres|5|place|varied|community centre|Community Centre;Village Hall;Memorial Hall;Parish Hall|room hire;coffee mornings;toddler groups;a stage|
places-of-worship|7|place|varied|place of worship|Church;Methodist Church;Mosque;Gurdwara;Baptist Church;Parish Church|weekly services;a choir;food bank collections;hall hire|
charities|4|place|office|charity|Trust;Community Trust;Food Bank;Advice Centre|advice;volunteering;befriending;fundraising events|
council-offices|1|place|office|council office|Town Hall;Council Offices;Civic Centre|planning enquiries;council tax;registrations;parking permits|
police-and-fire-stations|1|place|always|police or fire station|Police Station;Fire Station|front-counter enquiries;safety visits;community meetings;open days|
other-organisations|2|place|office|organisation|Association;Society;Institute|meetings;membership;events;a newsletter|
`;
