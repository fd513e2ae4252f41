import { expect, test } from "bun:test";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { stores } from "../support.ts";

async function failure(url: string): Promise<string> {
  const redis = openRedis([url]);
  redis.on("error", () => {});
  try {
    await connectRedis(redis);
    return "";
  } catch (error) {
    return (error as Error).message;
  } finally {
    redis.disconnect();
  }
}

test("who cannot connect hears why", async () => {
  expect(await failure("redis://127.0.0.1:1")).toContain("ECONNREFUSED");
  expect(await failure("redis://nowhere.invalid:6379")).toContain("ENOTFOUND");
});

test("a database that Redis does not have is refused, not taken for 0", async () => {
  const { redisUrl } = stores();
  expect(await failure(`${redisUrl}/99999`)).toBe("ERR DB index is out of range");
  for (const path of ["", "/", "/0", "/1"]) expect(await failure(redisUrl + path)).toBe("");
});

test("one that accepts a connection and says nothing is waited for, but not for ever", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    expect(await failure(`redis://127.0.0.1:${silent.port}`)).toBe("no answer within 5000 ms");
  } finally {
    silent.stop(true);
  }
});
