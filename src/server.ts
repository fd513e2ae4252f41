import type { Server } from "bun";
import type { Keyring } from "./access/keyring.ts";
import { type AnswerCounts, RouteCounts } from "./answer-counts.ts";
import { LostPageError } from "./directory/kept-pages.ts";
import type { AnswerCache } from "./handlers/answer-cache.ts";
import { listKeyed, listOpen, showKeyed, showOpen } from "./handlers/businesses.ts";
import { categories } from "./handlers/categories.ts";
import { cities } from "./handlers/cities.ts";
import { health } from "./handlers/health.ts";
import { metrics } from "./handlers/metrics.ts";
import { search } from "./handlers/search.ts";
import { usage } from "./handlers/usage.ts";
import { NO_HEADERS } from "./http/answer.ts";
import { clientAddress } from "./http/client-address.ts";
import { notFound } from "./http/errors.ts";
import { type Context, chain, type Handler } from "./http/handler.ts";
import { respond } from "./http/respond.ts";
import { admitClient } from "./middleware/admitClient.ts";
import { admitKey } from "./middleware/admitKey.ts";
import { allowMethods } from "./middleware/allowMethods.ts";
import { answerInTime } from "./middleware/answerInTime.ts";
import { answerPreflight } from "./middleware/answerPreflight.ts";
import { catchErrors, createAwayLog, failed } from "./middleware/catchErrors.ts";
import { openHeaders } from "./middleware/openHeaders.ts";
import { requireHeader } from "./middleware/requireHeader.ts";
import { takeTurns } from "./middleware/takeTurns.ts";
import { variants } from "./middleware/variants.ts";
import { presentedKey, withKey } from "./middleware/withKey.ts";
import { openApi } from "./reference/document.ts";
import { llms } from "./reference/llms.ts";
import { REFERENCE_PATH, referencePage, referenceScript, SCRIPT_PATH } from "./reference/page.ts";
import { type SiteParts, siteNotFound, siteRoutes } from "./site/routes.ts";

interface Parts extends SiteParts {
  cache: AnswerCache;
  keyring: Keyring;
  counts: AnswerCounts;
  /** All metrics, in the text format of Prometheus. */
  scrape(): Promise<string>;
}

/**
 * Serves the directory.
 * @throws the error of Bun when it cannot listen there
 */
export function serve(parts: Parts): Server<undefined> {
  const { config, log } = parts;
  const { port, host, workers, trustedProxies } = config;
  const addressOf = clientAddress(trustedProxies);

  const answer = (route: string, handler: Handler) => {
    const counts = new RouteCounts();
    parts.counts.set(route, counts);
    return async (request: Request, server: Server<undefined>) => {
      const began = performance.now();
      const context = contextOf(request, server, addressOf);
      let response: Response | undefined;
      for (let isFirst = true; !response; isFirst = false) {
        try {
          response = respond(request, await handler(request, context), context.headers);
        } catch (error) {
          // A cached answer was found, but could not be read from its file: the disk failed, or the cache was
          // cleared at that moment. The whole request is handled again, so the caller is charged for two.
          if (error instanceof LostPageError && isFirst) continue;
          // The middleware catches what handlers throw; this is for faults outside of it.
          const failure = failed(log, { err: error }, "a request failed outside of the middleware");
          response = respond(request, failure, context.headers);
        }
      }
      counts.count(response.status, performance.now() - began);
      return response;
    };
  };

  const { table, fallback } = routes(parts);
  return Bun.serve({
    port,
    hostname: host,
    reusePort: workers > 1,
    development: false,
    // Seconds; longer than any answer may take, see answerInTime. The operators' guide says it.
    idleTimeout: 30,
    // Nothing larger than a filled-in form is ever sent here.
    maxRequestBodySize: 64 * 1024,
    routes: Object.fromEntries(
      Object.entries(table).map(([path, handler]) => [path, answer(path, handler)]),
    ),
    fetch: answer("*", fallback),
  });
}

/** The one route table: path, stack of middleware, handler. Any other path is the fallback's. */
function routes(parts: Parts) {
  const { config, keyring, admission, log } = parts;
  const logAway = createAwayLog(log);
  const catching = catchErrors(log, logAway);
  const outer = [...(config.openAccess ? [openHeaders()] : []), catching];
  const closed = config.openAccess ? [] : [requireHeader()];
  const inTime = answerInTime();
  const open = (handler: Handler) =>
    chain([...outer, allowMethods(), admitClient(admission), inTime], handler);
  const keyedOuter = [catching, ...closed, allowMethods()];
  const keyed = (handler: Handler) =>
    chain([...keyedOuter, admitKey(keyring, admission), inTime], handler);
  const free = (handler: Handler) => chain([catching, allowMethods(), inTime], handler);
  const both = (openHandler: Handler, keyedHandler: Handler) =>
    config.openAccess ? variants(open(openHandler), keyed(keyedHandler)) : keyed(keyedHandler);

  const table: Record<string, Handler> = {
    "/api/v1/businesses": both(listOpen(parts), listKeyed(parts)),
    "/api/v1/businesses/:slug": both(showOpen(parts), showKeyed(parts)),
    "/api/v1/categories": keyed(categories(parts)),
    "/api/v1/cities": keyed(cities(parts)),
    "/api/v1/search": keyed(takeTurns(byKey)(search(parts.search))),
    "/api/v1/usage": chain(keyedOuter, withKey(keyring, admission, usage(admission))),
    "/api/v1/openapi.json": chain([...outer, allowMethods()], openApi(config)),
    "/llms.txt": free(llms(config)),
    [REFERENCE_PATH]: free(referencePage(config)),
    [SCRIPT_PATH]: free(referenceScript()),
    "/healthz": free(health(parts.sql, admission)),
    "/metrics": free(metrics(parts.scrape)),
    ...siteRoutes(parts, catching, logAway),
  };
  const fallback = config.openAccess
    ? variants(chain([...outer, answerPreflight()], notFound), notFound)
    : chain(closed, notFound);
  return { table, fallback: siteNotFound(fallback) };
}

/** Keys rolled from one another count separately. */
const byKey = (request: Request) => presentedKey(request.headers.get("Authorization") ?? "");

/** What is known of a request. Without the URL class: one without a Host header has no absolute URL. */
function contextOf(
  request: Request,
  server: Server<undefined>,
  addressOf: ReturnType<typeof clientAddress>,
): Context {
  const { url } = request;
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  let client: string | undefined;
  return {
    headers: NO_HEADERS,
    client() {
      client ??= addressOf(
        server.requestIP(request)?.address ?? "",
        request.headers.get("X-Forwarded-For"),
      );
      return client;
    },
    query: mark < 0 ? "" : url.slice(mark + 1),
    segment: path.slice(path.lastIndexOf("/") + 1),
  };
}
