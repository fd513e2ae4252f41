import { addressLine } from "./callers.ts";
import { type RecordedRequest, readRequests } from "./requests.ts";
import type { Traffic } from "./wrk.ts";

const AT_ONCE = 64;

/**
 * Sends each distinct recorded request to a server once.
 * @throws Error when a response is neither 200 nor 304
 */
export async function askAll(
  origin: string,
  { requestsFile, callersFile }: Traffic,
  onAnswer: (request: RecordedRequest, response: Response) => Promise<void> | void,
): Promise<void> {
  const callerOf = await readCallers(callersFile);
  // Popular requests come early in the file. They are sent last, so that a full cache keeps their responses.
  const requests = (await readRequests(requestsFile)).toReversed().entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, request] of requests) {
        const [name = "", value = ""] = callerOf(index).split(": ");
        const response = await askPatiently(origin + request.path, {
          method: request.body === undefined ? "GET" : "POST",
          body: request.body ?? null,
          // No compression, as with wrk, which does not ask for it.
          headers: { "Accept-Encoding": "identity", ...request.headers, [name]: value },
        });
        if (response.status !== 200 && response.status !== 304) {
          throw new Error(
            `${request.path} was answered with ${response.status}: ${await response.text()}`,
          );
        }
        await onAnswer(request, response);
      }
    }),
  );
}

/**
 * Asks again when told to, a few times: right after its start PostgreSQL reads from the disk, and its first pages
 * may take longer than any answer may.
 */
async function askPatiently(url: string, request: RequestInit, times = 5): Promise<Response> {
  const response = await fetch(url, request);
  const retryAfter = response.headers.get("Retry-After");
  if (response.status !== 503 || retryAfter === null || times === 1) return response;
  await response.arrayBuffer();
  await Bun.sleep(Number(retryAfter) * 1000);
  return await askPatiently(url, request, times - 1);
}

/** The header line of the caller with this number. */
async function readCallers(file: string | null): Promise<(number: number) => string> {
  if (file === null) return addressLine;
  const lines = (await Bun.file(file).text()).trimEnd().split("\n");
  return (number) => lines[number % lines.length] as string;
}
