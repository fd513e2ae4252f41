import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Answer } from "../http/answer.ts";
import { assetUrl } from "./assets.ts";

/** What is said about a page beside its content. */
export interface PageHead {
  title: string;
  description?: string;
  /** The one absolute address of this content, for search engines; without it they leave the page out. */
  canonical?: string;
  /** The page is for one person: nothing keeps it, nothing tells its address. */
  isPrivate?: boolean;
  /** Loads the script that runs and copies examples. */
  hasExamples?: boolean;
  /** The page brings its own search box. */
  hidesSearch?: boolean;
  /** Structured data about the page, such as Schema.org's LocalBusiness. */
  linkedData?: Record<string, unknown>;
}

/** A whole page as an answer. */
export function page(head: PageHead, content: VNode, status = 200): Answer {
  return {
    status,
    headers: {
      ...headers,
      "Cache-Control": head.isPrivate || status !== 200 ? "no-store" : "no-cache",
      "Referrer-Policy": head.isPrivate ? "no-referrer" : "strict-origin-when-cross-origin",
      ...(!head.canonical && { "X-Robots-Tag": "noindex" }),
    },
    body: `<!doctype html>${renderToString(<Document head={head}>{content}</Document>)}`,
  };
}

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  // Photos are shown from wherever a business keeps them; everything else is our own.
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
    "img-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

function Document({ head, children }: { head: PageHead; children: ComponentChildren }) {
  return (
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{head.title === SITE ? SITE : `${head.title} · ${SITE}`}</title>
        {head.description && <meta name="description" content={head.description} />}
        {head.canonical && <link rel="canonical" href={head.canonical} />}
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={assetUrl("/assets/icon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl("/assets/site.css")} />
        {head.hasExamples && <script src={assetUrl("/assets/developers.js")} defer />}
        {head.linkedData && <LinkedData value={head.linkedData} />}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            {SITE}
          </a>
          {!head.hidesSearch && <SearchBox />}
          <nav aria-label="Site">
            <a href="/developers">Developers</a>
          </nav>
        </header>
        <main id="content" tabindex={-1}>
          {children}
        </main>
        <footer>
          <p>
            {SITE} is an open-source directory of UK businesses. <a href="/developers">Its API</a>{" "}
            is free to use.
          </p>
        </footer>
      </body>
    </html>
  );
}

const SITE = "Highstreet";

/** The one form that finds businesses. */
export function SearchBox({ isLarge = false }: { isLarge?: boolean }) {
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
          maxLength={200}
          placeholder="plumber in leeds"
          required
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/**
 * JSON inside of a script element ends at the first `</script`, and the renderer's escapes mean
 * nothing there; with no `<` in it there is no way out. It is data: browsers run none of it.
 */
function LinkedData({ value }: { value: Record<string, unknown> }) {
  const json = JSON.stringify(value).replaceAll("<", "\\u003c");
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
