import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer, type TestServer } from "../support.ts";

let server: TestServer;
let authorization: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
  const key = await server.issueKey({
    tier: "enterprise",
    quota: 100_000,
    perMinute: 100_000,
    burst: 100_000,
  });
  authorization = { Authorization: `Bearer ${key}` };
  await addBusiness(server.sql, { slug: "old-hand", city: "Otley" });
  await server.searchable("old-hand");
});
afterAll(() => server.stop());

/** Runs the command against the test's own stores. */
async function businesses(...parameters: string[]) {
  const child = Bun.spawn([process.execPath, "scripts/businesses.ts", ...parameters], {
    env: {
      ...process.env,
      DATABASE_URL: server.config.databaseUrl,
      REDIS_URL: server.config.redisUrls.join(","),
      MEILI_URL: server.config.meiliUrl,
      MEILI_KEY: server.config.meiliKey,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

const get = (path: string) => fetch(server.url + path, { headers: authorization });
const slugsAt = async (path: string) => {
  const { data } = (await (await get(path)).json()) as { data: { slug: string }[] };
  return data.map(({ slug }) => slug);
};
const isListed = async (slug: string) =>
  (await slugsAt("/api/v1/businesses?city=otley")).includes(slug);
const isFound = async (slug: string, name: string) =>
  (await slugsAt(`/api/v1/search?q=${encodeURIComponent(name)}`)).includes(slug);
const isShown = async (slug: string) => (await get(`/api/v1/businesses/${slug}`)).status === 200;

describe("scripts/businesses.ts", () => {
  test("approve shows a business within a second in lists and details, within five in search; suspend hides it as fast", async () => {
    const [slug, name] = ["chevin-cheesemongers", "Chevin Cheesemongers"];
    await addBusiness(server.sql, { slug, name, city: "Otley", status: "pending" });
    expect(await isShown(slug)).toBe(false);

    const approved = await businesses("approve", slug);
    expect(approved).toMatchObject({ exitCode: 0, stdout: `${slug}: approve done\n` });
    await until(async () => (await isShown(slug)) && (await isListed(slug)), 1_000);
    await until(() => isFound(slug, name), 5_000);

    expect((await businesses("suspend", slug)).exitCode).toBe(0);
    await until(async () => !(await isShown(slug)) && !(await isListed(slug)), 1_000);
    await until(async () => !(await isFound(slug, name)), 5_000);
  });

  test("claim shows phone and email in open access, unclaim hides them", async () => {
    const detail = async () =>
      (await (await fetch(`${server.url}/api/v1/businesses/old-hand`)).json()) as object;
    await businesses("claim", "old-hand");
    await until(async () => "phone" in (await detail()), 1_000);
    await businesses("unclaim", "old-hand");
    await until(async () => !("phone" in (await detail())), 1_000);
  });

  test("verify, unverify and reject do what they say, several slugs at once", async () => {
    const slugs = ["otley-one", "otley-two"];
    for (const slug of slugs) await addBusiness(server.sql, { slug });
    const states = async () => {
      const rows = await server.sql<{ state: string }[]>`
        select distinct status || ' ' || is_verified as state from businesses where slug = any(${slugs})`;
      return rows.map(({ state }) => state);
    };
    await businesses("verify", ...slugs);
    expect(await states()).toEqual(["approved true"]);
    await businesses("unverify", ...slugs);
    expect(await states()).toEqual(["approved false"]);
    await businesses("reject", ...slugs);
    expect(await states()).toEqual(["rejected false"]);
  });

  test("what lacks something is not approved, and the lack is named", async () => {
    await addBusiness(server.sql, { slug: "bare-bones", status: "pending" });
    await server.sql`update businesses set postcode = '', latitude = null, longitude = null where slug = 'bare-bones'`;
    const { exitCode, stderr } = await businesses("approve", "bare-bones");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "bare-bones: cannot be approved, it lacks postcode, coordinates\n",
    });
  });

  test("an unknown slug and an unknown action are told in a line or the usage, with exit code 1", async () => {
    expect(await businesses("approve", "nobody")).toMatchObject({
      exitCode: 1,
      stderr: "nobody: there is no such business\n",
    });
    const { exitCode, stderr } = await businesses("delete", "old-hand");
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith("Usage: npx bun scripts/businesses.ts ACTION SLUG…");
  });

  test("with an option that there is not it does nothing", async () => {
    await addBusiness(server.sql, { slug: "left-alone" });
    const { exitCode, stderr } = await businesses("suspend", "--json", "left-alone");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("--json")]);
    const [found] = await server.sql`select status from businesses where slug = 'left-alone'`;
    expect(found).toEqual({ status: "approved" });
    expect((await businesses("approve", "--help")).stdout).toStartWith("Usage: ");
  });
});
