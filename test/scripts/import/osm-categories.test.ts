import { expect, test } from "bun:test";
import { categoryOf, isVacant } from "../../../scripts/import/osm-categories.ts";

test("OSM: every tag leads to a category, of several the first that is known", () => {
  expect(categoryOf({ shop: "clothes;interior_decoration" })).toBe("clothes-shops");
  expect(categoryOf({ shop: "dragons;shoes" })).toBe("shoe-shops");
  expect(categoryOf({ shop: "dragons" })).toBe("other-shops");
  expect(categoryOf({ amenity: "fuel", shop: "convenience" })).toBe("petrol-stations");
  expect(categoryOf({ amenity: "fast_food", cuisine: "fish_and_chips" })).toBe("fish-and-chips");
  expect(categoryOf({ leisure: "dragons" })).toBe("other-leisure");
  expect(categoryOf({ shop: "vacant", leisure: "park" })).toBe("parks-and-playgrounds");
  expect(categoryOf({ natural: "tree" })).toBe("other-organisations");
});

test("OSM: a second tag makes the category more precise", () => {
  const barber = { shop: "hairdresser", male: "yes" };
  expect(categoryOf(barber)).toBe("barbers");
  expect(categoryOf({ ...barber, female: "yes" })).toBe("hairdressers");
  expect(categoryOf({ ...barber, unisex: "yes" })).toBe("hairdressers");
  expect(categoryOf({ shop: "hairdresser", male: "no" })).toBe("hairdressers");
  expect(categoryOf({ shop: "hairdresser", hairdresser: "barber" })).toBe("barbers");
  expect(categoryOf({ shop: "beauty", beauty: "eyebrows;nails" })).toBe("nail-bars");
  expect(categoryOf({ shop: "clothes", clothes: "wedding" })).toBe("bridal-shops");
  expect(categoryOf({ shop: "clothes", clothes: "women" })).toBe("clothes-shops");
  expect(categoryOf({ leisure: "sports_centre", sport: "billiards" })).toBe(
    "snooker-and-pool-halls",
  );
  const home = { amenity: "social_facility", social_facility: "nursing_home" };
  expect(categoryOf(home)).toBe("care-homes");
  const needles = { healthcare: "alternative", "healthcare:speciality": "acupuncture" };
  expect(categoryOf(needles)).toBe("acupuncturists");
  // Not what another tag of the same name would say.
  expect(categoryOf({ shop: "books", beauty: "nails", cuisine: "thai" })).toBe("bookshops");
});

test("OSM: a place is vacant only when nothing live is left of it", () => {
  expect(isVacant({ shop: "vacant" })).toBe(true);
  expect(isVacant({ shop: "disused" })).toBe(true);
  expect(isVacant({ "disused:shop": "books" })).toBe(true);
  expect(isVacant({ "razed:amenity": "pub" })).toBe(true);
  expect(isVacant({ "disused:tourism": "hotel" })).toBe(true);
  expect(isVacant({ "removed:building": "yes", natural: "tree" })).toBe(false);
  expect(isVacant({ shop: "vacant", amenity: "cafe" })).toBe(false);
  expect(isVacant({ shop: "books", "disused:amenity": "place_of_worship" })).toBe(false);
  expect(isVacant({ natural: "tree" })).toBe(false);
});
