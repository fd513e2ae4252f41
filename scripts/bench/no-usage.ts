import type { DurableUsage } from "../../src/access/usage.ts";

/** For admission by Redis alone: nothing outlives it, and a meter that it does not know starts at 0. */
export const noUsage: DurableUsage = {
  count() {},
  async giveBack() {},
  totals: async (meters) => meters.map(() => 0),
  async flush() {},
  onWritten() {},
};
