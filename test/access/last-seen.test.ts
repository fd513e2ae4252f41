import { expect, test } from "bun:test";
import { createLastSeen } from "../../src/access/last-seen.ts";
import { makeKey } from "../fixtures.ts";

test("the last reading of a meter is remembered, whatever its month", () => {
  const lastSeen = createLastSeen();
  const key = makeKey();
  const rest = { tokensLeft: 3, monthEndsInSeconds: 9, nextTokenInSeconds: 0 };
  lastSeen.remember(key, { ...rest, month: "2026-11", used: 9 });
  lastSeen.remember({ ...key, perMinute: 7 }, { ...rest, month: "2026-12", used: 1 });
  const last = { used: 1, key: { ...key, perMinute: 7 } };
  expect(lastSeen.sighting(key.meterId)).toMatchObject(last);
});
