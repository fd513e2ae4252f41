import type { Photo } from "../directory/schemas.ts";
import { unmarked } from "./unmarked.ts";

/** Says which hosts the photos are on, and what loading them reveals, with a link that shows them. */
export function PhotosOffer({ photos, path }: { photos: readonly Photo[]; path: string }) {
  const number = photos.length;
  const hosts = hostsOf(photos);
  return (
    <div class="card">
      <p>
        {number === 1 ? "There is 1 photo" : `There are ${number} photos`}, hosted on{" "}
        <strong>{hosts.join(", ")}</strong>. Showing {number === 1 ? "it" : "them"} reveals your IP
        address to {hosts.length === 1 ? "that site" : "those sites"}.
      </p>
      <p>
        <a class="button quiet" href={`${path}?photos=show#photos`} rel="nofollow">
          {number === 1 ? "Show the photo" : "Show the photos"}
        </a>
      </p>
    </div>
  );
}

/** Shows the photos, the cover first. */
export function Photos({ photos }: { photos: readonly Photo[] }) {
  const coverFirst = [...photos].sort((one, other) => Number(other.isCover) - Number(one.isCover));
  return (
    <ul class="photos" {...unmarked}>
      {coverFirst.map(({ url, caption }, index) => (
        <li key={url}>
          <figure>
            <img
              src={url}
              alt={caption || `Photo ${index + 1}`}
              loading="lazy"
              referrerpolicy="no-referrer"
            />
            {caption && <figcaption aria-hidden="true">{caption}</figcaption>}
          </figure>
        </li>
      ))}
    </ul>
  );
}

function hostsOf(photos: readonly Photo[]): string[] {
  const hosts = photos.map(({ url }) => (URL.canParse(url) ? new URL(url).host : "elsewhere"));
  return [...new Set(hosts)];
}
