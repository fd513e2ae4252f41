import type { SearchStore } from "../../src/search/settings.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { say, step } from "../terminal/output.ts";

/**
 * Brings the search index up to date before the server starts, so that its first search finds everything. In a
 * large directory that may take many minutes; so as not to delay lists and pages, the server then continues it.
 */
export async function prepareSearchIndex(
  store: SearchStore,
  { longestMs = LONGEST_MS } = {},
): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  try {
    const search = syncSearch(store, { leavesOthers: true, signal });
    const { state } = await step("Search index", search);
    if (state === "left") {
      say("The search index is of another version: the server will build a new one.");
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    say("The search index is far behind: the server will bring it up to date.");
  }
}

const LONGEST_MS = 15_000;
