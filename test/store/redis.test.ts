import { expect, test } from "bun:test";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { stores } from "../support.ts";

async function failure(url: string): Promise<string> {
  const redis = openRedis([url]);
  try {
    await connectRedis(redis);
    return "";
  } catch (error) {
    return (error as Error).message;
  } finally {
    redis.disconnect();
  }
}

test("a failure to connect says why", async () => {
  expect(await failure("redis://127.0.0.1:1")).toContain("ECONNREFUSED");
  expect(await failure("redis://nowhere.invalid:6379")).toContain("ENOTFOUND");
});

test("a database number that Redis does not have is refused, not read as 0", async () => {
  const { redisUrl } = stores();
  expect(await failure(`${redisUrl}/99999`)).toBe("ERR DB index is out of range");
  for (const path of ["", "/", "/0", "/1"]) expect(await failure(redisUrl + path)).toBe("");
});

test("a user with the rights listed in scripts/README.md can connect, to another database too", async () => {
  const readme = await Bun.file("scripts/README.md").text();
  const rights = /needs the keys `(.*?)` and the commands `(.*?)`; .*? also `(\+select)`/.exec(
    readme,
  );
  const { redisUrl } = stores();
  const redis = openRedis([redisUrl]);
  const words = rights?.slice(1).flatMap((each) => each.split(" ")) ?? [];
  await connectRedis(redis);
  await redis.call("ACL", "SETUSER", "limited", "on", ">secret", ...words);
  const url = redisUrl.replace("redis://", "redis://limited:secret@");
  expect([await failure(url), await failure(`${url}/1`)]).toEqual(["", ""]);
  await redis.call("ACL", "DELUSER", "limited");
  redis.disconnect();
});

test("a Redis that accepts a connection and never answers is waited for, but not forever", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    expect(await failure(`redis://127.0.0.1:${silent.port}`)).toBe("no answer within 5000 ms");
  } finally {
    silent.stop(true);
  }
});
