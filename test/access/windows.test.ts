import { afterAll, expect, test } from "bun:test";
import { AdmissionUnavailable } from "../../src/access/decisions.ts";
import { createWindow } from "../../src/access/windows.ts";
import { openRedis } from "../../src/store/redis.ts";
import { openProxy } from "../proxy.ts";
import { freshRedis, patient, stores } from "../support.ts";

const redis = (await freshRedis()).client;
afterAll(() => redis.disconnect());

test("each window counts by itself, and says how long it stays full", async () => {
  const narrow = createWindow(redis, { name: "narrow", limit: 1, seconds: 60, ...patient });
  const wide = createWindow(redis, { name: "wide", limit: 2, seconds: 3_600, ...patient });
  expect([await narrow("ada"), await wide("ada"), await wide("ada"), await narrow("bob")]).toEqual([
    0, 0, 0, 0,
  ]);
  expect(await narrow("ada")).toBeWithin(50, 61);
  expect(await wide("ada")).toBeWithin(3_590, 3_601);
});

test("a window that is full for less than a second still refuses", async () => {
  const brief = createWindow(redis, { name: "brief", limit: 1, seconds: 1, ...patient });
  expect(await Promise.all([brief("ada"), brief("ada")])).toEqual([0, 1]);
});

test("while Redis is away the error speaks of clients, and keeps its cause", async () => {
  const away = (await freshRedis()).client;
  away.disconnect();
  const window = createWindow(away, { name: "narrow", limit: 1, seconds: 60 });
  const error = await window("ada").catch((failure) => failure);
  expect(error).toBeInstanceOf(AdmissionUnavailable);
  expect(error.message).toBe("the window of a client cannot be read");
  expect(error.cause).toBeInstanceOf(Error);
});

test("nobody waits for a Redis that does not answer", async () => {
  const proxy = await openProxy(new URL(stores().redisUrl));
  const silent = openRedis([proxy.url]);
  await silent.connect();
  proxy.hold();
  const window = createWindow(silent, { name: "narrow", limit: 1, seconds: 60 });
  await expect(window("ada")).rejects.toThrow(AdmissionUnavailable);
  silent.disconnect();
  await proxy.close();
});
