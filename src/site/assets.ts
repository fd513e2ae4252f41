import { file, versionedFile } from "../http/files.ts";
import type { Handler } from "../http/handler.ts";
import developers from "./developers.client.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import styles from "./site.css" with { type: "text" };

const files = {
  "/assets/icon.svg": { type: "image/svg+xml", text: icon },
  "/assets/site.css": { type: "text/css", text: styles },
  "/assets/developers.js": { type: "text/javascript", text: developers },
};

/** The address of a file; another one whenever its text changes, so that it may be kept for good. */
export function assetUrl(path: keyof typeof files): string {
  return `${path}?${versionOf(files[path].text)}`;
}

const versionOf = (text: string) => `v=${Bun.hash(text).toString(36)}`;

/** Path and handler of each file that pages load. */
export function assetRoutes(): Record<string, Handler> {
  const all = Object.entries(files).map(([path, { type, text }]) => [
    path,
    versionedFile(versionOf(text), type, text),
  ]);
  const favicon = file("image/svg+xml", icon, "public, max-age=86400");
  return {
    ...Object.fromEntries(all),
    // Browsers ask for this path on their own when a document names no icon, such as JSON.
    "/favicon.ico": () => favicon,
  };
}
