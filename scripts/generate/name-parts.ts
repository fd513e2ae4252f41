import type { Nation } from "./towns.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

export const surnames: { everywhere: string[]; national: Record<Nation, string[]> } = {
  everywhere: words(`
    Ahmed Ali Begum Hussain Iqbal Khan Malik Mahmood Patel Shah Sharma Singh Kaur Gill Chowdhury
    Rahman Choudhury Desai Mistry Chan Cheung Lam Wong Nguyen Kowalski Nowak Wojcik Popescu Costa
    Silva Rossi Marino Demir Yilmaz Georgiou Adeyemi Okafor Mensah Osei Campbell-Brown Grant Francis
    Smith Brown Taylor Wilson Johnson White Martin Clarke Wright Walker Green Hall Wood Harris Lewis
    Cooper King Baker Ward Turner Hill Moore Parker Bennett Cook Shaw Ellis Marshall Mills Palmer`),
  national: {
    England: words(`
      Ackroyd Appleby Arkwright Ashdown Atkinson Bagshaw Barraclough Bickerstaff Birtwhistle Blackwood
      Bramhall Brearley Broadbent Butterworth Cartwright Catchpole Chadwick Clegg Copplestone Crabtree
      Cropper Dibble Drinkwater Dunnett Entwistle Eastwood Fairbrother Fenwick Foxley Gosling Greenhalgh
      Greenwood Hardcastle Hargreaves Haythornthwaite Heathcote Higginbottom Hinchcliffe Holroyd
      Honeywell Isherwood Jessop Kershaw Kitching Larwood Lockwood Longbottom Loveday Mallinson
      Micklethwaite Nethercott Oakley Ogden Oldroyd Penrose Pettigrew Pickles Postlethwaite Quayle
      Ramsbottom Rowntree Salter Scargill Shuttleworth Sidebottom Skelton Snodgrass Sowerby Stainforth
      Strickland Sutcliffe Tattersall Thackray Thistlethwaite Tiplady Trelawney Tremain Tubby
      Underwood Wainwright Whitelaw Widdowson Wigglesworth Winterbottom Woolnough Youngs`),
    Scotland: words(`
      Abercrombie Aitken Anderson Baird Bruce Buchanan Cameron Campbell Carmichael Crawford Cunningham
      Dalgleish Douglas Drummond Duncan Farquhar Ferguson Forbes Fraser Galbraith Geddes Gillespie
      Gordon Hamilton Henderson Innes Irvine Kerr Kinnaird Lennox Lindsay Macdonald MacGregor Mackay
      Mackenzie Maclean MacLeod Macpherson McAllister McKinnon Menzies Moffat Munro Murray Ogilvie
      Ramsay Rennie Robertson Ross Rutherford Sinclair Stewart Sutherland Urquhart Wallace`),
    Wales: words(`
      Bevan Bowen Cadwallader Davies Edwards Ellis Evans Gethin Griffiths Gwynne Harries Howells Hughes
      Humphreys James Jenkins John Jones Lewis Llewellyn Lloyd Maddocks Meredith Morgan Morris Nicholas
      Owen Parry Phillips Powell Preece Price Pritchard Probert Prosser Pugh Rees Rhys Richards Roberts
      Rowlands Thomas Treharne Tudor Vaughan Watkins Williams Wynne`),
    "Northern Ireland": words(`
      Boyd Boyle Brady Byrne Caldwell Cassidy Connolly Cunningham Devlin Doherty Donaghy Donnelly Duffy
      Ferris Gallagher Gilmore Graham Hanna Heaney Irwin Kane Kelly Kennedy Magee Maguire Mallon
      Maxwell McAleer McAuley McBride McCann McCartney McClelland McCormick McCullough McDowell McIlroy
      McKeown McKinley McLaughlin McMahon McNally Montgomery Mulholland Mullan Murphy Nesbitt O'Hagan
      O'Kane O'Neill Quinn Rafferty Stewart Sweeney Toner Wylie`),
  },
};

