/** Whether a text is the name of a county or a country, and no more. */
export function isCounty(text: string): boolean {
  return COUNTY.test(text.trim());
}

/** Whether a text is the name of an island: it counts as the town only where none on it is named. */
export function isIsland(text: string): boolean {
  return ISLAND.test(text.trim());
}

/** What stands before a county or an island at the end of a text; undefined when it ends in none. */
export function beforeCounty(text: string): string | undefined {
  return TRAILING.exec(text)?.[1];
}

// Present-day counties and council areas, historic and postal counties, with the usual abbreviations. Left
// out are those that are towns as well, such as Antrim, Armagh, Durham, Londonderry, Stirling and Conwy. Small words may
// be missing, as they are in the words of a search.
const COUNTIES = [
  "(?:(?:(?:north|south|east|west|mid|n|s|e|w)(?:\\. ?| ))?\\p{L}+[ -]?shire)",
  "(?:(?:north|south|east|west|mid|n|s|e|w)(?:\\. ?| )(?:yorks|lincs|sussex|midlands|lothian))",
  "(?:(?:(?:mid|south|west|s|w)(?:\\. ?| )|(?:the )?vale (?:of )?)?glamorgan)",
  "(?:co(?:unty|\\.)? ?(?:antrim|armagh|derry|down|durham|fermanagh|londonderry|tyrone))",
  "(?:east riding(?: (?:of )?yorkshire)?|tyne (?:(?:and|&) )?wear|isle (?:of )?(?:wight|man)|iow|iom|greater (?:london|manchester))",
  "avon|beds|berks|bucks|cambs|cleveland|cornwall|cumberland|cumbria|derbys|devon|dorset",
  "essex|fermanagh|glos|gloucs|hants|herts|humberside|kent|lancs|leics|lincs|merseyside",
  "middlesex|middx|norfolk|northants|northumberland|notts|oxon|rutland|salop|somerset|staffs|suffolk",
  "surrey|sussex|tyrone|warks|westmorland(?: (?:(?:and|&) )?furness)?|wilts|worcs|yorks",
  "(?:isle (?:of )?)?anglesey|blaenau gwent|carms|ceredigion|clwyd|dyfed|flints|gwent|gwynedd|monmouths",
  "neath port talbot|pembs|powys|rhondda cynon taff?|torfaen|ynys m[oô]n",
  "angus|argyll(?: (?:(?:and|&) )?bute)?|(?:the )?(?:scottish )?borders|caithness|dumfries (?:(?:and|&) )?galloway|fife",
  "grampian|(?:the )?(?:scottish )?highlands?|inverclyde|lothian|midlothian|moray|perth (?:(?:and|&) )?kinross",
  "ross (?:(?:and|&) )?cromarty|strathclyde|sutherland|tayside|western isles|outer hebrides|channel islands",
  "england|scotland|wales|northern ireland|united kingdom|great britain|uk|gb",
].join("|");
// Many of these are post towns.
const ISLANDS =
  "isles? of \\p{L}+(?: uist)?|(?:orkney|shetland)(?: isl(?:and|e)s)?|jersey|guernsey";
const COUNTY = new RegExp(`^(?:${COUNTIES})$`, "iu");
const ISLAND = new RegExp(`^(?:${ISLANDS})$`, "iu");
const TRAILING = new RegExp(`^(.+?)(?: - |[ /])\\(?(?:${COUNTIES}|${ISLANDS})\\)?$`, "iu");
