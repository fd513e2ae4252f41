import { writeFile } from "node:fs/promises";

/** The host that all recorded requests name. */
const HOST = "bench";

export interface RecordedRequest {
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How requests repeat: how many there are, how many differ, and what the most popular get. */
export interface Mix {
  file: string;
  requests: number;
  different: number;
  /** Of all requests, the share of the most popular hundredth of the different ones. */
  topShare: number;
}

/** Writes requests in the order in which they are to be sent, for wrk and the baselines. */
export async function writeRequests(
  file: string,
  requests: readonly RecordedRequest[],
): Promise<Mix> {
  const lines = requests.map(toLine);
  await writeFile(file, `${lines.join("\n")}\n`);
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const top = sorted.slice(0, Math.ceil(sorted.length / 100));
  const topShare = top.reduce((sum, count) => sum + count, 0) / lines.length;
  return { file, requests: lines.length, different: sorted.length, topShare };
}

/** The different requests of a file, in order of their first appearance. */
export async function readRequests(file: string): Promise<RecordedRequest[]> {
  const lines = (await Bun.file(file).text()).trimEnd().split("\n");
  return [...new Set(lines)].map((line) => {
    const [[start = "", , ...fields], body] = splitLine(line);
    const headers = fields.map((field) => field.split(/: (.*)/s).slice(0, 2));
    return {
      path: start.split(" ")[1] ?? "",
      headers: Object.fromEntries(headers),
      ...(body && { body }),
    };
  });
}

/** An HTTP message with tabs for line breaks; the last header is the caller's, see programs/wrk.lua. */
function toLine({ path, headers, body }: RecordedRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${body ? "POST" : "GET"} ${path} HTTP/1.1`, `Host: ${HOST}`, ...fields];
  if (!body) return head.join("\t");
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\t");
}

function splitLine(line: string): [head: string[], body: string | undefined] {
  const [head = "", body] = line.split("\t\t");
  return [head.split("\t"), body];
}
