import { expect, test } from "bun:test";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { startTestServer, stores } from "../support.ts";

interface Health {
  admission: { decidedBy: string; outages: number };
}

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

test("the rights listed in scripts/README.md suffice, in another database too", async () => {
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
  for (const limited of [url, `${url}/1`]) {
    await using server = await startTestServer({ redisUrls: [limited] });
    const headers = { Authorization: `Bearer ${await server.issueKey()}` };
    const list = `${server.url}/api/v1/businesses`;
    await fetch(list, { headers });
    // The last of them is refused, by other commands than the rest.
    for (let request = 0; request < 61; request++) await fetch(list);
    const { admission } = (await (await fetch(`${server.url}/healthz`)).json()) as Health;
    expect(admission).toEqual({ decidedBy: "redis", outages: 0 });
  }
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
