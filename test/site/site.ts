import { afterAll } from "bun:test";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { importRecords } from "../../src/directory/import.ts";
import { newAddress, startTestServer } from "../support.ts";

/** A server for the tests of one file, whose directory has 1,200 made-up businesses. */
export async function startSite() {
  const server = await startTestServer();
  afterAll(() => server.stop());
  const { sql, meili, searchIndex } = server;
  await importRecords(sql, generateBusinesses({ count: 1_200, seed: 7 }), { source: "sample" });

  /** Waits until searches find every business. */
  const indexed = () =>
    until(async () => {
      // Building the index deletes changes well before it can be searched.
      if (!(await succeeds(meili.getRawIndex(searchIndex)))) return false;
      return (await sql`select from search_changes limit 1`).length === 0;
    }, 20_000);

  /** Opens a page as a new visitor. */
  async function open(path: string, init: RequestInit = {}) {
    const response = await fetch(server.url + path, {
      redirect: "manual",
      ...init,
      headers: { Accept: "text/html", "X-Forwarded-For": newAddress(), ...init.headers },
    });
    return { status: response.status, headers: response.headers, html: await response.text() };
  }

  return { server, open, indexed };
}

/** The businesses that a page lists. */
export const slugsIn = (html: string) =>
  [...html.matchAll(/<h2><a href="\/businesses\/([^"]+)"/g)].map(([, slug]) => slug);
