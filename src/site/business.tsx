import { type Business, findBusiness } from "../directory/businesses.ts";
import { findActive } from "../directory/categories.ts";
import type { CategoryName, OpenBusiness } from "../directory/schemas.ts";
import { openDetail, openListItem } from "../directory/shapes.ts";
import { notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { parseSlug } from "../http/parameters.ts";
import type { Sql } from "../store/postgres.ts";
import { Breadcrumbs, type Crumb } from "./breadcrumbs.tsx";
import { Credit } from "./credit.tsx";
import { Hours } from "./hours.tsx";
import { localBusiness } from "./linked-data.ts";
import { Badges, pathWith } from "./listing.tsx";
import { page } from "./page.tsx";
import { dialled } from "./phone.ts";
import { Photos, PhotosOffer } from "./photos.tsx";
import { unmarked } from "./unmarked.ts";

/**
 * GET /businesses/{slug}: what open access says about a business, and nothing more. Photos stay on the hosts
 * that the business chose, which would learn the visitor's address, so they are shown only on request, with
 * `?photos=show`. That includes those on our own host, whose URL may be one of the API: loading it would
 * count against the visitor's limit.
 */
export function business(sql: Sql, baseUrl: string): Handler {
  return async function business(_request, { segment, query }) {
    const slug = parseSlug(segment);
    const found = slug.ok ? await findBusiness(sql, slug.value) : null;
    if (!found) return notFound();

    const { categoryParent, categorySlug } = found;
    const above = categoryParent ? [categoryParent.slug] : [];
    const active = await findActive(sql, [...above, categorySlug]);
    const path = `/businesses/${found.slug}`;
    const shown = openDetail(found);
    const isAsked = new URLSearchParams(query).get("photos") === "show";
    return page(
      {
        title: `${shown.name}, ${shown.city} ${shown.address.postcode}`,
        description: shown.shortDescription || whereabouts(shown),
        canonical: baseUrl + path,
        hasPhotos: isAsked && shown.photos.length > 0,
        linkedData: localBusiness(shown, baseUrl + path),
      },
      <>
        <Breadcrumbs crumbs={crumbsOf(found, active)} />
        <h1>{shown.name}</h1>
        <Badges business={found} />
        {shown.shortDescription && <p class="lead">{shown.shortDescription}</p>}
        <div class="columns">
          <div class="side">
            <Contact shown={shown} maskedPhone={openListItem(found).phone} />
            <Hours hours={shown.openingHours} now={new Date()} />
          </div>
          {(shown.description || shown.photos.length > 0) && (
            <div>
              {shown.description && <About text={shown.description} />}
              {shown.photos.length > 0 && (
                <section id="photos">
                  <h2>Photos</h2>
                  {isAsked ? (
                    <Photos photos={shown.photos} />
                  ) : (
                    <PhotosOffer photos={shown.photos} path={path} />
                  )}
                </section>
              )}
            </div>
          )}
        </div>
        <Credit sources={[found.source]} />
      </>,
    );
  };
}

/** Distinguishes one branch of a chain from the others in its town. */
function whereabouts({ category, city, address }: OpenBusiness): string {
  const lines = [address.line1, address.line2, address.postcode].filter(Boolean);
  return `${category} in ${city}: ${lines.join(", ")}.`;
}

function About({ text }: { text: string }) {
  return (
    <section>
      <h2>About</h2>
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph} class="typed">
          {paragraph}
        </p>
      ))}
    </section>
  );
}

/**
 * An inactive category has a name, but no page to link to.
 * @param active slugs of active categories
 */
function crumbsOf(business: Business, active: ReadonlySet<string>): Crumb[] {
  const { categoryParent, categorySlug, categoryName, citySlug, cityName } = business;
  const inCity = ({ slug, name }: CategoryName) => ({
    name,
    href: active.has(slug) ? pathWith(`/categories/${slug}`, { city: citySlug }) : undefined,
  });
  return [
    { name: cityName, href: `/cities/${citySlug}` },
    ...(categoryParent ? [inCity(categoryParent)] : []),
    inCity({ slug: categorySlug, name: categoryName }),
  ];
}

/** Only claimed businesses have phone and email in `shown`; others show a masked phone. */
function Contact({ shown, maskedPhone }: { shown: OpenBusiness; maskedPhone: string | null }) {
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
      <ul class="lines" {...unmarked}>
        {phone ? (
          <li>
            <a href={dialled(phone)}>{phone}</a>
          </li>
        ) : (
          maskedPhone && (
            <li>
              {maskedPhone}{" "}
              <span class="small">(in full once the business has claimed this page)</span>
            </li>
          )
        )}
        {email && (
          <li>
            <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>{email}</a>
          </li>
        )}
      </ul>
      <p class="actions">
        {website && (
          <a class="button quiet" href={website} rel="nofollow noopener noreferrer ugc">
            Website
          </a>
        )}{" "}
        <a class="button quiet" href={map} rel="noopener noreferrer">
          Map<span class="unseen"> on OpenStreetMap</span>
        </a>
      </p>
    </section>
  );
}
