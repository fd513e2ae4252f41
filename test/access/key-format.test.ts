import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { generateKey, hashKey, isWellFormedKey, keyHint } from "../../src/access/key-format.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a key is hs_live_, 32 random base62 characters and 6 of checksum", () => {
  const key = generateKey();
  expect(key).toMatch(/^hs_live_[0-9A-Za-z]{38}$/);
  expect(isWellFormedKey(key)).toBe(true);
});

test("a key that was issued once stays one", () => {
  expect(isWellFormedKey("hs_live_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL")).toBe(true);
});

test("the checksum refuses every change of a single character", () => {
  const key = generateKey();
  for (let position = 0; position < key.length; position++) {
    for (const character of `${BASE62}_`) {
      const changed = key.slice(0, position) + character + key.slice(position + 1);
      expect(isWellFormedKey(changed)).toBe(changed === key);
    }
  }
});

test("the checksum refuses two neighbouring characters that are swapped", () => {
  const key = generateKey();
  for (let position = 0; position < key.length - 1; position++) {
    const [first = "", second = ""] = key.slice(position, position + 2);
    const swapped = key.slice(0, position) + second + first + key.slice(position + 2);
    expect(isWellFormedKey(swapped)).toBe(first === second);
  }
});

test("anything else is no key", () => {
  const key = generateKey();
  const others = ["", "hs_live_", ` ${key}`, `${key} `, `${key}\n`, key.slice(0, -1), `${key}0`];
  for (const other of [...others, key.toLowerCase(), key.replace("live", "test"), `${key}${key}`]) {
    expect(isWellFormedKey(other)).toBe(false);
  }
});

test("each base62 character is as likely as any other", () => {
  const keys = 5_000;
  const counts = new Map<string, number>();
  for (let made = 0; made < keys; made++) {
    for (const character of generateKey().slice(8, 40)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const expected = (keys * 32) / 62;
  const chiSquared = [...BASE62]
    .map((character) => ((counts.get(character) ?? 0) - expected) ** 2 / expected)
    .reduce((sum, term) => sum + term);
  // 61 degrees of freedom: a fair source exceeds 140 once in 30 million runs. A byte taken modulo
  // 62 without rejection would come to several thousand.
  expect(chiSquared).toBeLessThan(140);
});

test("a key is kept as its SHA-256, and its hint shows 4 of its random characters", () => {
  const key = generateKey();
  expect(hashKey(key)).toEqual(createHash("sha256").update(key).digest());
  expect(keyHint(key)).toBe(key.slice(0, "hs_live_".length + 4));
});