export const firstNames = words(`
  Abigail Alice Amelia Amir Anita Anwen Archie Bella Bethan Callum Charlie Chloe Ciaran Daisy Deepa
  Dylan Eilidh Ella Ellie Emily Ffion Fiona Freya George Gina Grace Gwen Hamish Hannah Harry Holly
  Imran Iona Isla Jack Jamal Jasmine Jenny Joe Josie Kate Katya Kirsty Laura Leanne Lily Lola Lucy
  Luigi Maggie Marek Maria Mary Megan Mia Millie Molly Nadia Niamh Nina Olive Oscar Penny Pip Poppy
  Priya Ravi Rhian Rosie Ruby Sadie Sally Sam Sandra Sean Sian Sofia Sophie Stella Sue Tariq Ted
  Tess Tilly Tom Tony Vera Violet Wendy Yusuf Zara`);

export const initials = words("A B C D E F G H J K L M N P R S T W A.J D.R J.P M.J P.W R.G S.L");
export const kin = ["Sons", "Sons", "Son", "Daughters", "Daughter", "Co"];

export const adjectives = words(`
  Artisan Blue Bright Clever Copper Corner Cosy Crafty Crooked Curious Dainty Golden Good Green Grand
  Happy Hidden Honest Humble Indigo Ivory Jolly Little Lucky Merry New Nimble Old Painted Pink Plain
  Proper Quiet Red Royal Ruby Scarlet Secret Silver Simple Steady Sunny Tiny Traditional Velvet
  Victorian Village Wandering White Wild Wonky Yellow`);

export const landmarks = words(`
  Abbey Albion Ashgrove Avenue Beacon Beechwood Bridge Broadmead Castle Cathedral Cedar Chapel
  Clocktower Copperfield Cornerstone Crossways Eastfield Elm Fairview Friary Gables Grange Granary
  Hawthorn Heathfield Highfield Hillside Holly Kingfisher Kingsgate Lakeside Laurel Limes Mayfield
  Meadow Millbrook Millstone Minster Northgate Oakfield Oaklands Orchard Park Parkside Priory Quayside
  Rectory Ridgeway Riverside Rosewood Rowan Southfield Spire Springfield Sycamore Thornfield Tower
  Valley Viaduct Victoria Waterside Wellington Westgate Willow Windmill Woodlands Yew`);

export const saints = words(`
  Agnes Aidan Alban Andrew Anne Anthony Barnabas Bede Bride Catherine Columba Cuthbert David Edmund
  Francis George Giles Helen Hilda James John Joseph Jude Luke Margaret Mark Martin Mary Matthew
  Michael Mungo Nicholas Oswald Patrick Paul Peter Stephen Teilo Thomas Wilfrid`);

export const pubColours = words(`
  Red Red White White Black Golden Blue Green Old Royal Silver Spotted Flying Running Laughing Dun
  Brown Grey Leaping Speckled`);
export const pubBeasts = words(`
  Lion Lion Hart Swan Horse Bull Bear Cow Boar Dragon Eagle Falcon Fox Greyhound Hare Heifer Hind
  Lamb Mare Otter Pheasant Ram Raven Stag Unicorn`);
export const pubThings = words(`
  Anchor Axe Barley Barrel Bell Coach Cricketer Crown Dog Drum Fleece Fox Gate Goat Hammer Harp Hay
  Hop Hope Key Lamb Mitre Plough Rose Saddle Shovel Star Thistle Wagon Wheatsheaf`);
export const pubPeople = `
King's Head|Queen's Head|Prince of Wales|Duke of Wellington|Marquis of Granby|Lord Nelson|Royal Oak
Duke of York|Railway Tavern|Rose & Crown|Crown|Wheatsheaf|Plough|Bricklayers Arms|Jolly Sailor
Cricketers|Market Tavern|Station Inn|Bridge Inn|Ship|Anchor|Nag's Head|Woolpack|Drovers|Volunteer
Travellers Rest|Old Ship Inn|Star & Garter|Hop Pole|Weavers Arms|Jolly Farmers|Fishermans Return`
  .trim()
  .split(/[|\n]/);
