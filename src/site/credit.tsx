/** Open data whose licence asks for a credit, by the source that imports of it have. */
const openData = new Map([
  [
    "osm",
    {
      owner: "© OpenStreetMap contributors",
      licence: "Open Database Licence",
      href: "https://www.openstreetmap.org/copyright",
    },
  ],
  [
    "fhrs",
    {
      owner: "Food Standards Agency",
      licence: "Open Government Licence v3.0",
      href: "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    },
  ],
]);

/** Credits the open data that a business comes from; nothing for any other source. */
export function Credit({ source }: { source: string }) {
  const data = openData.get(source);
  return data ? (
    <p class="small">
      Source: {data.owner},{" "}
      <a href={data.href} rel="license noopener noreferrer">
        {data.licence}
      </a>
    </p>
  ) : null;
}
