import { Meilisearch } from "meilisearch";

export type { Meilisearch };

/** Opens a client of Meilisearch. It connects with each request; an empty key means none is needed. */
export function openMeilisearch(url: string, key: string): Meilisearch {
  return new Meilisearch({ host: url, ...(key && { apiKey: key }) });
}
