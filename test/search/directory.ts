import { afterAll, expect } from "bun:test";
import { createSearch } from "../../src/search/query.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { addBusiness, type BusinessFixture } from "../fixtures.ts";
import { createDatabase, uniqueIndex } from "../support.ts";

/** Where most of them are. */
export const norwich = { city: "Norwich", addressLine1: "4 Wensum Lane", postcode: "NR3 1AB" };

/** What the directory has of its own. */
export const businesses: Partial<BusinessFixture>[] = [
  { name: "Wet Walls Ltd", category: "plumbers", city: "Leeds" },
  { name: "Drip Stop", category: "plumbers", city: "York", postcode: "YO1 7AA" },
  { name: "Wall to Wall", category: "plumbers", city: "Stoke-on-Trent", postcode: "ST1 1AA" },
  { name: "Leeds Lamps", category: "gift-shops", city: "Leeds" },
  { ...norwich, name: "Boots", category: "pharmacies", postcode: "NR1 3HP" },
  { ...norwich, name: "Boots", category: "pharmacies", city: "Leeds", postcode: "LS1 6HD" },
  { ...norwich, name: "Wensum Dispensing", category: "pharmacies", postcode: "NR12 8AA" },
  { ...norwich, name: "Bean There", category: "coffee-shops" },
  {
    ...norwich,
    name: "Clip Joint",
    category: "hairdressers",
    addressLine1: "9 Magdalen Street",
    addressLine2: "Elm Court",
  },
  { ...norwich, name: "Shear Bliss", category: "hairdressers", addressLine1: "9 Ber Street" },
  { ...norwich, name: "The Happy Haddock", category: "fish-and-chips" },
  { ...norwich, name: "B&Q", category: "diy-shops" },
  { ...norwich, name: "O'Malley's", category: "pubs" },
  { ...norwich, name: "St Bride's", category: "places-of-worship" },
  { ...norwich, name: "Saffron Garden", category: "indian-restaurants" },
  { ...norwich, name: "Petal & Stem", category: "florists" },
  { ...norwich, name: "Barclay Books", category: "bookshops" },
  { ...norwich, name: "Cooper Toys", category: "toy-shops" },
  { ...norwich, name: "Co-op Foodstore", category: "convenience-stores" },
  { ...norwich, name: "Nine Bar", category: "bars" },
  { ...norwich, name: "O2", category: "mobile-phone-shops" },
  { ...norwich, name: "Mały Łoś", category: "world-food-shops" },
  { ...norwich, name: "KFC", category: "burger-bars" },
  { ...norwich, name: "Marks & Spencer", category: "department-stores" },
  { ...norwich, name: "M. Hall", category: "hardware-shops" },
  { ...norwich, name: "The Flower Box", category: "gift-shops" },
  { name: "Best Foot Forward", category: "shoe-shops", city: "York", postcode: "YO1 9BB" },
  {
    name: "Lamb & Co",
    category: "accountants",
    city: "York",
    addressLine1: "37 Micklegate",
    postcode: "YO24 1AA",
  },
  { name: "Wren & Daughters", category: "solicitors", city: "London", postcode: "EC1A 1BB" },
  {
    name: "Sea View",
    category: "bed-and-breakfasts",
    city: "Great Yarmouth",
    postcode: "NR30 1AA",
  },
  { name: "Needles Audit", category: "accountants", city: "Yarmouth", postcode: "PO41 0AA" },
  // The address is wrong.
  { name: "Lost Ledgers", category: "accountants", city: "London", postcode: "YO1 1AA" },
  { ...norwich, name: "Fresh Coats", category: "painters-and-decorators" },
  { ...norwich, name: "Slate Mates", category: "roofers" },
  { ...norwich, name: "Bough Down", category: "tree-surgeons" },
  { ...norwich, name: "Key Largo", category: "locksmiths" },
  { ...norwich, name: "Amp Stand", category: "ev-charging" },
  { ...norwich, name: "Paws Here", category: "pet-shops" },
  { ...norwich, name: "Nib Supplies", category: "stationers", status: "pending" },
  // Alike in all that is text.
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-2",
    rating: 3,
    reviewCount: 9,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-3",
    rating: 3,
    reviewCount: 2,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-0",
    rating: 1,
    isPremium: true,
  },
  {
    ...norwich,
    name: "Twin Tyres",
    category: "tyre-and-exhaust-centres",
    slug: "t-1",
    rating: 4,
    reviewCount: 1,
  },
];

/** Makes a directory of the businesses above and an index of it, for all tests of a file. */
export async function openDirectory() {
  const { meili, index } = uniqueIndex();
  const { sql, drop } = await createDatabase();
  const sync = () => syncSearch({ sql, meili, index });
  const addAll = async (added: readonly Partial<BusinessFixture>[]) => {
    const ids: string[] = [];
    for (const business of added) ids.push((await addBusiness(sql, business)).id);
    await sync();
    return ids;
  };
  await addAll(businesses);

  afterAll(async () => {
    await meili.deleteIndexIfExists(index);
    await drop();
  });

  const search = (
    text: string,
    more: { limit?: number; offset?: number; city?: string; category?: string } = {},
  ) => createSearch({ sql, meili, index })({ text, limit: 20, ...more });

  /** The names of what a text finds, in this order. */
  const names = async (text: string) => (await search(text)).items.map(({ name }) => name);

  return {
    sql,
    meili,
    index,
    sync,
    search,
    names,

    /** Each text finds the businesses of these names, in any order, and nothing else. */
    async expectEach(cases: readonly (readonly [text: string, ...found: string[]])[]) {
      for (const [text, ...found] of cases) {
        expect([text, ...(await names(text)).toSorted()]).toEqual([text, ...found.toSorted()]);
      }
    },

    /** The same for what is searched for instead; null where something matches all of the text. */
    async expectInstead(
      cases: readonly (readonly [text: string, instead: string | null, ...found: string[]])[],
    ) {
      for (const [text, instead, ...found] of cases) {
        const answer = await search(text);
        const names = answer.items.map(({ name }) => name).toSorted();
        expect([text, answer.instead, ...names]).toEqual([text, instead, ...found.toSorted()]);
      }
    },

    /** Adds businesses to the directory and its index, until they are disposed of. */
    async withMore(added: readonly Partial<BusinessFixture>[]): Promise<AsyncDisposable> {
      const ids = await addAll(added);
      return {
        async [Symbol.asyncDispose]() {
          await sql`delete from businesses where id = any(${ids})`;
          await sync();
        },
      };
    },
  };
}
