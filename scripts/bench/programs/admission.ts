import { type Admission, createAdmission } from "../../../src/access/admission.ts";
import { openRedis } from "../../../src/store/redis.ts";
import { noUsage } from "../no-usage.ts";

/**
 * The server under measurement: /MODE/KEY admits and answers, /report says how long the decisions
 * have taken since the last report. MODE is batched, single or none (answers without asking).
 */

const redis = openRedis([process.env.REDIS_URL ?? ""]);
redis.on("error", (error) => console.error(error));
await redis.connect();

const modes: Record<string, Admission | null> = {
  batched: createAdmission(redis, { usage: noUsage }),
  single: createAdmission(redis, { usage: noUsage, batchSize: 1 }),
  none: null,
};

/** What a list of twenty businesses weighs. */
const body = JSON.stringify({
  data: Array.from({ length: 20 }, (_, number) => ({
    slug: `business-${number}`,
    name: `Business ${number}`,
    shortDesc: "Something about it, in a line or two.",
    cityName: "Leeds",
    postcode: "LS1 6HD",
    averageRating: 4.5,
    reviewCount: 10,
    isPremium: false,
    isVerified: true,
    categorySlug: "plumbers",
  })),
  meta: { page: 1, per_page: 20, total: 20, has_more: false },
});

let times: number[] = [];
let failures = 0;

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const [, , , mode = "", number = ""] = request.url.split("/");
    if (mode === "report") return Response.json(report());
    const admission = modes[mode];
    if (admission) {
      const id = `key-${number}`;
      const limits = { quota: 100_000_000, perMinute: 100_000_000, burst: 100_000_000 };
      const began = performance.now();
      const { admitted } = await admission.admitKey({ id, meterId: id, tier: "", ...limits });
      times.push(performance.now() - began);
      if (!admitted) failures += 1;
    }
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  },
});
console.log(server.port);

/** Times in milliseconds. */
function report() {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const outages = Object.values(modes).reduce((sum, mode) => sum + (mode?.state().outages ?? 0), 0);
  const figures = { p50: at(0.5), p99: at(0.99), p999: at(0.999), failures, outages };
  times = [];
  failures = 0;
  return figures;
}
