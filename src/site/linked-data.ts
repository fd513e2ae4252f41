import type { OpenBusiness, OpeningHours } from "../directory/schemas.ts";
import { dayName, isAllDay } from "./opening.ts";
import { international } from "./phone.ts";

/** What open access shows, as Schema.org's LocalBusiness (https://schema.org/LocalBusiness). */
export function localBusiness(business: OpenBusiness, url: string): Record<string, unknown> {
  const { address, coordinates, phone, email, website, rating, reviewCount } = business;
  return {
    "@context": "https://schema.org",
    "@type": "LocalBusiness",
    "@id": url,
    url,
    name: business.name,
    description: business.description || business.shortDescription || undefined,
    telephone: phone ? international(phone) : undefined,
    email: email || undefined,
    sameAs: website || undefined,
    image: business.photos.length > 0 ? business.photos.map((photo) => photo.url) : undefined,
    address: {
      "@type": "PostalAddress",
      streetAddress: [address.line1, address.line2].filter(Boolean).join(", "),
      addressLocality: business.city,
      postalCode: address.postcode,
      addressCountry: "GB",
    },
    geo: { "@type": "GeoCoordinates", latitude: coordinates.lat, longitude: coordinates.lng },
    aggregateRating:
      rating > 0 && reviewCount > 0
        ? { "@type": "AggregateRating", ratingValue: rating, reviewCount }
        : undefined,
    openingHoursSpecification: business.openingHours.map(specification),
  };
}

/** Closed all day is written as 00:00 to 00:00, open all day as 00:00 to 23:59. */
function specification(hours: OpeningHours) {
  const { day, openTime, closeTime, isClosed } = hours;
  const [opens, closes] = isClosed
    ? ["00:00", "00:00"]
    : isAllDay(hours)
      ? ["00:00", "23:59"]
      : [openTime, closeTime];
  return {
    "@type": "OpeningHoursSpecification",
    dayOfWeek: `https://schema.org/${dayName(day)}`,
    opens,
    closes,
  };
}
