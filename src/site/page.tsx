import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Answer } from "../http/answer.ts";
import { LONGEST_SEARCH_TEXT } from "../http/parameters.ts";
import { assetUrl } from "./assets.ts";
import { unmarked } from "./unmarked.ts";

/** Everything about a page except its content. */
interface PageHead {
  title: string;
  description?: string;
  /** The canonical absolute URL, for search engines; without it, they are told not to index the page. */
  canonical?: string;
  /** The page is for one person: never cached. Its route has sendNoReferrer, for the page and its errors. */
  isPrivate?: boolean;
  /** The page has what its visitor typed, and no secret: the browser may cache it, for going back to it. */
  hasTyped?: boolean;
  /** Loads developers.client.js: the page has examples, or a form to apply for a key or change one. */
  hasScript?: boolean;
  /** The page has its own search box. */
  hidesSearch?: boolean;
  /** The page shows photos, from any host. */
  hasPhotos?: boolean;
  /** Structured data about the page, such as Schema.org's LocalBusiness. */
  linkedData?: Record<string, unknown>;
}

/** A whole page as an answer. */
export function page(head: PageHead, content: VNode, status = 200): Answer {
  return {
    status,
    headers: {
      ...headers,
      "Content-Security-Policy": policy(head.hasPhotos ? "'self' https: http:" : "'self'"),
      "Cache-Control": cacheControl(head, status),
      ...(!head.canonical && { "X-Robots-Tag": "noindex" }),
    },
    body: `<!doctype html>${renderToString(<Document head={head}>{content}</Document>)}`,
  };
}

function cacheControl({ isPrivate, hasTyped }: PageHead, status: number): string {
  if (isPrivate) return "no-store";
  // Going back to the answer to a form shows an error if the browser has not cached it.
  if (hasTyped) return "private, no-cache";
  return status === 200 ? "no-cache" : "no-store";
}

/** Redirects to another page. */
export function seeOther(path: string): Answer {
  return { status: 303, headers: { Location: path, "Cache-Control": "no-store" }, body: null };
}

/** Redirects permanently. */
export function movedTo(path: string): Answer {
  return { status: 308, headers: { Location: path, "Cache-Control": "no-cache" }, body: null };
}

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** Allows nothing from or to other hosts, except photos that a visitor asked for. */
const policy = (images: string) =>
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
  `img-src ${images}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

function Document({ head, children }: { head: PageHead; children: ComponentChildren }) {
  return (
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${head.title} · ${SITE}`}</title>
        {head.description && <meta name="description" content={head.description} />}
        {head.canonical && <link rel="canonical" href={head.canonical} />}
        {head.canonical && <Preview {...head} canonical={head.canonical} />}
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={assetUrl("/assets/icon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl("/assets/site.css")} />
        {head.hasScript && <script src={assetUrl("/assets/developers.js")} defer />}
        {head.linkedData && <LinkedData value={head.linkedData} />}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assetUrl("/assets/icon.svg")} width={28} height={28} alt="" />
            {SITE}
          </a>
          <nav aria-label="Site">
            <a class="top-link" href="/developers">
              Developers
            </a>
          </nav>
          {!head.hidesSearch && <SearchBox />}
        </header>
        <main id="content" tabindex={-1}>
          {children}
        </main>
        <footer>
          <p>{SITE} is an open-source directory of UK businesses.</p>
          <ul class="row" {...unmarked}>
            <li>
              <a href="/">Home</a>
            </li>
            <li>
              <a href="/cities">Towns and cities</a>
            </li>
            <li>
              <a href="/developers">Developers</a>
            </li>
            <li>
              <a href="/developers/reference">API reference</a>
            </li>
          </ul>
        </footer>
      </body>
    </html>
  );
}

/** The preview of a shared link to the page: https://ogp.me */
function Preview({ title, description, canonical }: PageHead & { canonical: string }) {
  return (
    <>
      <meta property="og:site_name" content={SITE} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:url" content={canonical} />
    </>
  );
}

const SITE = "Highstreet";

/** The search form with a single field, which most pages have. */
export function SearchBox({ isLarge = false, typed = "" }: { isLarge?: boolean; typed?: string }) {
  return (
    <search>
      <form class={isLarge ? "search large" : "search"} action="/search">
        <label class={isLarge ? "" : "unseen"} for="search">
          What are you looking for?
        </label>
        <input
          id="search"
          type="search"
          name="q"
          value={typed}
          maxLength={LONGEST_SEARCH_TEXT}
          placeholder="plumber in leeds"
          required
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/**
 * A script element ends at the first `</script`, even inside JSON, and HTML escapes do not apply there, so each
 * `<` is escaped as in JSON. Browsers do not run it: its type makes it data.
 */
function LinkedData({ value }: { value: Record<string, unknown> }) {
  const json = JSON.stringify(value).replaceAll("<", "\\u003c");
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
