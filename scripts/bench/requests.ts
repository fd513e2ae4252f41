import { writeFile } from "node:fs/promises";

/** The Host header of all recorded requests. */
const HOST = "bench";

export interface RecordedRequest {
  /** With the query string. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** How skewed the requests are. */
export interface Mix {
  requests: number;
  different: number;
  /** The share of all requests that goes to the most popular hundredth of the distinct ones. */
  topShare: number;
}

/**
 * Writes requests for wrk: the distinct ones, one per line, in order of first appearance, and in `FILE.order` the
 * order in which they are sent, as 32-bit indices; see programs/wrk.lua. `FILE.json` has the distinct ones, too.
 */
export async function writeRequests(
  requestsFile: string,
  requests: readonly RecordedRequest[],
): Promise<{ requestsFile: string; mix: Mix }> {
  const numbers = new Map<string, number>();
  const distinct: RecordedRequest[] = [];
  const counts: number[] = [];
  const order = Uint32Array.from(requests, (request) => {
    const number = numbers.getOrInsertComputed(toLine(request), () => distinct.push(request) - 1);
    counts[number] = (counts[number] ?? 0) + 1;
    return number;
  });
  await writeFile(requestsFile, `${[...numbers.keys()].join("\n")}\n`);
  await writeFile(`${requestsFile}.order`, order);
  await writeFile(`${requestsFile}.json`, JSON.stringify(distinct));
  const top = counts.toSorted((a, b) => b - a).slice(0, Math.ceil(counts.length / 100));
  const topShare = top.reduce((sum, count) => sum + count, 0) / order.length;
  return { requestsFile, mix: { requests: order.length, different: counts.length, topShare } };
}

/** The distinct requests of a file, in order of first appearance. */
export const readRequests = (requestsFile: string): Promise<RecordedRequest[]> =>
  Bun.file(`${requestsFile}.json`).json();

/** An HTTP message with tabs as line breaks; the caller's header comes last, see programs/wrk.lua. */
function toLine({ path, headers = {}, body }: RecordedRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${body ? "POST" : "GET"} ${path} HTTP/1.1`, `Host: ${HOST}`, ...fields];
  if (!body) return head.join("\t");
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\t");
}
