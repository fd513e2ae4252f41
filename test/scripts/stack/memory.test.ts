import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  MEILISEARCH_MEMORY,
  POSTGRES_MEMORY,
  SERVER_MEMORY,
} from "../../../scripts/stack/memory.ts";
import { POSTGRES_SETTINGS } from "../../../scripts/stack/postgres.ts";

const root = join(import.meta.dir, "../../..");

test("`bun run serve` sets the same for the server as `npm start`", async () => {
  const { scripts } = await Bun.file(join(root, "package.json")).json();
  for (const [name, value] of Object.entries(SERVER_MEMORY)) {
    expect(scripts.serve).toContain(` ${name}=${value} `);
  }
});

test("compose.yaml sets the same for the server, PostgreSQL and Meilisearch as `npm start`", async () => {
  const { services } = Bun.YAML.parse(await Bun.file(join(root, "compose.yaml")).text()) as {
    services: Record<
      "app" | "postgres" | "meilisearch",
      { environment: Record<string, string>; command: string[] }
    >;
  };
  expect(services.app.environment).toMatchObject(SERVER_MEMORY);
  expect(services.postgres.environment).toMatchObject(POSTGRES_MEMORY);
  const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `--${name}=${value}`);
  expect(services.postgres.command).toEqual(["postgres", ...settings]);
  expect(services.meilisearch.environment).toMatchObject(MEILISEARCH_MEMORY);
});
