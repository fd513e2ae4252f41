/** Open data whose licence asks for a credit, by the name of the source under which it is imported. */
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

/** Credits the open data among these sources, each once; nothing when none of them is. */
export function Credit({ sources }: { sources: readonly string[] }) {
  const credited = [...openData].filter(([source]) => sources.includes(source));
  if (credited.length === 0) return null;
  return (
    <p class="small">
      {credited.length === 1 ? "Source: " : "Sources: "}
      {credited.map(([source, { owner, licence, href }], place) => (
        <span key={source}>
          {place > 0 && "; "}
          {owner},{" "}
          <a href={href} rel="license noopener noreferrer">
            {licence}
          </a>
        </span>
      ))}
    </p>
  );
}
