import { hash } from "node:crypto";
import { dependencies } from "../../package.json" with { type: "json" };
import type { Answer } from "../http/answer.ts";
import { versionedFile } from "../http/files.ts";
import type { Handler } from "../http/handler.ts";
import type { Deployment } from "./document.ts";
import styles from "./reference.css" with { type: "text" };

/**
 * GET /developers/reference: the OpenAPI document, rendered by Scalar. Scalar injects inline styles, so this
 * policy allows them, unlike that of our other pages; nothing is loaded from or sent to another host.
 */
export function referencePage({ baseUrl }: Pick<Deployment, "baseUrl">): Handler {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash("sha256", START, "base64")}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  const answer: Answer = {
    status: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": policy.join("; "),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "strict-origin-when-cross-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
    },
    body: pageAt(baseUrl),
  };
  return () => answer;
}

/** Scalar's browser bundle, unmodified. Read on the first request, since it is 4 MB. */
export function referenceScript(): Handler {
  let script: Handler | undefined;
  return async (request, context) => {
    script ??= await readBundle();
    return script(request, context);
  };
}

export const REFERENCE_PATH = "/developers/reference";
export const SCRIPT_PATH = `${REFERENCE_PATH}/scalar.js`;

const SCRIPT_VERSION = `v=${dependencies["@scalar/api-reference"]}`;

async function readBundle(): Promise<Handler> {
  const bundle = new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));
  return versionedFile(SCRIPT_VERSION, "text/javascript", await Bun.file(bundle).text());
}

// Everything that would contact or link to another host is off.
const settings = {
  url: "/api/v1/openapi.json",
  proxyUrl: "",
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  persistAuth: false,
  defaultOpenAllTags: true,
};

// Scalar draws its contents, with dozens of links, before its main part, which has no id to link to.
const SKIP = `document.querySelector(".skip").onclick = () => { const main = document.querySelector("main"); if (!main) return; main.tabIndex = -1; main.focus(); return false; }`;

// Calls go to the host that served the page, under whatever name, so keys go nowhere else.
// The fallback is removed last, so that it stays if the script does not load, or fails. Scalar's page has a
// first heading of its own.
const START = `Scalar.createApiReference("#reference", {...${JSON.stringify(settings)}, servers: [{url: location.origin}]}); ${SKIP}; document.getElementById("fallback").remove()`;

const pageAt = (baseUrl: string) => `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Highstreet</title>
<meta name="description" content="Every path, parameter, response and error of the directory's API, with calls to try.">
<link rel="canonical" href="${Bun.escapeHTML(baseUrl)}${REFERENCE_PATH}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.ico">
<style>${styles}</style>
</head>
<body>
<a class="skip" href="#reference">Skip to the content</a>
<nav class="site" aria-label="Site"><a class="brand" href="/"><img src="/favicon.ico" width="28" height="28" alt="">Highstreet</a><a href="/developers">Developers</a></nav>
<div id="reference"></div>
<div id="fallback">
<h1>API reference</h1>
<p>This reference needs JavaScript, which is still loading or does not run here. Its content is
also in <a href="/api/v1/openapi.json">openapi.json</a>, the OpenAPI 3.1 document, and summarised in
<a href="/llms.txt">llms.txt</a>.</p>
</div>
<script src="${SCRIPT_PATH}?${SCRIPT_VERSION}"></script>
<script>${START}</script>
</body>
</html>
`;
