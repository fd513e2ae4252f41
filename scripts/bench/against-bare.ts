import { say } from "../terminal/output.ts";
import { askAll } from "./ask.ts";
import { writeKeys } from "./callers.ts";
import { compare } from "./compare.ts";
import { drawDetails } from "./details.ts";
import { drawLists } from "./lists.ts";
import { residentBytes, startBare } from "./programs.ts";
import { writeRequests } from "./requests.ts";
import { type Bench, type Measured, type Scenario, toMeasured } from "./scenario.ts";
import type { Traffic } from "./wrk.ts";

/** Scenarios of ordinary use; the baseline is a bare `Bun.serve` that returns the same bytes. */
export const againstBare: Scenario[] = [
  {
    name: "open",
    title: "open list, mixed, warm",
    measure: (bench) =>
      againstBareServer(bench, { kind: "lists", callers: "addresses", atLeast: 0.6 }),
  },
  {
    name: "keyed",
    title: "keyed list, mixed, warm, 10,000 keys",
    measure: (bench) => againstBareServer(bench, { kind: "lists", callers: "keys", atLeast: 0.55 }),
  },
  {
    name: "detail",
    title: "open detail, skewed over all slugs",
    measure: (bench) =>
      againstBareServer(bench, { kind: "details", callers: "addresses", atLeast: 0.5 }),
  },
  {
    name: "unchanged",
    title: "304 for a matching ETag",
    measure: (bench) =>
      againstBareServer(bench, { kind: "known lists", callers: "addresses", atLeast: 0.6 }),
  },
];

interface Comparing {
  kind: "lists" | "details" | "known lists";
  callers: "addresses" | "keys";
  /** The target ratio. */
  atLeast: number;
}

async function againstBareServer(
  bench: Bench,
  { kind, callers, atLeast }: Comparing,
): Promise<Measured> {
  const { supervisor, rounds } = bench;
  const server = await bench.server();
  const callersFile =
    callers === "keys" ? await writeKeys(bench.directory.sql, bench.file("keys.txt")) : null;
  const { requestsFile, mix } = await record(bench, kind, callersFile);
  const traffic = { requestsFile, callersFile };
  say(`  sending each of the ${mix.different} distinct requests once`);
  const bare = await startBare(supervisor, server.url, traffic);
  try {
    const comparison = await compare(
      { url: server.url, traffic },
      { url: bare.url, traffic },
      rounds,
    );
    return {
      ...toMeasured(comparison, { title: "bare", atLeast }),
      memoryBytes: await residentBytes(server.daemon.pid),
      mix,
    };
  } finally {
    await bare.daemon.stop();
  }
}

async function record(bench: Bench, kind: Comparing["kind"], callersFile: string | null) {
  const { sql } = bench.directory;
  const paths =
    kind === "details"
      ? await drawDetails(sql, bench.different)
      : await drawLists(sql, bench.different);
  const requests = paths.map((path) => ({ path }));
  const recorded = await writeRequests(bench.file(`${kind}.txt`), requests);
  if (kind !== "known lists") return recorded;
  const { requestsFile } = recorded;
  const tags = await readTags(bench, { requestsFile, callersFile });
  return await writeRequests(
    requestsFile,
    paths.map((path) => ({ path, headers: { "If-None-Match": tags.get(path) ?? "" } })),
  );
}

/** The ETag of each distinct request, by its path. */
async function readTags(bench: Bench, traffic: Traffic): Promise<Map<string, string>> {
  const tags = new Map<string, string>();
  const { url } = await bench.server();
  await askAll(url, traffic, async ({ path }, response) => {
    await response.arrayBuffer();
    tags.set(path, response.headers.get("ETag") ?? "");
  });
  return tags;
}
