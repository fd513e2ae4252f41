import { expect, test } from "bun:test";
import { freePort } from "../../../scripts/stack/ports.ts";

test("no port is given twice, although each is still free when the next is asked for", async () => {
  const ports = new Set<number>();
  // Were they drawn from 10,000 without a memory, hardly any 500 would all differ.
  for (let count = 0; count < 500; count++) ports.add(await freePort());
  expect(ports.size).toBe(500);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...ports)).toBeLessThan(20_000);
});
