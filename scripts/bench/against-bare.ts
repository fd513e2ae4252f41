import { join } from "node:path";
import { writeAddresses } from "./callers.ts";
import { compare, median } from "./compare.ts";
import { drawLists } from "./lists.ts";
import { residentBytes, startBare } from "./programs.ts";
import { writeRequests } from "./requests.ts";
import { type Bench, type Measured, type Scenario, toMeasured } from "./scenario.ts";
import { drive } from "./wrk.ts";

/** Scenarios whose baseline is a bare `Bun.serve` with the same bytes. */
export const againstBare: Scenario[] = [
  { name: "open", title: "open list, mixed, warm", measure: measureOpenList },
];

async function measureOpenList(bench: Bench): Promise<Measured> {
  const { folder } = bench.supervisor;
  const callersFile = join(folder, "addresses.txt");
  await writeAddresses(callersFile);
  const paths = await drawLists(bench.directory.sql, bench.different);
  const { file: requestsFile, ...mix } = await writeRequests(
    join(folder, "lists.txt"),
    paths.map((path) => ({ path, headers: {} })),
  );
  const traffic = { requestsFile, callersFile };
  const server = await bench.server();
  bench.say(`  asking for all ${mix.different} different requests once`);
  const bare = await startBare(bench.supervisor, server, traffic);
  try {
    const plain: number[] = [];
    const comparison = await compare(
      { url: server.url, traffic },
      { url: bare.url, traffic },
      bench.rounds,
      {
        onRound: async (round, ratio) => {
          bench.say(`  round ${round}: ${ratio.toFixed(3)}`);
        },
      },
    );
    plain.push(
      (await drive(bare.plainUrl, traffic, { seconds: bench.rounds.seconds, from: 0 })).perSecond,
    );
    return {
      ...toMeasured(comparison, { title: "bare", atLeast: 0.6 }),
      memoryBytes: await residentBytes(server.daemon.pid),
      mix,
      notes: [`bare with Content-Type as its only header: ${Math.round(median(plain))} a second`],
    };
  } finally {
    await bare.daemon.stop();
  }
}
