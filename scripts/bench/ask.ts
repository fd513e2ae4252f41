import { addressLine } from "./callers.ts";
import { type RecordedRequest, readRequests } from "./requests.ts";
import type { Traffic } from "./wrk.ts";

const AT_ONCE = 64;

/**
 * Asks a server for each different one of the recorded requests, once.
 * @throws Error when one is not answered with 200 or 304
 */
export async function askAll(
  origin: string,
  { requestsFile, callersFile }: Traffic,
  onAnswer: (request: RecordedRequest, response: Response) => Promise<void> | void,
): Promise<void> {
  const callerOf = await readCallers(callersFile);
  // The popular ones are among the first: asked for last, they are what a full cache is left with.
  const requests = (await readRequests(requestsFile)).toReversed().entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, request] of requests) {
        const [name = "", value = ""] = callerOf(index).split(": ");
        const response = await fetch(origin + request.path, {
          method: request.body === undefined ? "GET" : "POST",
          body: request.body ?? null,
          // Like wrk, which takes whatever comes.
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

/** The header line of the caller with that number. */
async function readCallers(file: string | null): Promise<(number: number) => string> {
  if (file === null) return addressLine;
  const lines = (await Bun.file(file).text()).trimEnd().split("\n");
  return (number) => lines[number % lines.length] as string;
}
