import { openData } from "../directory/open-data.ts";

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
