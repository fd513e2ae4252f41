import type { Logger } from "pino";
import type { Admission } from "../access/admission.ts";
import { createWindow } from "../access/windows.ts";
import type { Config } from "../config.ts";
import { notFound } from "../http/errors.ts";
import { type Context, chain, type Handler, type Middleware } from "../http/handler.ts";
import { admitVisitor, tooMany } from "../middleware/admitVisitor.ts";
import { allowMethods } from "../middleware/allowMethods.ts";
import { answerInTime } from "../middleware/answerInTime.ts";
import type { AwayLog } from "../middleware/catchErrors.ts";
import { sendNoReferrer } from "../middleware/sendNoReferrer.ts";
import { takeTurns } from "../middleware/takeTurns.ts";
import type { Search } from "../search/query.ts";
import type { Sql } from "../store/postgres.ts";
import type { RedisClient } from "../store/redis.ts";
import { application } from "./application.tsx";
import { applyForKey, refuseApplication } from "./apply.tsx";
import { assetRoutes } from "./assets.ts";
import { business } from "./business.tsx";
import { category } from "./category.tsx";
import { cities } from "./cities.tsx";
import { city } from "./city.tsx";
import { developers } from "./developers.tsx";
import { errorPage, errorPages } from "./errors.tsx";
import { home } from "./home.tsx";
import { movedTo } from "./page.tsx";
import { searchPage } from "./search.tsx";
import { robots, sitemap, sitemapIndex } from "./sitemap.ts";

export interface SiteParts {
  config: Config;
  sql: Sql;
  search: Search;
  admission: Admission;
  redis: RedisClient;
  redisDeadlineMs: number | undefined;
  log: Logger;
}

/**
 * The pages, as a part of the one route table.
 * @param catching turns exceptions into answers: catchErrors
 */
export function siteRoutes(
  parts: SiteParts,
  catching: Middleware,
  logAway: AwayLog,
): Record<string, Handler> {
  const { config, sql, search, admission, redis, log } = parts;
  const open = (window: typeof PAGE_WINDOW) =>
    createWindow(redis, { ...window, deadlineMs: parts.redisDeadlineMs });
  const { baseUrl, openAccess } = config;
  const isAutomatic = config.applications === "auto";
  const pageWindow = open(PAGE_WINDOW);
  const admit = admitVisitor(pageWindow, log);
  const admitSearch = admitVisitor(open(SEARCH_WINDOW), log, tooMany("searches"));
  const outer = [errorPages(), catching];
  const inTime = answerInTime({ mostLate: MOST_LATE });
  const read = (handler: Handler, windows = [admit]) =>
    chain([...outer, allowMethods(), ...windows, inTime], handler);
  const readOrSend = (handler: Handler, admitted = admit, timed = inTime) =>
    chain([...outer, allowMethods(["GET", "HEAD", "POST"]), admitted, timed], handler);
  const files = Object.entries(assetRoutes()).map(([path, handler]) => [
    path,
    chain([allowMethods()], handler),
  ]);

  return {
    "/": read(home(sql, baseUrl)),
    // The narrower window first: a search that it refuses does not count as a page.
    "/search": read(takeTurns(byAddress)(searchPage(sql, search)), [admitSearch, admit]),
    "/businesses/:slug": read(business(sql, baseUrl)),
    "/categories/:slug": read(category(sql, baseUrl)),
    "/cities": read(cities(sql, baseUrl)),
    "/cities/:slug": read(city(sql, baseUrl)),
    "/developers": read(developers({ sql, baseUrl, openAccess, isAutomatic })),
    "/developers/applications": readOrSend(
      applyForKey({
        sql,
        baseUrl,
        logAway,
        isAutomatic,
        admitApplication: open(APPLICATION_WINDOW),
      }),
      admitVisitor(pageWindow, log, refuseApplication),
      // However many pages are late, what was typed comes back in time.
      answerInTime(),
    ),
    "/developers/applications/:token": sendNoReferrer()(
      readOrSend(application({ sql, admission, baseUrl, log })),
    ),
    "/robots.txt": chain([...outer, allowMethods()], robots(baseUrl)),
    "/sitemap.xml": read(sitemapIndex(sql, baseUrl)),
    // A file takes as long as ten other pages: many at once would hold up everyone else.
    "/sitemaps/:file": read(takeTurns(byAddress)(sitemap(sql, baseUrl))),
    ...Object.fromEntries(files),
  };
}

/** Pages of one client: more than anyone reads, and slow for scrapers. */
const PAGE_WINDOW = { name: "pages", limit: 120, seconds: 60 };

/** Of those, searches: one that matches nothing may cost as much as a hundred others. */
const SEARCH_WINDOW = { name: "searches", limit: 30, seconds: 60 };

/** Applications of one client: enough to correct a mistyped address, too few to fill a table. */
const APPLICATION_WINDOW = { name: "applications", limit: 5, seconds: 3_600 };

/** Abandoned pages that are still in progress: a second's work for the database. */
const MOST_LATE = 100;

const byAddress = (_request: Request, context: Context) => context.client();

/**
 * For unknown paths outside the API: browsers get a page, or a redirect to the path without its trailing
 * slash; programs get JSON.
 */
export function siteNotFound(fallback: Handler): Handler {
  return function siteNotFound(request, context) {
    // Not the URL class: it cannot parse the URL of a request with an odd Host, or none.
    const address = request.url.replace(/^https?:\/\/[^/?]*/i, "");
    const isApi = /^\/api\//i.test(address);
    const isPage = !isApi && request.headers.get("Accept")?.includes("text/html");
    if (!isPage) return fallback(request, context);
    // Each slash must be followed by a name: `//elsewhere.example/` would lead to another host.
    const [, path, query = ""] = /^((?:\/[\w.~%-]+)+)\/+(\?.*)?$/.exec(address) ?? [];
    return path ? movedTo(path + query) : errorPage(notFound());
  };
}
