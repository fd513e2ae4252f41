import { type Business, findBusiness } from "../directory/businesses.ts";
import { openDetail, openListItem } from "../directory/shapes.ts";
import { weekdays } from "../directory/weekdays.ts";
import { notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { parseSlug } from "../http/parameters.ts";
import type { Sql } from "../store/postgres.ts";
import { localBusiness } from "./linked-data.ts";
import { Badges } from "./listing.tsx";
import { openState, wallClock } from "./opening.ts";
import { page } from "./page.tsx";

/** GET /businesses/{slug}: what open access says of a business, and nothing more. */
export function business(sql: Sql, baseUrl: string): Handler {
  return async function business(_request, { segment }) {
    const slug = parseSlug(segment);
    const found = slug.ok ? await findBusiness(sql, slug.value) : null;
    if (!found) return notFound();

    const url = `${baseUrl}/businesses/${found.slug}`;
    const shown = openDetail(found);
    return page(
      {
        title: `${shown.name}, ${shown.city}`,
        description: shown.shortDescription || `${shown.category} in ${shown.city}.`,
        canonical: url,
        linkedData: localBusiness(shown, url),
      },
      <>
        <Breadcrumbs business={found} />
        <h1>{shown.name}</h1>
        <Badges business={found} />
        {shown.shortDescription && <p class="lead">{shown.shortDescription}</p>}
        <div class="columns">
          <div>
            <Photos photos={shown.photos} />
            {shown.description && (
              <section>
                <h2>About</h2>
                {shown.description.split(/\n{2,}/).map((paragraph) => (
                  <p key={paragraph}>{paragraph}</p>
                ))}
              </section>
            )}
          </div>
          <div>
            <Contact shown={shown} maskedPhone={openListItem(found).phone} />
            <Hours hours={shown.openingHours} now={new Date()} />
          </div>
        </div>
      </>,
    );
  };
}

type Shown = ReturnType<typeof openDetail>;

function Breadcrumbs({ business }: { business: Business }) {
  const { categoryParent, categorySlug, categoryName, citySlug, cityName } = business;
  const links = [
    { href: "/", name: "Home" },
    { href: `/cities/${citySlug}`, name: cityName },
    ...(categoryParent
      ? [{ href: `/categories/${categoryParent.slug}`, name: categoryParent.name }]
      : []),
    { href: `/categories/${categorySlug}`, name: categoryName },
  ];
  return (
    <nav class="crumbs" aria-label="Where you are">
      <ol>
        {links.map(({ href, name }) => (
          <li key={href}>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Only claimed businesses have phone and email in `shown`; others show a phone without its end. */
function Contact({ shown, maskedPhone }: { shown: Shown; maskedPhone: string | null }) {
  const { address, coordinates, phone, email, website } = shown;
  const place = `${coordinates.lat}/${coordinates.lng}`;
  const map = `https://www.openstreetmap.org/?mlat=${coordinates.lat}&mlon=${coordinates.lng}#map=17/${place}`;
  return (
    <section class="card">
      <h2>Contact</h2>
      <address>
        {address.line1}
        <br />
        {address.line2 && (
          <>
            {address.line2}
            <br />
          </>
        )}
        {shown.city}
        <br />
        {address.postcode}
      </address>
      <ul class="plain">
        {phone ? (
          <li>
            Phone: <a href={`tel:${phone.replace(/[^\d+]/g, "")}`}>{phone}</a>
          </li>
        ) : (
          maskedPhone && (
            <li>
              Phone: {maskedPhone}{" "}
              <span class="small">(shown in full once the business has claimed its page)</span>
            </li>
          )
        )}
        {email && (
          <li>
            Email: <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>{email}</a>
          </li>
        )}
        {website && (
          <li>
            <a href={website} rel="nofollow noopener noreferrer ugc">
              Website
            </a>
          </li>
        )}
        <li>
          <a href={map} rel="noopener noreferrer">
            Show on OpenStreetMap
          </a>
        </li>
      </ul>
    </section>
  );
}

function Hours({ hours, now }: { hours: Shown["openingHours"]; now: Date }) {
  const open = openState(hours, now);
  const today = wallClock(now).day;
  const words = {
    open: "until" in open ? `Open now, until ${open.until}` : "Open now, all day",
    closed: "Closed now",
    unknown: hours.length === 0 ? "Opening hours are not known" : "Not known whether open today",
  };
  return (
    <section class="card">
      <h2>Opening hours</h2>
      <p class={`state ${open.state}`}>{words[open.state]}</p>
      {hours.length > 0 && (
        <table class="hours">
          <caption class="unseen">Opening hours by day</caption>
          <tbody>
            {weekdays.map((day, index) => (
              <tr key={day} class={index === today ? "today" : ""}>
                <th scope="row">
                  {day[0] + day.slice(1).toLowerCase()}
                  {index === today && <span class="unseen"> (today)</span>}
                </th>
                <td>{describeDay(hours.filter((entry) => entry.day === day))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function describeDay(entries: Shown["openingHours"]): string {
  if (entries.length === 0) return "not known";
  if (entries.some(({ is24Hours }) => is24Hours)) return "open 24 hours";
  const spans = entries.filter(({ isClosed }) => !isClosed);
  return spans.length === 0
    ? "closed"
    : spans.map(({ openTime, closeTime }) => `${openTime} to ${closeTime}`).join(", ");
}

function Photos({ photos }: { photos: Shown["photos"] }) {
  if (photos.length === 0) return null;
  const coverFirst = [...photos].sort((one, other) => Number(other.isCover) - Number(one.isCover));
  return (
    <section>
      <h2 class="unseen">Photos</h2>
      <ul class="photos">
        {coverFirst.map(({ url, caption }, index) => (
          <li key={url}>
            <figure>
              <img
                src={url}
                alt={caption || `Photo ${index + 1}`}
                loading={index === 0 ? "eager" : "lazy"}
                referrerpolicy="no-referrer"
              />
              {caption && <figcaption aria-hidden="true">{caption}</figcaption>}
            </figure>
          </li>
        ))}
      </ul>
    </section>
  );
}
