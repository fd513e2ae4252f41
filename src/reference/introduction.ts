import { openData } from "../directory/open-data.ts";

/** What applies to all operations, in Markdown: a paragraph for each topic. */
export function introduction(openAccess: boolean): string {
  const topics = [...(openAccess ? openTopics : []), ...keyedTopics, ...commonTopics];
  return topics.join("\n\n");
}

const openTopics = [
  "Two variants share the paths: a request **without** an `Authorization` header is open, one **with** it is keyed.",
  "**Open:** 60 requests in any 60 seconds per client address, fewer fields, readable from any web page (CORS).",
];

const keyedTopics = [
  "**Keyed:** `Authorization: Bearer <key>`. A key does not belong in a browser: keyed responses have no CORS headers.",
  "**Limits of a key:** a token bucket that refills continuously, and a quota per calendar month in UTC. 200, 304, 400 and " +
    "the 404 of a business cost one of each; refusals cost nothing, and 5xx is refunded. " +
    '`RateLimit: "permin";r=59;t=1, "month";r=959;t=777600` says that 59 requests are left in the bucket, which gains ' +
    "one in 1 second, and 959 of the quota, which resets in 777,600 seconds.",
];

const credits = [...openData.values()].map(
  ({ owner, licence, href }) => `${owner}, [${licence}](${href})`,
);

const commonTopics = [
  "**Requests:** `HEAD` works wherever `GET` does. Unknown parameters are ignored; an invalid value gets 400, which names " +
    'the parameter. Any other method gets 405 `{"error": "method_not_allowed", "message": …}` with `Allow`, any other path ' +
    '404 `{"error": "not_found"}`. Encode spaces: a URL with a plain one gets 505 without a body.',
  "**Responses:** every 200 has a strong `ETag` for `If-None-Match`. Bodies of 128 bytes or more are compressed with gzip " +
    "or zstd if you accept either.",
  "**Freshness:** changes to the directory show in lists and details within a second, and in search usually within five.",
  "**Versions:** version 1 may gain fields and parameters, so ignore those you do not know. Nothing is removed or changes " +
    "meaning: that would be `/api/v2`, alongside version 1.",
  "**Licences:** the software is under the MIT licence, the data under the terms of its sources. Businesses may come from " +
    `open data, whose licences require a credit wherever it is shown: ${credits.join("; ")}. The page ` +
    "`/businesses/{slug}` says which of these a business needs.",
];
