const OPEN_GOVERNMENT_LICENCE = {
  licence: "Open Government Licence v3.0",
  href: "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
};

/** Open data whose licence asks for a credit, by the name of the source under which it is imported. */
export const openData = new Map([
  [
    "osm",
    {
      owner: "© OpenStreetMap contributors",
      licence: "Open Database Licence",
      href: "https://www.openstreetmap.org/copyright",
    },
  ],
  ["fhrs", { owner: "Food Standards Agency", ...OPEN_GOVERNMENT_LICENCE }],
  ["nhs-pharmacies", { owner: "NHS", ...OPEN_GOVERNMENT_LICENCE }],
]);
