import { parseArgs } from "node:util";
import { createKey, revokeKey } from "../../src/access/keys.ts";
import { startRedis } from "../stack/redis.ts";
import { runCommand } from "../terminal/command.ts";
import { formatTable } from "../terminal/table.ts";
import { readWholeNumber } from "../terminal/whole-number.ts";
import { addressOf, OWNER } from "./callers.ts";
import { median } from "./compare.ts";
import { startServers, withSupervisor } from "./stack.ts";

const USAGE = `Usage: npx bun scripts/bench/revocation.ts [--repetitions 100] [--json]

Two servers that know a key: milliseconds from the commit of its revocation until both refuse it,
with the announcement of the change, and with the announcement lost.`;

async function revocations(): Promise<void> {
  const { values } = parseArgs({
    options: {
      repetitions: { type: "string", default: "100" },
      json: { type: "boolean", default: false },
    },
  });
  const repetitions = readWholeNumber("--repetitions", values.repetitions, 1);

  await withSupervisor(async (supervisor) => {
    const redis = await startRedis(supervisor, { durable: false, say: console.error });
    const { urls, sql } = await startServers(supervisor, [redis.url], 2);
    const limits = { quota: 1_000_000, perMinute: 1_000_000, burst: 1_000_000 };

    let asked = 0;
    async function revokeOne(): Promise<number> {
      const { id, key } = await createKey(sql, { ...OWNER, ...limits });
      const ask = async (url: string) => {
        // Refusals count against the address of the caller. Each request comes from another address, so that
        // none of them is over its limit.
        const headers = { Authorization: `Bearer ${key}`, "X-Forwarded-For": addressOf(++asked) };
        const response = await fetch(`${url}/api/v1/usage`, { headers });
        await response.arrayBuffer();
        return response.status;
      };
      for (const url of urls)
        if ((await ask(url)) !== 200) throw new Error("the key does not work");
      await revokeKey(sql, id);
      const revokedAt = performance.now();
      const refused = urls.map(async (url) => {
        while ((await ask(url)) === 200) await Bun.sleep(1);
        return performance.now() - revokedAt;
      });
      return Math.max(...(await Promise.all(refused)));
    }

    const announced: number[] = [];
    for (let count = 0; count < repetitions; count++) announced.push(await revokeOne());
    await sql`alter table api_keys disable trigger announce`;
    const lost: number[] = [];
    for (let count = 0; count < repetitions; count++) lost.push(await revokeOne());
    await sql.end();

    const lines = { announced: figures(announced), lost: figures(lost) };
    if (values.json) return console.log(JSON.stringify(lines));
    const rows = Object.entries(lines).map(([name, { median, maximum }]) => [
      name,
      String(repetitions),
      median.toFixed(1),
      maximum.toFixed(1),
    ]);
    console.log(formatTable(["announcement", "repetitions", "median ms", "maximum ms"], rows));
  });
}

const figures = (times: readonly number[]) => ({
  median: median(times),
  maximum: Math.max(...times),
});

await runCommand(USAGE, revocations);
