import { afterAll, expect, test } from "bun:test";
import { createAdmission } from "../../src/access/admission.ts";
import { health } from "../../src/handlers/health.ts";
import { createContext, createDatabase, freshRedis, redisAlone } from "../support.ts";

const database = await createDatabase();
const redis = (await freshRedis()).client;
afterAll(async () => {
  redis.disconnect();
  await database.drop();
});

test("health checks at the same time share one query, and the next one asks again", async () => {
  let queries = 0;
  const sql = new Proxy(database.sql, {
    apply(query, self, parts) {
      queries += 1;
      return Reflect.apply(query, self, parts);
    },
  });
  const handler = health(sql, createAdmission(redis, redisAlone));
  const check = () => handler(new Request("http://localhost/healthz"), createContext());

  const answers = await Promise.all(Array.from({ length: 50 }, check));
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(queries).toBe(1);
  await check();
  expect(queries).toBe(2);
});
