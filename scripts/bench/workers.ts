import { availableParallelism } from "node:os";
import { askAll } from "./ask.ts";
import { compare } from "./compare.ts";
import { recordLists } from "./lists.ts";
import { startTested } from "./programs.ts";
import { type Bench, type Measured, type Scenario, toMeasured } from "./scenario.ts";

/** What WORKERS gains. */
export const workers: Scenario = {
  name: "workers",
  title: "open list with a process for each core",
  measure: againstOneProcess,
};

/** Linux picks a process for each connection, so one pass reaches about half of the caches of two processes. */
const WARM_UPS = 3;

async function againstOneProcess(bench: Bench): Promise<Measured> {
  const { supervisor, directory, rounds } = bench;
  const one = await bench.server();
  const { requestsFile, mix } = await recordLists(bench);
  const traffic = { requestsFile, callersFile: null };
  const cores = availableParallelism();
  const many = await startTested(supervisor, directory, { name: "workers", workers: cores });
  try {
    await askAll(one.url, traffic, () => {});
    for (let pass = 0; pass < WARM_UPS; pass++) await askAll(many.url, traffic, () => {});
    const comparison = await compare({ url: many.url, traffic }, { url: one.url, traffic }, rounds);
    return {
      ...toMeasured(comparison, { title: "one process", atLeast: 1 }),
      mix,
      notes: [`WORKERS=${cores}, on a machine that also runs wrk and the stores`],
    };
  } finally {
    await many.daemon.stop();
  }
}
