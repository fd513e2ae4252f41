import type { Sql, Transaction } from "../../store/postgres.ts";
import { makeSlug } from "../slug.ts";
import type { Town } from "./towns.ts";

interface City extends Town {
  id: number;
}

/** The cities of the directory during one import; towns that are new to it are added. */
export class Cities {
  readonly #bySlug = new Map<string, City>();
  /** By the slug that their names would have: an operator may have chosen another. */
  readonly #byName = new Map<string, City>();

  static async load(sql: Sql | Transaction): Promise<Cities> {
    const cities = new Cities();
    cities.#remember(await sql<City[]>`select id, slug, name from cities`);
    return cities;
  }

  async add(sql: Sql | Transaction, towns: readonly Town[]): Promise<void> {
    const unknown = towns.filter((town) => !this.find(town));
    const fresh = [...Map.groupBy(unknown, ({ slug }) => slug)].map(([slug, spelled]) => {
      return { slug, name: mostCommonName(spelled) };
    });
    if (fresh.length === 0) return;
    const added = await sql<City[]>`
      insert into cities ${sql(fresh, "slug", "name")}
      on conflict do nothing returning id, slug, name`;
    this.#remember(added);
    // Somebody else has added the others meanwhile.
    if (added.length < fresh.length) {
      this.#remember(await sql<City[]>`select id, slug, name from cities`);
    }
  }

  /** By slug or, where an operator chose another slug, by name, however it is spelled. */
  find(town: Town): City | undefined {
    return this.#bySlug.get(town.slug) ?? this.#byName.get(town.slug);
  }

  /** The city of exactly that name. */
  named(name: string): City | undefined {
    const city = this.#byName.get(makeSlug(name));
    return city?.name === name ? city : undefined;
  }

  #remember(cities: readonly City[]): void {
    for (const city of cities) {
      this.#bySlug.set(city.slug, city);
      this.#byName.set(makeSlug(city.name), city);
    }
  }
}

/**
 * The first record of a feed may have a rare spelling such as Bury-St-Edmunds. Of equally common names, the
 * first.
 */
function mostCommonName(towns: readonly Town[]): string {
  const names = [...Map.groupBy(towns, ({ name }) => name)];
  const [name] = names.reduce((most, next) => (next[1].length > most[1].length ? next : most));
  return name;
}
