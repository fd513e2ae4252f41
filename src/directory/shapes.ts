import type { Business } from "./businesses.ts";
import type { ListedBusiness } from "./listed.ts";
import type {
  Address,
  Coordinates,
  FullBusiness,
  KeyedListItem,
  OpenBusiness,
  OpenListItem,
  PageMeta,
  Photo,
} from "./schemas.ts";

/** List item of open access. */
export function openListItem(business: ListedBusiness): OpenListItem {
  return {
    id: business.id,
    name: business.name,
    slug: business.slug,
    category: business.categorySlug,
    city: business.cityName,
    rating: business.rating,
    reviewCount: business.reviewCount,
    phone: business.phone === "" ? null : visiblePhone(business),
    website: business.website,
    isVerified: business.isVerified,
  };
}

/** Detail of open access. Only a claimed business has phone and email here. */
export function openDetail(business: Business): OpenBusiness {
  return {
    id: business.id,
    name: business.name,
    slug: business.slug,
    shortDescription: business.shortDescription,
    description: business.description,
    category: business.categoryName,
    categorySlug: business.categorySlug,
    city: business.cityName,
    citySlug: business.citySlug,
    address: addressOf(business),
    coordinates: coordinatesOf(business),
    ...(business.isClaimed && { phone: business.phone, email: business.email }),
    website: business.website,
    rating: business.rating,
    reviewCount: business.reviewCount,
    isVerified: business.isVerified,
    isPremium: business.isPremium,
    photos: business.photos.map(photoOf),
    openingHours: business.openingHours,
  };
}

/** List item of keyed access. */
export function keyedListItem(business: ListedBusiness): KeyedListItem {
  return {
    slug: business.slug,
    name: business.name,
    shortDesc: business.shortDescription,
    cityName: business.cityName,
    postcode: business.postcode,
    averageRating: business.rating,
    reviewCount: business.reviewCount,
    isPremium: business.isPremium,
    isVerified: business.isVerified,
    categorySlug: business.categorySlug,
  };
}

/** Which page of a list it is, in keyed access. @param limit how many results a page has at most */
export function pageMeta(page: number, limit: number, total: number): PageMeta {
  return { page, per_page: limit, total, has_more: page * limit < total };
}

/** The full record of keyed access. */
export function keyedDetail(business: Business): FullBusiness {
  return {
    id: business.id,
    slug: business.slug,
    name: business.name,
    shortDesc: business.shortDescription,
    description: business.description,
    category: {
      slug: business.categorySlug,
      name: business.categoryName,
      parent: business.categoryParent,
    },
    categorySlug: business.categorySlug,
    cityName: business.cityName,
    citySlug: business.citySlug,
    address: addressOf(business),
    postcode: business.postcode,
    coordinates: coordinatesOf(business),
    phone: business.phone,
    email: business.email,
    website: business.website,
    averageRating: business.rating,
    reviewCount: business.reviewCount,
    isPremium: business.isPremium,
    isVerified: business.isVerified,
    isClaimed: business.isClaimed,
    photos: business.photos.map(photoOf),
    openingHours: business.openingHours,
    updatedAt: business.updatedAt.toISOString(),
  };
}

/**
 * Replaces the last four digits with asterisks; separators stay: `0161 496 ****`. An extension, as in
 * `0161 496 0999 x12`, does not count as part of the number: all its digits are replaced, too. So are all of a
 * text that must be several numbers, which only SQL can bring in.
 */
function maskPhone(phone: string): string {
  const [, number = "", extension = ""] = /^(.*?)( ?x.*)?$/is.exec(phone) ?? [];
  const isOne = (number.match(/\p{Nd}/gu) ?? []).length <= MOST_DIGITS;
  return (isOne ? number.replace(LAST_FOUR_DIGITS, masked) : masked(number)) + masked(extension);
}

/** Of an international number (ITU-T E.164, section 6.1); a UK one has as many with `0044 (0)` before it. */
const MOST_DIGITS = 15;

const LAST_FOUR_DIGITS = /(?:\p{Nd}\P{Nd}*){1,4}$/u;

const masked = (text: string) => text.replace(/\p{Nd}/gu, "*");

const visiblePhone = (business: ListedBusiness) =>
  business.isClaimed ? business.phone : maskPhone(business.phone);

const addressOf = (business: Business): Address => ({
  line1: business.addressLine1,
  line2: business.addressLine2,
  postcode: business.postcode,
});

const coordinatesOf = (business: Business): Coordinates => ({
  lat: business.latitude,
  lng: business.longitude,
});

// In the database photos may have other fields, too, which are not public.
const photoOf = ({ url, caption, isCover }: Photo): Photo => ({ url, caption, isCover });
