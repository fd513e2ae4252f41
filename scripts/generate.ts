import { parseArgs } from "node:util";
import { counted, grouped } from "../src/numbers.ts";
import { generateBusinesses } from "./generate/businesses.ts";
import { loadBusinesses } from "./generate/load.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { runCommand } from "./terminal/command.ts";
import { readWholeNumber } from "./terminal/options.ts";
import { print, printAll } from "./terminal/output.ts";

const USAGE = `Usage: npx bun scripts/generate.ts [--count N] [--seed S]
       npx bun scripts/generate.ts --ndjson [--count N] [--seed S] > FILE.ndjson

Fills the directory with made-up businesses, by default 5000 from seed 1. The same seed gives the
same ones, and a larger count begins with those of a smaller one: those already there stay.

  --ndjson  prints them as import records instead, one JSON line each`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      ndjson: { type: "boolean", default: false },
    },
  });
  const count = readWholeNumber("--count", values.count, 0);
  const seed = readWholeNumber("--seed", values.seed, 0);
  if (values.ndjson) {
    const records = generateBusinesses({ count, seed });
    return await printAll(records.map((record) => JSON.stringify(record)));
  }
  const { databaseUrl } = await scriptConfig();
  await using sql = await openDatabase(databaseUrl, 4);
  const { added, seconds } = await loadBusinesses(sql, count, seed);
  print(
    `Added ${counted(added, "business", "businesses")} in ${seconds.toFixed(1)} s, ${grouped(Math.round(added / seconds))} a second; already there: ${grouped(count - added)}.`,
  );
});
