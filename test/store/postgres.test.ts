import { expect, test } from "bun:test";
import { openPostgres } from "../../src/store/postgres.ts";
import { createDatabase } from "../support.ts";

test("a server's statements are not compiled, where PostgreSQL compiles all that seems dear", async () => {
  const database = await createDatabase();
  try {
    const name = new URL(database.url).pathname.slice(1);
    await database.sql`alter database ${database.sql(name)} set jit = on`;
    const sql = openPostgres(database.url, { max: 1, keepsPlans: true });
    try {
      const [{ jit }] = await sql<[{ jit: string }]>`show jit`;
      expect(jit).toBe("off");
    } finally {
      await sql.end();
    }
  } finally {
    await database.drop();
  }
});
