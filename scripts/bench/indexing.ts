import type { EnqueuedTask } from "meilisearch";
import { grouped } from "../../src/numbers.ts";
import { readAllDocuments, type SearchDocument } from "../../src/search/documents.ts";
import { DOCUMENTS_AT_ONCE, REQUESTS_AHEAD } from "../../src/search/rebuild.ts";
import { indexSettings } from "../../src/search/settings.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { createPipeline, waitForTask } from "../../src/search/tasks.ts";
import { type Meilisearch, openMeilisearch } from "../../src/store/meilisearch.ts";
import { migrate } from "../../src/store/migrations.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { say } from "../terminal/output.ts";
import { median } from "./compare.ts";
import { withDatabase } from "./databases.ts";
import { runScript, settle, timed } from "./directory.ts";
import type { Bench, Measured, Scenario } from "./scenario.ts";

/** A full build of the search index, against sending the same documents in the same batches. */
export const indexing: Scenario = {
  name: "index",
  title: "full index build",
  measure: measureIndexing,
};

const LEAST_RATIO = 0.8;
/** Enough to compare the two, however large the directory is. */
const MOST_DOCUMENTS = 100_000;
const INDEX = "bench";

async function measureIndexing(bench: Bench): Promise<Measured> {
  const { env, built } = bench.directory;
  const { rounds } = bench.rounds;
  const meili = openMeilisearch(env.MEILI_URL ?? "", env.MEILI_KEY ?? "");
  return await withDatabase(bench.directory, { name: "index" }, async (env) => {
    const sql = openPostgres(env.DATABASE_URL ?? "", { max: 2 });
    await migrate(sql);
    await runScript(env, "generate.ts", "--count", `${Math.min(MOST_DOCUMENTS, built.count)}`);
    await settle(sql);
    const batches = await Array.fromAsync(readAllDocuments(sql, DOCUMENTS_AT_ONCE));
    const count = batches.flat().length;

    const rates: { build: number; direct: number }[] = [];
    for (let round = 1; round <= rounds; round++) {
      const build = await timed(() => syncSearch({ sql, meili, index: INDEX }, { rebuild: true }));
      await meili.deleteIndex(INDEX).waitTask({ timeout: 60_000 });
      const direct = await timed(() => send(meili, batches));
      await meili.deleteIndex(INDEX).waitTask({ timeout: 60_000 });
      rates.push({ build: count / build, direct: count / direct });
      say(`  round ${round} of ${rounds}: ratio ${(direct / build).toFixed(2)}`);
    }
    await sql.end();
    const ratios = rates.map(({ build, direct }) => build / direct);
    const ratio = median(ratios);
    return {
      perSecond: median(rates.map(({ build }) => build)),
      baseline: { title: "Meilisearch", perSecond: median(rates.map(({ direct }) => direct)) },
      ratio,
      ratios,
      goal: `ratio at least ${LEAST_RATIO.toFixed(2)}`,
      isReached: ratio >= LEAST_RATIO,
      notes: [
        `${grouped(count)} documents in batches of ${grouped(DOCUMENTS_AT_ONCE)}`,
        `the whole directory, when it was built: ${grouped(Math.round(built.indexSeconds))} s`,
      ],
    };
  });
}

async function send(meili: Meilisearch, batches: SearchDocument[][]): Promise<void> {
  const { signal } = new AbortController();
  const pipeline = createPipeline(REQUESTS_AHEAD);
  const queue = (task: EnqueuedTask) => pipeline.add(waitForTask(meili, task, signal));
  await queue(await meili.createIndex(INDEX, { primaryKey: "id" }));
  const index = meili.index(INDEX);
  await queue(await index.updateSettings(indexSettings));
  for (const batch of batches) await queue(await index.addDocuments(batch));
  await pipeline.end();
}
