import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { checkRights } from "../../src/access/rights.ts";
import { withDeadline } from "../../src/store/deadline.ts";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { openProxy } from "../proxy.ts";
import { newFolder, startTestServer, stores } from "../support.ts";

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
  const url = await limitedUser(await listedRights());
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
});

test("a user without one of the rights that every decision needs is told of at the start", async () => {
  const rights = await listedRights();
  const missing =
    "~admissions:* ~standing:* ~probe:* +eval +evalsha +get +set +expire +pexpire +time".split(" ");
  const message = /^its user lacks rights that scripts\/README\.md lists: (NOPERM|.*can't run)/;
  let url = "";
  for (const one of missing) {
    url = await limitedUser(rights.filter((right) => right !== one));
    const redis = openRedis([url]);
    await connectRedis(redis);
    await expect(checkRights(redis)).rejects.toThrow(message);
    redis.disconnect();
  }
  const starting = startTestServer({ redisUrls: [url] });
  await expect(starting).rejects.toThrow("Cannot use Redis (REDIS_URL): its user lacks rights");
});

test.each(["EVALSHA", "TIME", "EXPIRE", "PEXPIRE"])(
  "no server starts on a Redis without %s",
  async (command) => {
    await using supervisors = new AsyncDisposableStack();
    const folder = await newFolder();
    const supervisor = supervisors.adopt(new Supervisor(folder), (each) => each.stop());
    const include = join(folder, "redis.conf");
    await Bun.write(include, `rename-command ${command} other\n`);
    const lacking = await startFrailRedis(supervisor, { include });
    const starting = startTestServer({ redisUrls: [lacking.url] });
    await expect(starting).rejects.toThrow("Cannot use Redis (REDIS_URL): it lacks a command");
  },
);

async function listedRights(): Promise<string[]> {
  const readme = await Bun.file("scripts/README.md").text();
  const rights = /needs the keys `(.*?)` and the commands `(.*?)`; .*? also `(\+select)`/.exec(
    readme,
  );
  return rights?.slice(1).flatMap((each) => each.split(" ")) ?? [];
}

/** @returns the address of Redis for a user with these rights only */
async function limitedUser(rights: readonly string[]): Promise<string> {
  const { redisUrl } = stores();
  const redis = openRedis([redisUrl]);
  await connectRedis(redis);
  await redis.call("ACL", "SETUSER", "limited", "reset", "on", ">secret", ...rights);
  redis.disconnect();
  return redisUrl.replace("redis://", "redis://limited:secret@");
}

// It waits for seconds, during which the next one can run.
test.concurrent("a Redis that accepts a connection and never answers is waited for, but not forever", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    expect(await failure(`redis://127.0.0.1:${silent.port}`)).toBe(
      "no answer within 5000 ms that it is ready: it hangs, or still loads its data, as after a start",
    );
  } finally {
    silent.stop(true);
  }
});

test.concurrent("a connection that became ready is kept for longer than one that never does", async () => {
  await using way = await openProxy(new URL("redis://127.0.0.1:1"));
  const redis = openRedis([way.url], { longestSilenceMs: 500 });
  // Its first connection is lost before it is ready.
  await expect(connectRedis(redis)).rejects.toThrow();
  way.lead(new URL(stores().redisUrl));
  await until(() => succeeds(redis.ping()), 5_000);
  let losses = 0;
  redis.on("close", () => losses++);
  await Bun.sleep(1_000);
  expect(losses).toBe(0);
  redis.disconnect();
});

test("a Redis that has too many clients is quoted, although it closes the connection", async () => {
  const supervisor = new Supervisor(await newFolder());
  const { url } = await startFrailRedis(supervisor, { maxclients: "1" });
  const only = openRedis([url]);
  await until(() => succeeds(connectRedis(only)), 5_000);
  expect(await failure(url)).toBe("ERR max number of clients reached");
  only.disconnect();
  await supervisor.stop();
});

test("a command fails at once while Redis is away, and is not done after all once it is back", async () => {
  using print = spyOn(console, "error");
  await using proxy = await openProxy(new URL(stores().redisUrl));
  const redis = openRedis([proxy.url]);
  await connectRedis(redis);
  const increment = () => withDeadline(redis.incr("late"), 5_000).catch((error) => error.message);
  proxy.hold();
  const unanswered = increment();
  await proxy.cut();
  expect(await unanswered).toContain("max retries per request");
  const refused = increment();
  await proxy.mend();
  expect(await refused).toContain("enableOfflineQueue");
  await until(() => succeeds(redis.ping()), 5_000);
  expect(await redis.get("late")).toBeNull();
  expect(print).not.toHaveBeenCalled();
  redis.disconnect();
});

test("a command whose answer is lost is not done a second time", async () => {
  await using proxy = await openProxy(new URL(stores().redisUrl));
  const redis = openRedis([proxy.url]);
  await connectRedis(redis);
  proxy.loseAnswer();
  await expect(redis.incr("once")).rejects.toThrow("max retries per request");
  await until(() => succeeds(redis.ping()), 5_000);
  expect(await redis.get("once")).toBe("1");
  redis.disconnect();
});
